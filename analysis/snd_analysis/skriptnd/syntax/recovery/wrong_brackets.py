"""Repairs of brackets that are wrong, missing or around what needs none; both brackets of a pair are one mistake."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.base import Edit, Repair, Span
from snd_analysis.skriptnd.syntax.recovery.fault import CLOSERS, DEFINITION_STARTS, Fault, span_of
from snd_analysis.skriptnd.syntax.recovery.panic import panic
from snd_analysis.skriptnd.syntax.stacks import run_states
from snd_analysis.skriptnd.syntax.table import END
from snd_analysis.skriptnd.syntax.tokens import Token, begins_line

_FARTHEST = 60
_AFTER = 2


def shape_in_parentheses(fault: Fault) -> bool:
    """``x: real(n)`` for ``x: real[n]``."""
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
    """``(a, b) = f(x);`` for ``a, b = f(x);``."""
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


def block_without_braces(fault: Fault) -> bool:
    """``@input x: real[n];`` for ``@input { x: real[n]; }``."""
    automaton = fault.automaton
    block = automaton.stacks.values[-1] if automaton.stacks.values else None
    count = _entries(fault)
    if not isinstance(block, Token) or not block.kind.startswith("B_") or not count:
        return False
    inner = [automaton.token(offset).kind for offset in range(count)]
    if not _parse(fault, ["LBRACE", *inner, "RBRACE"]):
        return False
    start, end, last = fault.token.start, automaton.token(count - 1).end, automaton.at + count
    repair = Repair("insert '{' and '}'", (Edit(Span(start, start), "{ "), Edit(Span(end, end), " }")), safe=False)
    message = f"a block needs braces: write '{fault.word(block)} {{ … }}'"
    fault.report(rules.SYNTAX_ERROR, span_of(fault.token), message, fault.context(), repair)
    automaton.supply("LBRACE", start, start)
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
    """``{ … }`` as a statement: it is given up as a whole."""
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
