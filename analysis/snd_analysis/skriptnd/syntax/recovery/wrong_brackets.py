"""Repairs of brackets that are wrong, missing or superfluous; both brackets of a pair are one mistake."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.base import Edit, Repair, Span
from snd_analysis.skriptnd.limits import MOST_DELETED_TOKENS, MOST_TOKENS_OF_BLOCK
from snd_analysis.skriptnd.syntax.automaton import Automaton
from snd_analysis.skriptnd.syntax.recovery.fault import CLOSERS, DEFINITION_STARTS, Fault, span_of
from snd_analysis.skriptnd.syntax.recovery.panic import panic
from snd_analysis.skriptnd.syntax.table import END, run_states
from snd_analysis.skriptnd.syntax.tokens import Token, begins_line

_FARTHEST = 60
_AFTER = 2


def shape_in_parentheses(fault: Fault) -> bool:
    """Recover from ``x: real(n)`` for ``x: real[n]``."""
    automaton = fault.automaton
    closing = _closing(fault)
    if fault.token.kind != "LPAR" or closing is None:
        return False
    inner = [automaton.token(offset).kind for offset in range(1, closing)]
    after = [automaton.token(offset).kind for offset in range(closing + 1, closing + 1 + _AFTER)]
    if not _parse(fault, ["LSQB", *inner, "RSQB", *after]):
        return False
    opening, closer = fault.token, automaton.token(closing)
    text = automaton.text[opening.end : closer.start]
    repair = Repair(f"write [{text}]", (Edit(span_of(opening), "["), Edit(span_of(closer), "]")), safe=False)
    message = f"this needs brackets, not parentheses: write [{text}]"
    fault.report(rules.SYNTAX_ERROR, span_of(opening), message, fault.context(), repair)
    last = automaton.at + closing
    automaton.supply("LSQB", opening.start, opening.end)
    automaton.at += 1
    automaton.advance(limit=last)
    automaton.supply("RSQB", closer.start, closer.end)
    automaton.at += 1
    return True


def parentheses_around_results(fault: Fault) -> bool:
    """Repair ``(a, b) = f(x);`` as ``a, b = f(x);``."""
    automaton = fault.automaton
    closing = _closing(fault)
    if fault.token.kind != "LPAR" or not fault.begins_statement or closing is None:
        return False
    inner = [automaton.token(offset).kind for offset in range(1, closing)]
    after = [automaton.token(offset).kind for offset in range(closing + 1, closing + 1 + _AFTER)]
    if after[:1] != ["ASSIGN"] or not _parse(fault, [*inner, *after]):
        return False
    opening, closer = fault.token, automaton.token(closing)
    repair = Repair("remove the parentheses", (Edit(span_of(opening), ""), Edit(span_of(closer), "")), safe=False)
    message = "write results without parentheses, separated by commas"
    fault.report(rules.SYNTAX_ERROR, Span(opening.start, closer.end), message, fault.context(), repair)
    last = automaton.at + closing
    automaton.at += 1
    automaton.advance(limit=last)
    automaton.at += 1
    return True


def wrong_brackets_of_block(fault: Fault) -> bool:
    """Recover from ``@input ( x: real[n]; )`` and ``operator f ( … )``.

    Lists of parameters as in ``@input (x: real[n])`` are repaired, too.
    """
    automaton, opening = fault.automaton, fault.token
    last = automaton.stacks.values[-1] if automaton.stacks.values else None
    begun = last.kind if isinstance(last, Token) else ""
    closing = _partner(automaton)
    if opening.kind not in ("LPAR", "LSQB") or closing is None or not (begun.startswith("B_") or fault.in_head):
        return False
    if fault.in_head != automaton.token(1).kind.startswith("B_"):
        return False
    tokens = list(automaton.tokens)
    closer = tokens[closing]
    tokens[automaton.at] = Token("LBRACE", opening.start, opening.end)
    tokens[closing] = Token("RBRACE", closer.start, closer.end)
    edits = [Edit(span_of(opening), "{"), Edit(span_of(closer), "}")]
    before = tokens[closing - 1]
    if begun == "B_PARAM" and before.kind not in ("SEMI", "LBRACE"):
        commas = _separators(tokens, automaton.at + 1, closing)
        for at in commas:
            tokens[at] = Token("SEMI", tokens[at].start, tokens[at].end)
        tokens.insert(closing, Token("SEMI", before.end, before.end))
        ends = [Edit(span_of(tokens[at]), ";") for at in commas]
        edits[1:1] = [*ends, Edit(Span(before.end, before.end), ";")]
    what = f"the block '{fault.word(last)}'" if isinstance(last, Token) and begun.startswith("B_") else "a definition"
    message = f"{what} has braces, not {'parentheses' if opening.kind == 'LPAR' else 'brackets'}: write '{{ … }}'"
    repair = Repair("write '{' and '}'", tuple(edits), safe=False)
    fault.report(rules.SYNTAX_ERROR, span_of(opening), message, fault.context(), repair)
    automaton.tokens = tokens
    return True


def _partner(automaton: Automaton) -> int | None:
    """Return the index of the token that closes the bracket at the next token, None if there is none."""
    opening = automaton.token().kind
    closer, depth = CLOSERS.get(opening), 0
    for at in range(automaton.at, min(len(automaton.tokens), automaton.at + MOST_TOKENS_OF_BLOCK)):
        kind = automaton.tokens[at].kind
        depth += (kind == opening) - (kind == closer)
        if depth == 0:
            return at
        if kind in DEFINITION_STARTS:
            return None
    return None


def _separators(tokens: list[Token], first: int, end: int) -> list[int]:
    """Return the indices of the commas outside of all brackets."""
    depth, found = 0, []
    for at in range(first, end):
        depth += (tokens[at].kind in CLOSERS) - (tokens[at].kind in CLOSERS.values())
        if depth == 0 and tokens[at].kind == "COMMA":
            found.append(at)
    return found


def parameters_after_name(fault: Fault) -> bool:
    """Report ``operator f(x: real[n]) {`` and ``operator f<T: num> {``: declarations of blocks after the name."""
    automaton, first = fault.automaton, fault.token
    if not fault.in_head or first.kind not in ("LPAR", "LT", "LGENERIC", "LSQB"):
        return False
    count = next((at for at in range(MOST_DELETED_TOKENS) if automaton.token(at).kind in ("LBRACE", END)), 0)
    if count == 0 or automaton.token(count).kind == END:
        return False
    span = Span(first.start, automaton.token(count - 1).end)
    message = "inputs and attributes have no list after the name: declare them in '@input { … }' and '@attrib { … }'"
    if first.kind in ("LT", "LGENERIC"):
        message = "generic types have no list after the name: declare them in a block, as in '@dtype { T: num; }'"
    fault.report(rules.SYNTAX_ERROR, span, message, fault.context())
    automaton.skipped.append(span)
    automaton.at += count
    automaton.last_end = span.end
    automaton.advance(limit=automaton.at + 1)
    automaton.supply("ERROR", automaton.last_end, automaton.last_end)
    return True


def block_without_braces(fault: Fault) -> bool:
    """Recover from ``@input x: real[n];`` and ``@input: x: real[n];`` for ``@input { x: real[n]; }``."""
    automaton = fault.automaton
    block = automaton.stacks.values[-1] if automaton.stacks.values else None
    colon = int(fault.token.kind == "COLON")
    count = _entries(fault)
    if not isinstance(block, Token) or not block.kind.startswith("B_") or count <= colon:
        return False
    inner = [automaton.token(offset).kind for offset in range(colon, count)]
    if not _parse(fault, ["LBRACE", *inner, "RBRACE"]):
        return False
    start, end, last = fault.token.start, automaton.token(count - 1).end, automaton.at + count
    opening = Span(start, fault.token.end if colon else start)
    edits = Edit(opening, " {" if colon else "{ "), Edit(Span(end, end), " }")
    repair = Repair("insert '{' and '}'", edits, safe=False)
    message = f"a block needs braces: write '{fault.word(block)} {{ … }}'"
    fault.report(rules.SYNTAX_ERROR, span_of(fault.token), message, fault.context(), repair)
    automaton.supply("LBRACE", start, start)
    automaton.at += colon
    automaton.advance(limit=last)
    automaton.supply("RBRACE", end, end)
    return True


def _entries(fault: Fault) -> int:
    """Return how many tokens stand before the next block or the end of the definition; 0 if a brace ends the block."""
    automaton, open_brackets = fault.automaton, 0
    for offset in range(_FARTHEST):
        token = automaton.token(offset)
        if _ends_definition(token) or token.kind.startswith("B_"):
            return offset if open_brackets == 0 else 0
        if token.kind in CLOSERS:
            open_brackets += 1
        elif token.kind in CLOSERS.values():
            if open_brackets == 0:
                return offset if _ends_definition(automaton.token(offset + 1)) else 0
            open_brackets -= 1
    return 0


def _ends_definition(following: Token) -> bool:
    return following.kind in DEFINITION_STARTS or following.kind == END


def block_without_results(fault: Fault) -> bool:
    """Report ``{ … }`` as a statement, which is skipped as a whole."""
    automaton = fault.automaton
    if fault.token.kind != "LBRACE" or not fault.begins_statement or not _parse(fault, ["TILDE", "ASSIGN", "LBRACE"]):
        return False
    message = "a block in braces is the right side of a statement: write 'results = { … };'"
    fault.report(rules.SYNTAX_ERROR, span_of(fault.token), message, fault.context())
    panic(automaton, block=True)
    return True


def _closing(fault: Fault) -> int | None:
    """Return how many tokens ahead the bracket stands that closes the one at the error on its line, else None."""
    if fault.token.kind not in CLOSERS:
        return None
    automaton, open_brackets = fault.automaton, 0
    for offset in range(_FARTHEST):
        token = automaton.token(offset)
        if (
            token.kind in (END, "SEMI")
            or token.kind.startswith("B_")
            or (offset and begins_line(automaton.text, token))
        ):
            return None
        if token.kind in CLOSERS:
            open_brackets += 1
        elif token.kind in CLOSERS.values():
            open_brackets -= 1
            if open_brackets == 0:
                return offset if token.kind == CLOSERS[fault.token.kind] else None
    return None


def _parse(fault: Fault, kinds: list[str]) -> bool:
    return run_states(fault.automaton.table, fault.automaton.stacks.states.copy(), kinds) == len(kinds)
