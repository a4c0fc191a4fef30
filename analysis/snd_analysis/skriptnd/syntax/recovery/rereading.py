"""Repairs before the error: a token that was accepted, but meant to be another one.

The statement is read again up to that token, with a replacement for it. That is done only if the statement then parses
beyond the error, which is tried on the states first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snd_analysis import rules
from snd_analysis.base import Edit, Repair, Span
from snd_analysis.skriptnd.limits import MOST_TOKENS_OF_BLOCK, MOST_TOKENS_READ_AGAIN
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.recovery.fault import CLOSERS, Fault, span_of
from snd_analysis.skriptnd.syntax.recovery.panic import panic
from snd_analysis.skriptnd.syntax.recovery.repairs import replace
from snd_analysis.skriptnd.syntax.table import END, run_states
from snd_analysis.skriptnd.syntax.tokens import Token, keywords

# Prefix operators and statement keywords of other languages.
_FOREIGN_WORDS = {"not": "NOT", "return": "YIELD"}
_LITERALS = frozenset({"INT", "REAL", "STRING"})
_CALLED = frozenset({"LPAR", "LBRACE", "LT", "DOT"})
_OPENED_BY = ("THEN", "DO")
_ENDS = frozenset({"RPAR", "RSQB", "RBRACE", "SEMI"})
_RANGE = 3
_FOLDS = "'+', '*', '<?', '>?', '&&', '||', ':=', '==', '!=', '<', '<=', '>' and '>='"
_CUMULATIVE_FOLDS = "'+', '*', '<?', '>?', '&&' and '||'"


def foreign_word(fault: Fault) -> bool:
    """Recover from ``not a`` for ``!a``, ``return a`` for ``yield a``."""
    at = fault.automaton.at - 1
    if at < 0 or fault.automaton.tokens[at].kind != "ID":
        return False
    token = fault.automaton.tokens[at]
    kind = _FOREIGN_WORDS.get(fault.word(token))
    if kind is None or not _parses(fault, at, [kind], 1):
        return False
    written = fault.automaton.table.literals[kind]
    edit = Edit(Span(token.start, fault.token.start if kind == "NOT" else token.end), written)
    repair = Repair(f"write '{written}'", (edit,), safe=False)
    message = f"'{fault.word(token)}' is written '{written}'"
    again = back_to(fault, at)
    again.report(rules.SYNTAX_ERROR, span_of(token), message, (), repair)
    _take(again, kind, written)
    return True


def not_equal(fault: Fault) -> bool:
    """Repair ``a <> b`` as ``a != b``.

    No operator fits after the '<>' of a bounded index: earlier tokens are read again.
    """
    if fault.token.kind != "REMAP" or not _parses_with(fault, ["NE"]):
        return False
    replace(back_to(fault, fault.automaton.at), "NE")
    return True


def _parses_with(fault: Fault, kinds: Sequence[str]) -> bool:
    """Return whether the statement, read again, parses with ``kinds`` for the wrong token."""
    automaton, entry = fault.automaton, fault.automaton.entry
    if entry is None or not entry.at < automaton.at:
        return False
    wanted = [*(token.kind for token in automaton.tokens[entry.at : automaton.at]), *kinds, *fault.statement(1)]
    return run_states(automaton.table, automaton.stacks.states[: entry.depth + 1], wanted) == len(wanted)


def empty_generics(fault: Fault) -> bool:
    """Recover from ``op<>(x)``: no types between the brackets.

    After 'a.b' only an expression goes on: it is read again.
    """
    automaton, token = fault.automaton, fault.token
    if token.kind != "REMAP" or token.start != automaton.last_end or automaton.token(1).start != token.end:
        return False
    if automaton.token(1).kind not in ("LPAR", "LBRACE") or not _parses_with(fault, []):
        return False
    again = back_to(fault, automaton.at)
    repair = Repair("remove '<>'", (Edit(span_of(token), ""),), safe=False)
    message = "'<>' names no type: leave it out, or write the types between '<' and '>'"
    again.report(rules.SYNTAX_ERROR, span_of(token), message, (), repair)
    _leave_out(again)
    return True


def stray_comma(fault: Fault) -> bool:
    """Recover from ``[1, 2,]``: a comma that nothing follows."""
    at = fault.automaton.at - 1
    if at < 0 or fault.automaton.tokens[at].kind != "COMMA" or fault.token.kind not in _ENDS:
        return False
    if not _parses(fault, at, [], 1):
        return False
    again = back_to(fault, at)
    place = span_of(again.token)
    repair = Repair("remove ','", (Edit(place, ""),), safe=False)
    again.report(rules.SYNTAX_ERROR, place, "nothing follows this ','", again.context(), repair)
    _leave_out(again)
    return True


def no_fold(fault: Fault) -> bool:
    """Report ``a / ..``: an operator that does not fold packs."""
    at = fault.automaton.at - 1
    if fault.token.kind not in ("DOTS", "ELLIPSIS") or at < 0 or not _parses(fault, at, ["PLUS"], 1):
        return False
    again = back_to(fault, at)
    folds = _FOLDS if fault.token.kind == "DOTS" else _CUMULATIVE_FOLDS
    written = f"'{again.word(again.token)} {fault.word(fault.token)}'"
    span = Span(again.token.start, fault.token.end)
    again.report(rules.NO_SUCH_FOLD, span, f"there is no fold {written}; there are {folds}")
    _take(again, "PLUS")
    return True


def keyword_before(fault: Fault) -> bool:
    """Repair a keyword that fits the grammar here only as a name, given the following tokens."""
    for at in _places_before(fault):
        token = fault.automaton.tokens[at]
        word = fault.word(token)
        if token.kind == keywords().get(word) and token.kind != "TYPE" and _parses(fault, at, ["ID"], 1):
            again = back_to(fault, at)
            again.report_keyword(token)
            _take(again, "ID", word)
            return True
    return False


def label_without_quotes(fault: Fault) -> bool:
    """Recover from ``"message", label: value`` for ``"message", "label": value``."""
    at = fault.automaton.at - 1
    if fault.token.kind != "COLON" or at < 0 or fault.automaton.tokens[at].kind != "ID":
        return False
    if not _parses(fault, at, ["STRING"], 1):
        return False
    token = fault.automaton.tokens[at]
    quoted = f'"{fault.word(token)}"'
    repair = Repair(f"write {quoted}", (Edit(span_of(token), quoted),), safe=False)
    message = f"the label of a printed value is a string: write {quoted}"
    again = back_to(fault, at)
    again.report(rules.SYNTAX_ERROR, span_of(token), message, (), repair)
    _take(again, "STRING")
    return True


def message_without_quotes(fault: Fault) -> bool:
    """Recover from ``k > 0: must be positive;`` for ``k > 0: "must be positive";``."""
    automaton, before = fault.automaton, fault.automaton.tokens[fault.automaton.at - 1 : fault.automaton.at]
    if (
        fault.block != "B_ASSERT"
        or fault.token.kind in ("SEMI", "COMMA")
        or [each.kind for each in before] != ["COLON"]
    ):
        return False
    count = 1
    while automaton.token(count).kind not in ("SEMI", "COMMA", "LBRACE", "RBRACE", "STRING", END):
        count += 1
    if not fault.parses(["STRING"], count):
        return False
    span = Span(fault.token.start, automaton.token(count - 1).end)
    quoted = f'"{automaton.text[span.start : span.end]}"'
    repair = Repair(f"write {quoted}", (Edit(span, quoted),), safe=False)
    fault.report(rules.SYNTAX_ERROR, span, f"the message of an assertion is a string: write {quoted}", (), repair)
    automaton.supply("STRING", span.start, span.end, quoted)
    automaton.at += count
    return True


def count_of_loop(fault: Fault) -> bool:
    """Recover from ``do..(0 -> 3)`` and ``do..(0:3)``: a range of numbers where a loop has its count."""
    automaton = fault.automaton
    if fault.token.kind not in ("ARROW", "COLON", "COMMA", "ASSIGN", "IN", "LT") or not fault.in_iteration:
        return False
    opening = fault.open_brackets()[-1]
    at = automaton.index_of(opening.start)
    closing = next((at for at, kind in enumerate(fault.following_line()) if kind == "RPAR"), None)
    if at is None or closing is None:
        return False
    written = automaton.tokens[at + 1 : automaton.at + closing]
    fault.report(
        rules.SYNTAX_ERROR, fault.place(), fault.found_expected(), fault.context(), _count_repair(fault, written)
    )
    panic(automaton)
    return True


def _count_repair(fault: Fault, written: Sequence[Token]) -> Repair | None:
    """Return the repair of a range that begins with 0, or of an index that another symbol divides from its count."""
    first, divider, last = written if len(written) == _RANGE else (None, None, None)
    if first is None or divider is None or last is None or last.kind not in ("INT", "ID"):
        return None
    span = Span(first.start, last.end)
    if fault.word(first) == "0":
        return Repair(f"write {fault.word(last)}", (Edit(span, fault.word(last)),), safe=False)
    if first.kind != "ID":
        return None
    text = f"{fault.word(first)} -> {fault.word(last)}"
    return Repair(f"write '{text}'", (Edit(span, text),), safe=False)


def label_that_is_no_name(fault: Fault) -> bool:
    """Recover from ``y = 3: f(x)``: a label is written like the name of a tensor."""
    at = fault.automaton.at - 1
    if fault.token.kind != "COLON" or at < 0 or fault.automaton.tokens[at].kind not in _LITERALS:
        return False
    if not _parses(fault, at, ["ID"], 1):
        return False
    again = back_to(fault, at)
    again.report(rules.SYNTAX_ERROR, span_of(again.token), "a label is a name, and begins with a letter")
    _take(again, "ID", "_label")
    return True


def printed_without_message(fault: Fault) -> bool:
    """Report ``k > 0, k;`` in ``@assert``: printed values follow a message."""
    if fault.token.kind != "COMMA" or fault.block != "B_ASSERT" or fault.automaton.token(1).kind == "STRING":
        return False
    if not fault.parses(["COLON", "STRING"]):
        return False
    message = "a message stands before what is printed: write ': \"…\"' before this ','"
    fault.report(rules.SYNTAX_ERROR, span_of(fault.token), message)
    for kind in ("COLON", "STRING"):
        fault.automaton.supply(kind, fault.token.start, fault.token.start, '""')
    return True


def range_of_extents(fault: Fault) -> bool:
    """Recover from ``real[n..m]``: '..' ends an extent."""
    at = fault.automaton.at - 1
    if fault.block != "B_PARAM" or fault.token.kind not in _LITERALS | {"ID"}:
        return False
    if at < 0 or fault.automaton.tokens[at].kind != "DOTS" or not _parses(fault, at, ["COMMA"], 1):
        return False
    again = back_to(fault, at)
    message = "an extent is no range: separate extents by ',', or write '|' before the upper bound of a dynamic one"
    again.report(rules.SYNTAX_ERROR, span_of(again.token), message)
    _take(again, "COMMA")
    return True


def statement_without_results(fault: Fault) -> bool:
    """Recover from ``f(x);``, and ``return x;`` for ``y = x;``: a statement of a composition names its results."""
    entry = fault.automaton.entry
    if entry is None or fault.block not in ("B_COMPOSE", "B_UPDATE") or entry.at >= fault.automaton.at:
        return False
    token = fault.automaton.tokens[entry.at]
    returns = fault.word(token) == "return"
    if token.kind != "ID" or not (returns or fault.token.kind in _CALLED):
        return False
    if not _parses(fault, entry.at, ["ID", "ASSIGN"], int(returns)):
        return False
    again = back_to(fault, entry.at)
    message = "a statement begins with the names of its results: write 'results = …;'"
    if returns:
        message = "nothing is returned here: assign the outputs, as in 'y = x;'"
    again.report(rules.SYNTAX_ERROR, span_of(token), message)
    if returns:
        _leave_out(again)
    place = token.end if returns else token.start
    fault.automaton.supply("ID", place, place, "")
    fault.automaton.supply("ASSIGN", place, place)
    return True


def tuple_for_list(fault: Fault) -> bool:
    """Recover from ``{stride=(1, 1)}`` for ``{stride=[1, 1]}``."""
    opened = fault.open_brackets()
    if fault.token.kind != "COMMA" or not opened or opened[-1].kind != "LPAR":
        return False
    opening, at, rest = opened[-1], _index(fault, opened[-1]), fault.statement()
    closing = _closing(rest)
    automaton, entry = fault.automaton, fault.automaton.entry
    if at is None or closing is None or entry is None or len(automaton.stacks.states) <= entry.depth:
        return False
    before = [token.kind for token in automaton.tokens[entry.at : at]]
    inside = [token.kind for token in automaton.tokens[at + 1 : automaton.at]]
    wanted = [*before, "LSQB", *inside, *rest[:closing], "RSQB", *rest[closing + 1 :]]
    if run_states(automaton.table, automaton.stacks.states[: entry.depth + 1], wanted) < len(wanted):
        return False
    closer, last = automaton.token(closing), automaton.at + closing
    repair = Repair("write a list", (Edit(span_of(opening), "["), Edit(span_of(closer), "]")))
    again = back_to(fault, at)
    span = Span(opening.start, closer.end)
    again.report(rules.SYNTAX_ERROR, span, "a list stands in brackets, not in parentheses", (), repair)
    _take(again, "LSQB")
    automaton.advance(limit=last)
    automaton.supply("RSQB", closer.start, closer.end)
    automaton.at += 1
    return True


def _closing(kinds: Sequence[str]) -> int | None:
    """Return the place of the bracket that closes one which is open before these tokens."""
    depth = 0
    for at, kind in enumerate(kinds):
        if kind in CLOSERS:
            depth += 1
        elif kind in CLOSERS.values():
            if depth == 0:
                return at if kind == "RPAR" else None
            depth -= 1
    return None


def block_for_attributes(fault: Fault) -> bool:
    """Report ``if c { … }``: without its 'then' the block looks like attributes of the word before it."""
    for bracket in fault.open_brackets():
        at = _index(fault, bracket)
        if bracket.kind != "LBRACE" or at is None:
            continue
        for kind in _OPENED_BY:
            if _parses(fault, at, [kind], 0):
                back_to(fault, at).report_missing(kind)
                fault.automaton.supply(kind, fault.automaton.last_end, fault.automaton.last_end)
                return True
    return False


def block_without_opening(fault: Fault) -> bool:
    """Recover from ``do a = f(x); yield a; }``: statements that end with a 'yield' and a brace, which nothing opens."""
    if not _ends_block(fault):
        return False
    for at in (fault.automaton.at, *_places_before(fault)):
        if _parses(fault, at, ["LBRACE"], 0):
            back_to(fault, at).report_missing("LBRACE")
            fault.automaton.supply("LBRACE", fault.automaton.last_end, fault.automaton.last_end)
            return True
    return False


def _ends_block(fault: Fault) -> bool:
    """Return whether a 'yield' precedes the brace that closes the construct open at the error."""
    depth = 0
    for offset in range(MOST_TOKENS_OF_BLOCK):
        kind = fault.automaton.token(offset).kind
        if kind in CLOSERS:
            depth += 1
        elif kind in CLOSERS.values():
            if depth == 0:
                return False
            depth -= 1
        elif kind == "YIELD" and depth == 0:
            return True
        elif kind == END:
            return False
    return False


def semicolon_in_formula(fault: Fault) -> bool:
    """Report ``y[i,] = x[i,]; i < n;``: the text after the semicolon belongs to the formula."""
    automaton, entry = fault.automaton, fault.automaton.entry
    if fault.token.kind != "LT" or entry is None or entry.at != automaton.at - 1:
        return False
    if not 0 < entry.depth < len(automaton.stacks.states):
        return False
    entries = automaton.stacks.values[entry.depth - 1]
    last = entries[-1] if isinstance(entries, list) and entries else None
    if last is None or not isinstance(last.statement, nodes.Lowering):
        return False
    first = automaton.index_of(last.start)
    semicolon = entry.at - 1
    if first is None or automaton.tokens[semicolon].kind != "SEMI":
        return False
    states = automaton.stacks.states[: entry.depth + 1]
    read = [token.kind for token in automaton.tokens[first:semicolon]]
    wanted = [*read, "COMMA", automaton.tokens[entry.at].kind, *fault.statement()]
    if run_states(automaton.table, states.copy(), wanted) < len(wanted):
        return False
    entries.pop()
    problems = automaton.builder.problems
    problems[:] = [problem for problem in problems if problem.span.start < last.start]
    automaton.entry = entry._replace(at=first, problems=len(problems))
    again = back_to(fault, semicolon)
    repair = Repair("write ','", (Edit(span_of(again.token), ","),), safe=False)
    again.report(rules.SYNTAX_ERROR, span_of(again.token), again.found_expected("','"), again.context(), repair)
    _take(again, "COMMA")
    return True


def _places_before(fault: Fault) -> Iterator[int]:
    """Yield the indices of the tokens of the statement before the error, the last first."""
    entry = fault.automaton.entry
    if entry is not None:
        yield from range(fault.automaton.at - 1, max(entry.at, fault.automaton.at - MOST_TOKENS_READ_AGAIN) - 1, -1)


def _index(fault: Fault, token: Token) -> int | None:
    return next((at for at in _places_before(fault) if fault.automaton.tokens[at] is token), None)


def _parses(fault: Fault, at: int, kinds: Sequence[str], replaced: int) -> bool:
    """Return whether the statement parses beyond the error with ``kinds`` for ``replaced`` tokens from ``at`` on."""
    automaton, entry = fault.automaton, fault.automaton.entry
    if entry is None or not entry.at <= at <= automaton.at or len(automaton.stacks.states) <= entry.depth:
        return False
    before = [token.kind for token in automaton.tokens[entry.at : at]]
    between = [token.kind for token in automaton.tokens[at + replaced : automaton.at]]
    wanted = [*before, *kinds, *between, *_rest(fault)]
    return run_states(automaton.table, automaton.stacks.states[: entry.depth + 1], wanted) == len(wanted)


def _rest(fault: Fault) -> list[str]:
    """Return kinds of the tokens from the error to the end of the statement; where it ends there, of a few more."""
    kinds = fault.statement()
    return kinds if len(kinds) > 1 and kinds[-1] == "SEMI" else fault.following()


def back_to(fault: Fault, at: int) -> Fault:
    """Go back to where the token ``at`` was the next."""
    fault.automaton.rewind(at)
    return Fault(fault.automaton)


def _leave_out(fault: Fault) -> None:
    fault.automaton.at += 1
    fault.automaton.last_end = fault.token.end


def _take(fault: Fault, kind: str, spelling: str | None = None) -> None:
    fault.automaton.supply(kind, fault.token.start, fault.token.end, spelling)
    fault.automaton.at += 1
