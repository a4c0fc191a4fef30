"""Statements that end before they are complete: at a line that begins the next one, at a brace, at a definition.

Missing parts are supplied: brackets are closed, and a name without letters replaces a missing operand. Such a repair is
taken if the statement after it then parses.
"""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis import rules
from snd_analysis.base import Span
from snd_analysis.skriptnd.limits import LONGEST_COMPLETION, LONGEST_UNFINISHED_ENTRY, LONGEST_UNFINISHED_LINE
from snd_analysis.skriptnd.syntax.automaton import Automaton
from snd_analysis.skriptnd.syntax.recovery.fault import CLOSERS, DEFINITION_STARTS, SYMBOLS, Fault
from snd_analysis.skriptnd.syntax.recovery.repairs import replace
from snd_analysis.skriptnd.syntax.table import END, ParseTable, run_states
from snd_analysis.skriptnd.syntax.tokens import Token, at_column_zero, begins_line

# Tokens that complete a statement, in the order of preference: those that end it first, then the shortest way there.
_COMPLETIONS = (
    "SEMI", "RPAR", "RSQB", "RBRACE", "ID", "THEN", "ELSE", "DO", "ASSIGN", "COLON", "BAR", "LPAR", "LBRACE",
)  # fmt: skip


def unfinished(fault: Fault) -> bool:
    """Complete the statement before the token's line, or before the token."""
    if fault.begins_line:
        return _complete(fault, fault.statement())
    if _complete_before_line(fault):
        return True
    kind = fault.token.kind
    if kind == "SEMI":
        return fault.ends_line and _complete(fault, fault.following())
    ends = kind in ("RBRACE", END) or kind in DEFINITION_STARTS or kind.startswith("B_")
    return ends and _complete(fault, fault.following())


def unended_line(fault: Fault) -> bool:
    """End a statement that could end with its line, though the next line has an error as well."""
    if not fault.begins_line or not fault.parses_some(["SEMI"], 2):
        return False
    _supply(fault, ["SEMI"])
    return True


def unfinished_item(fault: Fault) -> bool:
    """Complete an item before the comma or the bracket that ends it."""
    return fault.token.kind in ("COMMA", "RPAR", "RSQB", "SEMI") and _complete(fault, fault.following())


def swallowed_brace(fault: Fault) -> bool:
    """Repair a closing brace right before the error that closed an inner construct instead of an outer one."""
    automaton, token = fault.automaton, fault.token
    if (
        automaton.before_brace is None
        or automaton.at == 0
        or automaton.tokens[automaton.at - 1] is not automaton.before_brace[1]
    ):
        return False
    remembered, brace, base = automaton.before_brace
    ends_definition = token.kind in DEFINITION_STARTS or token.kind == END
    if ends_definition and not at_column_zero(automaton.text, brace):
        return False
    following = ["RBRACE", *fault.following()]
    completion = _completion(automaton.table, remembered.stacks.states, following)
    if not completion:
        return False
    automaton.stacks = remembered.restore()
    automaton.builder.base = base
    automaton.before_brace = None
    automaton.at -= 1
    automaton.last_end = automaton.tokens[automaton.at - 1].end
    _supply(Fault(automaton), completion)
    return True


def _complete_before_line(fault: Fault) -> bool:
    automaton = fault.automaton
    line = min(automaton.at, len(automaton.tokens) - 1)
    while line >= 0 and not begins_line(automaton.text, automaton.tokens[line]):
        line -= 1
    if automaton.at - line > LONGEST_UNFINISHED_LINE:
        return False
    entry = automaton.entry
    if (
        entry is None
        or not entry.at < line < entry.at + LONGEST_UNFINISHED_ENTRY
        or len(automaton.stacks.states) <= entry.depth
    ):
        return False
    states = automaton.stacks.states[: entry.depth + 1]
    read = [token.kind for token in automaton.tokens[entry.at : line]]
    if run_states(automaton.table, states, read) < len(read):
        return False  # there was another error in between
    following = fault.statement(line - automaton.at)
    if len(following) <= automaton.at - line:
        return False
    completion = _completion(automaton.table, states, following)
    if completion:
        automaton.rewind(line)
        _supply(Fault(automaton), completion)
        return True
    return read[-1] == "COMMA" and _comma_for_semicolon(automaton, line - 1, read, following)


def _comma_for_semicolon(automaton: Automaton, comma: int, read: list[str], following: list[str]) -> bool:
    assert automaton.entry is not None
    wanted = [*read[:-1], "SEMI", *following]
    if run_states(automaton.table, automaton.stacks.states[: automaton.entry.depth + 1], wanted) < len(wanted):
        return False
    automaton.rewind(comma)
    fault = Fault(automaton)
    replace(fault, "SEMI")
    return True


def _complete(fault: Fault, following: list[str]) -> bool:
    completion = _completion(fault.automaton.table, fault.automaton.stacks.states, following)
    if not completion or _begins_nameless_definition(fault):
        return False
    _supply(fault, completion)
    return True


def _begins_nameless_definition(fault: Fault) -> bool:
    last = fault.automaton.stacks.values[-1] if fault.automaton.stacks.values else None
    return isinstance(last, Token) and last.kind in ("PUBLIC", "OPERATOR", "GRAPH")


def _completion(table: ParseTable, states: Sequence[int], following: Sequence[str]) -> list[str] | None:
    """Return tokens after which ``following`` parses; None if none of the usual completions work."""
    current, supplied = list(states), list[str]()
    while len(supplied) < LONGEST_COMPLETION:
        if supplied and run_states(table, current.copy(), following) == len(following):
            return supplied
        for kind in _COMPLETIONS:
            attempt = current.copy()
            if run_states(table, attempt, [kind]):
                supplied.append(kind)
                current = attempt
                break
        else:
            return None
    return None


def _supply(fault: Fault, completion: list[str]) -> None:
    _report(fault, completion)
    place = fault.automaton.last_end
    for kind in completion:
        fault.automaton.supply(kind, place, place)


def _report(fault: Fault, completion: list[str]) -> None:
    unclosed = _closed_by(completion, fault.open_brackets())
    if unclosed:
        simple = all(kind == "SEMI" or kind in CLOSERS.values() for kind in completion)
        literals = fault.automaton.table.literals
        return fault.report_unclosed(unclosed, "".join(literals[kind] for kind in completion) if simple else "")
    end = fault.automaton.last_end
    if len(completion) == 1 and completion != ["ID"]:
        return fault.report_missing(completion[0])
    if fault.begins_line and fault.token.kind != END:
        message = fault.found_expected(found="the end of the line")
        return fault.report(rules.SYNTAX_ERROR, Span(end, end), message, fault.context())
    return fault.report(rules.SYNTAX_ERROR, fault.place(), fault.found_expected(), fault.context())


def _closed_by(completion: list[str], opened: list[Token]) -> list[Token]:
    """Return the brackets of the text that the completion closes, innermost first."""
    pending: list[Token | None] = list(opened)
    closed: list[Token] = []
    for kind in completion:
        if kind in CLOSERS:
            pending.append(None)
        elif kind in SYMBOLS and pending:
            bracket = pending.pop()
            if bracket is not None:
                closed.append(bracket)
    return closed
