"""Definitions, imports, statements and semicolons where none can stand. Each is left out, with one message."""

from __future__ import annotations

import re
from itertools import count
from textwrap import dedent

from snd_analysis import rules
from snd_analysis.base import HEAD, Edit, Repair, Span
from snd_analysis.skriptnd.limits import MOST_MOVED_TOKENS
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.automaton import Automaton
from snd_analysis.skriptnd.syntax.recovery.fault import DEFINITION_STARTS, Fault, span_of
from snd_analysis.skriptnd.syntax.table import END
from snd_analysis.skriptnd.syntax.tokens import Token

_AFTER_TARGET = frozenset({"ASSIGN", "COMMA", "LSQB", "COLON"})
_REST_OF_LINE = re.compile(r"[ \t]*(?:\r\n|\n|\r)?")


def nested_definition(fault: Fault) -> bool:
    """Report an operator or a graph inside another one: ``graph main { operator f { … } … }``."""
    automaton = fault.automaton
    head = 1 if fault.token.kind == "PUBLIC" else 0
    kinds = [automaton.token(head + offset).kind for offset in range(3)]
    if not _may_leave_out(fault) or kinds not in (["OPERATOR", "ID", "LBRACE"], ["GRAPH", "ID", "LBRACE"]):
        return False
    closing = _closing(automaton, automaton.at + head + 3)
    if closing is None or automaton.tokens[closing] is automaton.tokens[-1]:
        return False
    keyword, name = automaton.token(head), automaton.token(head + 1)
    outer = _outer(automaton)
    article = "an operator" if keyword.kind == "OPERATOR" else "a graph"
    message = f"{article} can't be defined inside another definition: move '{fault.word(name)}' out of '{outer}'"
    span = Span(keyword.start, name.end)
    whole = _lines(automaton.text, Span(fault.token.start, automaton.tokens[closing].end))
    fault.report(rules.SYNTAX_ERROR, span, message, repair=_moved_out(fault, whole, closing))
    _leave_out(automaton, closing)
    return True


def nested_import(fault: Fault) -> bool:
    """Recover from ``graph main { import nn; … }``: an import inside a definition."""
    automaton = fault.automaton
    if not _may_leave_out(fault) or fault.token.kind != "IMPORT":
        return False
    kinds = iter(automaton.token(offset).kind for offset in count(1))
    length = next((at for at, kind in enumerate(kinds, 1) if kind not in ("ID", "DOT", "COMMA")))
    if length == 1 or automaton.token(length).kind != "SEMI":
        return False
    span = Span(fault.token.start, automaton.token(length).end)
    written = automaton.text[span.start : span.end]
    edits = (Edit(HEAD, written), Edit(_lines(automaton.text, span), ""))
    repair = Repair(f"move '{written}' to the top", edits, safe=False)
    message = f"imports stand above all definitions: move '{written}' to the top of the file"
    fault.report(rules.SYNTAX_ERROR, span, message, repair=repair)
    _leave_out(automaton, automaton.at + length)
    return True


def semicolon_after_brace(fault: Fault) -> bool:
    """Recover from ``@input { … };``: a semicolon after a block or a definition."""
    automaton = fault.automaton
    if fault.token.kind != "SEMI" or not automaton.at or automaton.tokens[automaton.at - 1].kind != "RBRACE":
        return False
    if not (fault.at_document or fault.at_block):
        return False
    repair = Repair("remove ';'", (Edit(span_of(fault.token), ""),))
    what = "a definition" if fault.at_document else "a block"
    fault.report(rules.SYNTAX_ERROR, span_of(fault.token), f"no ';' follows the '}}' of {what}", repair=repair)
    automaton.at += 1
    return True


def statement_outside_block(fault: Fault) -> bool:
    """Recover from ``graph main { … y = nn.relu(x); }``: statements without a block, up to the next block."""
    automaton, first = fault.automaton, fault.automaton.at
    if not fault.at_block or fault.token.kind != "ID" or automaton.token(1).kind not in _AFTER_TARGET:
        return False
    depth, last = 0, first
    for at in range(first, len(automaton.tokens)):
        kind = automaton.tokens[at].kind
        if depth == 0 and (kind == "RBRACE" or kind.startswith("B_") or kind in DEFINITION_STARTS):
            break
        depth += (kind == "LBRACE") - (kind == "RBRACE")
        last = at
    block = {"COLON": "@input { … }", "LSQB": "@lower { … }"}.get(automaton.token(1).kind, "@compose { … }")
    message = f"a statement stands inside a block, such as '{block}'"
    before = automaton.stacks.values[-1]
    if not (isinstance(before, list) and before and isinstance(before[-1], nodes.ErrorBlock)):  # else it is reported
        fault.report(rules.SYNTAX_ERROR, span_of(fault.token), message, fault.context())
    _leave_out(automaton, last)
    return True


def _may_leave_out(fault: Fault) -> bool:
    """Return whether the token begins a definition or an import where a block or an entry is due."""
    row = fault.automaton.table.actions[fault.automaton.stacks.states[-1]]
    return fault.token.kind in DEFINITION_STARTS and not fault.at_document and "ERROR" in row


def _leave_out(automaton: Automaton, last: int) -> None:
    start, end = automaton.token().start, automaton.tokens[last].end
    automaton.skipped.append(Span(start, end))
    automaton.at, automaton.last_end = last + 1, end
    automaton.supply("ERROR", start, end)


def _closing(automaton: Automaton, first: int, depth: int = 1) -> int | None:
    """Return the index of the brace that closes ``depth`` braces which are open at the token ``first``, else None."""
    for at in range(first, min(len(automaton.tokens), first + MOST_MOVED_TOKENS)):
        kind = automaton.tokens[at].kind
        depth += (kind == "LBRACE") - (kind == "RBRACE")
        if depth == 0:
            return at
        if kind == END:
            return None
    return None


def _outer(automaton: Automaton) -> str:
    """Return the name of the definition that is being read."""
    heads = [at for at, value in enumerate(automaton.stacks.values) if _is_head(value)]
    if not heads:
        return "the definition"
    name = automaton.stacks.values[heads[-1] + 1]
    return name.spelling(automaton.text) if isinstance(name, Token) else "the definition"


def _is_head(value: object) -> bool:
    return isinstance(value, Token) and value.kind in ("OPERATOR", "GRAPH")


def _moved_out(fault: Fault, whole: Span, closing: int) -> Repair | None:
    """Return the repair that moves a definition below the one around it; None if the end of that one is not clear."""
    automaton = fault.automaton
    end = _closing(automaton, closing + 1, len([each for each in fault.open_brackets() if each.kind == "LBRACE"]))
    if end is None:
        return None
    place = automaton.tokens[end].end
    moved = dedent(automaton.text[whole.start : whole.end]).strip()
    edits = (Edit(whole, ""), Edit(Span(place, place), f"\n\n{moved}"))
    return Repair("move it out", edits, safe=False)


def _lines(text: str, span: Span) -> Span:
    """Return the span with the blanks before it and the line break after it."""
    start = span.start
    while start and text[start - 1] in " \t":
        start -= 1
    rest = _REST_OF_LINE.match(text, span.end)
    return Span(start, rest.end() if rest else span.end)
