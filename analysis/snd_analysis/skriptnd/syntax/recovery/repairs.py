"""Repairs of a broken text, each a function that applies one repair if the following tokens then parse.

A repair changes the automaton so that it can go on, reports the problem, and returns whether it did so. Attempts on
copies of the states have no effect if they fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from snd_analysis import rules
from snd_analysis.base import Edit, Repair, Span
from snd_analysis.skriptnd.limits import LONGEST_LOOKAHEAD, MOST_DELETED_TOKENS, MOST_TOKENS_OF_BLOCK
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.automaton import Automaton
from snd_analysis.skriptnd.syntax.expected import close_matches
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.syntax.recovery.fault import BLOCK_KINDS, CLOSERS, DEFINITION_STARTS, SYMBOLS, Fault, span_of
from snd_analysis.skriptnd.syntax.recovery.panic import panic
from snd_analysis.skriptnd.syntax.table import END, run_states
from snd_analysis.skriptnd.syntax.tokens import Token, at_column_zero, begins_line, keywords

# Symbols that authors confuse: these replacements are tried first, and named in the message.
_CONFUSED = {
    "EQ": ("ASSIGN",), "ASSIGN": ("EQ", "COLON"), "MAKE": ("ASSIGN",), "REPLACE": ("ASSIGN",), "LE": ("LT",),
    "PLUS_ASSIGN": ("ASSIGN",), "STAR_ASSIGN": ("ASSIGN",), "COLON": ("ASSIGN", "SEMI"),
    "COMMA": ("SEMI",), "SEMI": ("COMMA", "COLON"), "DOT": ("COMMA", "DOTS"), "ELLIPSIS": ("DOTS",),
    "DOTS": ("ELLIPSIS",), "RPAR": ("RSQB", "RBRACE"), "RSQB": ("RPAR", "RBRACE"), "LPAR": ("LBRACE", "LSQB"),
    "LBRACE": ("LPAR",), "IMPLIES": ("ARROW", "GE"), "ARROW": ("IMPLIES",), "BAR": ("OR",),
}  # fmt: skip
_FOREIGN_WORDS = {"and": "AND", "or": "OR"}
_FOREIGN_BLOCKS: dict[str, str] = {
    **dict.fromkeys(("forward", "body", "call", "apply", "run", "main", "statements", "nodes", "layers"), "compose"),
    **dict.fromkeys(("formula", "formulas", "kernel", "compute", "math", "loops"), "lower"),
    **dict.fromkeys(("weight", "weights", "state", "states"), "variable"),
    **dict.fromkeys(("arg", "args", "arguments", "tensors", "operands"), "input"),
    **dict.fromkeys(("result", "results", "return", "returns"), "output"),
    **dict.fromkeys(("attribute", "attributes", "option", "options", "config", "hyperparameters"), "attrib"),
    **dict.fromkeys(("let", "where", "define", "local", "locals", "helpers"), "using"),
    **dict.fromkeys(("check", "require", "requires", "ensure", "precondition"), "assert"),
    **dict.fromkeys(("type", "types", "generic", "generics"), "dtype"),
}
"""Names of blocks that people bring from other languages and frameworks, with the block of SkriptND."""
_INSERTED = ("SEMI", "COMMA", "RPAR", "RSQB", "RBRACE", "ASSIGN", "COLON", "LBRACE", "DO", "THEN", "LPAR", "BAR", "ID")

RepairFunction: TypeAlias = Callable[[Fault], bool]


def _take(fault: Fault, kind: str, spelling: str | None = None) -> None:
    """Go on as if the next token were of another kind."""
    fault.automaton.supply(kind, fault.token.start, fault.token.end, spelling)
    fault.automaton.at += 1


def _drop(fault: Fault, count: int) -> None:
    fault.automaton.at += count
    fault.automaton.last_end = fault.automaton.tokens[fault.automaton.at - 1].end


def leave_out_illegal(fault: Fault) -> bool:
    """Leave out characters that are no symbols; the tokens have reported them."""
    count = 0
    while fault.automaton.token(count).kind == "ILLEGAL":
        count += 1
    if not count or fault.at_document or not fault.parses([], count):
        return False
    _drop(fault, count)
    return True


def foreign_comment(fault: Fault) -> bool:
    """Recover from ``// …``: a comment of another language, to the end of its line."""
    automaton, text, token = fault.automaton, fault.automaton.text, fault.token
    start = token.start - 1 if text.startswith("/", token.start - 1) and token.start else token.start
    if not text.startswith("//", start) or start != token.start:
        return False
    count = 1
    while automaton.token(count).kind != END and not _line_break_between(
        text, token.start, automaton.token(count).start
    ):
        count += 1
    if not fault.parses([], count):
        return False
    span = Span(token.start, automaton.token(count - 1).end)
    repair = Repair("write '#'", (Edit(Span(start, start + 2), "#"),))
    fault.report(rules.SYNTAX_ERROR, span, "a comment begins with '#'", repair=repair)
    _drop(fault, count)
    return True


def _parse(fault: Fault, kinds: list[str]) -> bool:
    return run_states(fault.automaton.table, fault.automaton.stacks.states.copy(), kinds) == len(kinds)


def _line_break_between(text: str, start: int, end: int) -> bool:
    return "\n" in text[start:end] or "\r" in text[start:end]


def keyword_as_name(fault: Fault) -> bool:
    """Return a keyword where a name would do."""
    word, kind = fault.word(fault.token), fault.token.kind
    if kind == "ID" or keywords().get(word) != kind:
        return False
    # The same word may stand in more places of the statement, and the next statement may be wrong as well.
    near, statement = (
        ["ID" if each == kind else each for each in kinds] for kinds in (fault.following(1), fault.statement(1))
    )
    if not _parse(fault, ["ID", *near]) and not (statement[-1] == "SEMI" and _parse(fault, ["ID", *statement])):
        return False
    fault.report_keyword(fault.token)
    _take(fault, "ID", word)
    return True


def block_name(fault: Fault) -> bool:
    """Return the name of a block, misspelt or without its ``@``."""
    word = fault.word(fault.token)
    if fault.token.kind == "B_UNKNOWN":
        foreign = _FOREIGN_BLOCKS.get(word[1:].lower())
        names = close_matches(word[1:], BLOCK_KINDS) if foreign is None else [foreign]
    elif fault.token.kind == "ID" and fault.automaton.token(1).kind == "LBRACE":
        names = [word] if word in BLOCK_KINDS else close_matches(word, BLOCK_KINDS)
    else:
        return False
    for name in map(BlockKind, names):
        if fault.parses([BLOCK_KINDS[name]], 1):
            repair = Repair(f"write '@{name}'", (Edit(span_of(fault.token), f"@{name}"),), safe=False)
            message = f"there is no block '{word}'; did you mean '@{name}'?"
            fault.report(rules.SYNTAX_ERROR, span_of(fault.token), message, fault.context(), repair)
            _take(fault, BLOCK_KINDS[name], f"@{name}")
            return True
    return False


def misspelt_keyword(fault: Fault) -> bool:
    """Repair a word that is almost a keyword, where that keyword could stand."""
    if fault.token.kind != "ID":
        return False
    word, words = fault.word(fault.token), keywords()
    foreign = _FOREIGN_WORDS.get(word)
    if foreign and fault.parses([foreign], 1):
        replace(fault, foreign)
        return True
    for name in close_matches(word, [key for key, kind in words.items() if kind != "TYPE"]):
        if fault.parses([words[name]], 1):
            repair = Repair(f"write '{name}'", (Edit(span_of(fault.token), name),), safe=False)
            message = f"'{word}' can't stand here; did you mean '{name}'?"
            fault.report(rules.SYNTAX_ERROR, span_of(fault.token), message, fault.context(), repair)
            _take(fault, words[name])
            return True
    return False


def glued_keyword(fault: Fault) -> bool:
    """Repair a keyword joined to the next word, as in ``operatorconv``."""
    word, words = fault.word(fault.token), keywords()
    if fault.token.kind != "ID":
        return False
    for keyword in (key for key, kind in words.items() if kind != "TYPE" and word.startswith(key)):
        rest = word[len(keyword) :]
        kind = words.get(rest, "ID")
        if len(keyword) > 2 and fault.parses([words[keyword], kind], 1):
            middle = fault.token.start + len(keyword)
            repair = Repair("insert a space", (Edit(Span(middle, middle), " "),), safe=False)
            message = f"'{word}' can't stand here; did you mean '{keyword} {rest}'?"
            fault.report(rules.SYNTAX_ERROR, span_of(fault.token), message, fault.context(), repair)
            fault.automaton.supply(words[keyword], fault.token.start, middle)
            fault.automaton.supply(kind, middle, fault.token.end, rest)
            fault.automaton.at += 1
            return True
    return False


def else_if(fault: Fault) -> bool:
    """Recover from ``else if`` for ``elif``."""
    stacks = fault.automaton.stacks
    before = stacks.values[-1] if stacks.values else None
    if fault.token.kind != "IF" or not isinstance(before, Token) or before.kind != "ELSE":
        return False
    if not fault.parses(["ELIF"], 1, stacks.states[:-1]):
        return False
    span = Span(before.start, fault.token.end)
    repair = Repair("write 'elif'", (Edit(span, "elif"),))
    fault.report(rules.SYNTAX_ERROR, span, "'else if' is written 'elif'", repair=repair)
    stacks.cut(len(stacks.values) - 1)
    fault.automaton.supply("ELIF", span.start, span.end)
    fault.automaton.at += 1
    return True


def confused(fault: Fault) -> bool:
    """Repair a symbol that is often confused with another one."""
    if fault.token.kind == "SEMI" and fault.ends_line:
        return False
    kinds = _CONFUSED.get(fault.token.kind, ())
    if fault.token.kind == "COMMA" and fault.automaton.token(1).kind == "STRING":
        kinds = ("COLON", *kinds)
    for kind in kinds:
        if fault.parses([kind], 1) and _goes_on(fault, kind):
            replace(fault, kind)
            return True
    return False


def _goes_on(fault: Fault, kind: str) -> bool:
    """Return whether the rest of the statement fits to a replacement: '=' could be much, but mostly it is itself."""
    if fault.token.kind != "ASSIGN":
        return True
    statement = fault.statement(1)
    return statement[-1] != "SEMI" or _parse(fault, [kind, *statement])


def replace(fault: Fault, kind: str) -> None:
    """Take a terminal for the token, and say so."""
    wanted = fault.automaton.table.literals[kind]
    repair = None
    if fault.explanation() is None:  # otherwise the supplied symbol is not the author's intention
        repair = Repair(f"write '{wanted}'", (Edit(span_of(fault.token), wanted),), safe=False)
    message = fault.found_expected(f"'{wanted}'")
    fault.report(rules.SYNTAX_ERROR, span_of(fault.token), message, fault.context(), repair)
    _take(fault, kind)


def insert_one(fault: Fault) -> bool:
    """Insert one missing token."""
    automaton = fault.automaton
    opened = fault.open_brackets()
    closer = CLOSERS[opened[-1].kind] if opened else ""
    # A string after a condition is its message.
    first = ("COLON",) if fault.token.kind == "STRING" else ("COMMA",) if _follows_message(fault) else ()
    for kind in (*first, *_INSERTED):
        if (kind in SYMBOLS and kind in CLOSERS.values() and kind != closer) or not _may_insert(fault, kind):
            continue
        if not fault.parses([kind]):
            continue
        if kind == closer:
            fault.report_unclosed([opened[-1]])
        else:
            fault.report_missing(kind)
        automaton.supply(kind, automaton.last_end, automaton.last_end)
        return True
    return False


def _follows_message(fault: Fault) -> bool:
    """Return whether a value to be printed follows the message of an assertion on its line."""
    automaton = fault.automaton
    if fault.block != "B_ASSERT" or fault.begins_line or automaton.entry is None:
        return False
    return any(token.kind == "STRING" for token in automaton.tokens[automaton.entry.at : automaton.at])


def _may_insert(fault: Fault, kind: str) -> bool:
    values = fault.automaton.stacks.values
    if kind == "ASSIGN" and fault.is_second_shape:
        return False
    if kind == "LBRACE":  # of a block or a definition, never of attributes
        last = values[-1] if values else None
        return isinstance(last, Token) and (last.kind.startswith("B_") or last.kind == "ID")
    if kind == "LPAR":
        return not fault.begins_line and _parse(fault, ["LPAR", *fault.statement()])
    if kind == "BAR":
        return any(isinstance(value, Token) and value.kind == "BAR" for value in values)
    if kind == "COMMA" and fault.begins_line:
        opened = fault.open_brackets()
        return bool(opened) and opened[-1].kind != "LBRACE"
    return True


def doubled(fault: Fault) -> bool:
    """Repair a token that is written twice."""
    automaton, token = fault.automaton, fault.token
    if automaton.at == 0 or token.kind in CLOSERS.values() or token.kind in (END, "ILLEGAL") or not fault.parses([], 1):
        return False
    before = automaton.tokens[automaton.at - 1]
    if before.kind != token.kind or fault.word(before) != fault.word(token):
        return False
    word = fault.word(token)
    repair = Repair(f"remove '{word}'", (Edit(Span(before.end, token.end), ""),), safe=False)
    fault.report(rules.SYNTAX_ERROR, span_of(token), f"'{word}' stands here twice", fault.context(), repair)
    _drop(fault, 1)
    return True


def wrong_for_brace(fault: Fault) -> bool:
    """Repair another token in the position of a brace that opens a block or definition, or that closes a block."""
    automaton, token = fault.automaton, fault.token
    last = automaton.stacks.values[-1] if automaton.stacks.values else None
    opens = isinstance(last, Token) and (last.kind.startswith("B_") or fault.in_head)
    kind = "LBRACE" if opens else "RBRACE"
    if token.kind in ("LBRACE", "RBRACE", END) or not (opens or fault.ends_line) or not fault.parses([kind], 1):
        return False
    if token.kind == "ILLEGAL":
        automaton.supply(kind, token.start, token.end)
        automaton.at += 1
    else:
        replace(fault, kind)
    return True


def extra_brace(fault: Fault) -> bool:
    """Return a closing brace right before the error that was one too many: it is taken back."""
    automaton, token = fault.automaton, fault.token
    if automaton.before_brace is None:
        return False
    remembered, brace, base = automaton.before_brace
    if at_column_zero(automaton.text, brace) and (token.kind in DEFINITION_STARTS or token.kind == END):
        return False  # it closes the definition
    if not fault.parses([], 0, remembered.stacks.states):
        return False
    # Either of the two braces may be the superfluous one; the message is clearer about the second.
    extra = token if token.kind == "RBRACE" else brace
    why = "closes nothing" if extra is token else f"is one too many: {fault.found(token)} follows"
    repair = Repair("remove '}'", (Edit(span_of(extra), ""),), safe=False)
    fault.report(rules.SYNTAX_ERROR, span_of(extra), f"this '}}' {why}", repair=repair)
    automaton.stacks = remembered.restore()
    automaton.builder.base = base
    automaton.before_brace = None
    return True


def delete(fault: Fault) -> bool:
    """Delete one token that is too many; before the brace of a definition more than one."""
    token = fault.token
    if token.kind == END or fault.at_document:
        return False
    count = 1
    while not fault.parses([], count):
        count += 1
        if count > MOST_DELETED_TOKENS or not fault.in_head or fault.automaton.token(count - 1).kind in (END, "LBRACE"):
            return False
    span = Span(token.start, fault.automaton.token(count - 1).end)
    if any(fault.automaton.token(offset).kind == "ILLEGAL" for offset in range(count)):
        _drop(fault, count)  # the tokens have reported it
        return True
    following = fault.automaton.token(count)
    if following.kind == "ASSIGN" and following.start == span.end and token.kind not in CLOSERS.values():
        operator = fault.automaton.text[span.start : following.end]
        span = Span(span.start, following.end)
        fault.report(rules.SYNTAX_ERROR, span, f"there is no assignment '{operator}'", fault.context())
        _drop(fault, count)
        return True
    what = f"'{fault.automaton.text[span.start : span.end]}'"
    repair: Repair | None = Repair(f"remove {what}", (Edit(span, ""),), safe=False)
    if token.kind == "B_UNKNOWN":
        fault.report(rules.SYNTAX_ERROR, span, fault.unknown_block(), fault.context())
        _drop(fault, count)
        return True
    if token.kind in CLOSERS.values():
        message = f"this {what} closes nothing"
    else:
        message = fault.found_expected(found=None if count == 1 else what)
        repair = None if fault.explanation() is not None else repair
    fault.report(rules.SYNTAX_ERROR, span, message, fault.context(), repair)
    _drop(fault, count)
    return True


def attributes_in_parentheses(fault: Fault) -> bool:
    """Report ``f(a=1)(x)`` and ``f(x, a=1)``: attributes in the position of arguments.

    The rest of the statement makes no sense, so it is skipped. The names may or may not be attributes; the parser can't
    know.
    """
    opened = fault.open_brackets()
    if fault.token.kind != "ASSIGN" or not opened or opened[-1].kind != "LPAR" or fault.automaton.at == 0:
        return False
    callee = fault.callee_before(opened[-1])
    if callee is None:
        return False
    name = fault.word(fault.automaton.tokens[fault.automaton.at - 1])
    message = (
        f"arguments have no names: write {callee.text}(…) if '{name}' is an input, "
        f"and {callee.text}{{{name}=…}}(…) if it is an attribute"
    )
    repair = _named_in_braces(fault, callee.text, opened[-1])
    fault.report(rules.SYNTAX_ERROR, span_of(fault.token), message, fault.context(), repair)
    panic(fault.automaton)
    return True


def _named_in_braces(fault: Fault, callee: str, opening: Token) -> Repair | None:
    """Return the repair that gives all named arguments of a call as attributes; None if the call has no end."""
    automaton = fault.automaton
    first = automaton.index_of(opening.start)
    closing = None if first is None else end_of_arguments(automaton, first)
    if first is None or closing is None:
        return None
    given = [*arguments_within(automaton, first, closing)]
    last = closing
    if automaton.tokens[closing + 1 : closing + 2] and automaton.tokens[closing + 1].kind == "LPAR":
        last = end_of_arguments(automaton, closing + 1) or closing
        given += arguments_within(automaton, closing + 1, last)
    named = ", ".join(text for text, is_named in given if is_named)
    others = ", ".join(text for text, is_named in given if not is_named)
    start = first
    while start and automaton.tokens[start - 1].kind in ("ID", "DOT"):
        start -= 1
    span = Span(automaton.tokens[start].start, automaton.tokens[last].end)
    edit = Edit(span, f"{callee}{{{named}}}({others})")
    return rules.syntax.in_braces(edit)


def end_of_arguments(automaton: Automaton, opening: int) -> int | None:
    """Return the index of the bracket that closes the one at ``opening`` in its statement, else None."""
    depth = 0
    for at in range(opening, min(len(automaton.tokens), opening + MOST_TOKENS_OF_BLOCK)):
        kind = automaton.tokens[at].kind
        depth += (kind in CLOSERS) - (kind in CLOSERS.values())
        if depth == 0:
            return at
        if kind == "SEMI":
            return None
    return None


def arguments_within(automaton: Automaton, opening: int, closing: int) -> Iterator[tuple[str, bool]]:
    """Yield the text of each argument between two brackets, and whether it has a name."""
    depth, first = 0, opening + 1
    for at in range(opening + 1, closing + 1):
        kind = automaton.tokens[at].kind
        if at == closing or (depth == 0 and kind == "COMMA"):
            if at > first:
                named = [each.kind for each in automaton.tokens[first : first + 2]] == ["ID", "ASSIGN"]
                yield automaton.text[automaton.tokens[first].start : automaton.tokens[at - 1].end], named
            first = at + 1
        depth += (kind in CLOSERS) - (kind in CLOSERS.values())


def no_arguments(fault: Fault) -> bool:
    """Recover from ``f{a=1};`` or ``f<int>;``: an invocation without the parentheses in which its arguments stand."""
    automaton = fault.automaton
    values = automaton.stacks.values
    ended = values[-1] if values else None
    if fault.block != "B_COMPOSE" or not isinstance(ended, nodes.Attributes | nodes.Generics):
        return False
    if not fault.parses(["LPAR", "RPAR"]):
        return False
    callee = next(value for value in reversed(values) if isinstance(value, nodes.Qualified))
    place = automaton.last_end
    example = f"{callee.text}<…>(…)"
    message = f"an invocation has its inputs in parentheses: write '{example}'"
    if isinstance(ended, nodes.Attributes):
        example = f"{callee.text}{{…}}(…)"
        message = f"an invocation has its inputs in parentheses, after its attributes: write '{example}'"
    repair = Repair("insert '()'", (Edit(Span(place, place), "()"),), safe=False)
    fault.report(rules.SYNTAX_ERROR, Span(place, place), message, fault.context(), repair)
    automaton.supply("LPAR", place, place)
    automaton.supply("RPAR", place, place)
    return True


def skip_rest(fault: Fault) -> bool:
    """Skip to the end of a statement that could have ended here: its declarations are kept."""
    automaton = fault.automaton
    if not run_states(automaton.table, automaton.stacks.states.copy(), ["SEMI"]):
        return False
    for count in range(1, LONGEST_LOOKAHEAD):
        token = automaton.token(count)
        if token.kind == "SEMI":
            break
        if token.kind in ("LBRACE", "RBRACE", END) or token.kind.startswith("B_") or begins_line(automaton.text, token):
            return False
    else:
        return False
    if fault.token.kind != "ILLEGAL":
        fault.report(rules.SYNTAX_ERROR, span_of(fault.token), fault.found_expected(), fault.context())
    automaton.skipped.append(Span(fault.token.start, automaton.token(count - 1).end))
    _drop(fault, count)
    return True
