"""Going on after a syntax error.

First a repair is looked for: a token to insert, delete or replace, brackets to close, a closing brace to take back. One
is accepted only if the tokens after it then parse, tried on a copy of the states. If none is, the broken statement
becomes an error node up to its ';', its block or its definition. The search is capped, so that a text that is no
SkriptND at all costs no more than a long one.
"""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.skriptnd.syntax.automaton import Automaton
from snd_analysis.skriptnd.syntax.limits import MOST_ERRORS_IN_A_ROW
from snd_analysis.skriptnd.syntax.recovery import repairs, rereading, wrong_brackets
from snd_analysis.skriptnd.syntax.recovery.fault import Fault, span_of
from snd_analysis.skriptnd.syntax.recovery.panic import panic
from snd_analysis.skriptnd.syntax.recovery.unfinished import (
    swallowed_brace,
    unended_line,
    unfinished,
    unfinished_item,
)
from snd_analysis.skriptnd.syntax.tokens import Token, begins_line

NEAR = 8
"""Errors at most so many tokens apart are judged together."""
_NEVER_FIRST = frozenset({
    "LPAR", "RPAR", "LSQB", "RSQB", "SEMI", "COMMA", "COLON", "DOTS", "ASSIGN", "LT", "LE", "GT", "GE", "EQ", "NE",
    "MIN", "MAX", "PLUS", "STAR", "BAR",
})  # fmt: skip
# The first that can be taken is taken: what explains the most comes first.
_REPAIRS: tuple[repairs.RepairFunction, ...] = (
    repairs.wrong_for_brace,
    repairs.leave_out_illegal,
    repairs.foreign_comment,
    wrong_brackets.block_without_braces,
    rereading.foreign_word,
    rereading.empty_generics,
    rereading.not_equal,
    rereading.stray_comma,
    rereading.no_fold,
    rereading.label_without_quotes,
    rereading.label_that_is_no_name,
    rereading.printed_without_message,
    rereading.range_of_extents,
    rereading.statement_without_results,
    rereading.tuple_for_list,
    rereading.block_for_attributes,
    rereading.block_without_opening,
    rereading.semicolon_in_formula,
    wrong_brackets.parentheses_around_results,
    wrong_brackets.shape_in_parentheses,
    wrong_brackets.block_without_results,
    repairs.doubled,
    repairs.block_name,
    repairs.misspelt_keyword,
    repairs.glued_keyword,
    repairs.else_if,
    repairs.attributes_in_parentheses,
    repairs.no_arguments,
    rereading.keyword_before,
    swallowed_brace,
    unfinished,
    repairs.confused,
    repairs.insert_one,
    repairs.extra_brace,
    unended_line,
    repairs.delete,
    unfinished_item,
    repairs.skip_rest,
)


class Recovery:
    """Brings an automaton past its errors, and reports them."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self._in_a_row = 0
        self._head_is_broken = False
        self._last_at = -NEAR

    def recover(self) -> None:
        """Change the state of the automaton so that it can go on; always makes progress."""
        automaton = self._automaton
        fault = Fault(automaton)
        if automaton.too_deep:
            fault.report(rules.NESTING_TOO_DEEP, span_of(fault.token), rules.nesting_too_deep.MESSAGE)
            panic(automaton, whole=True)
            return
        if repairs.keyword_as_name(fault) or (self._may_repair() and any(repair(fault) for repair in _REPAIRS)):
            return
        known = fault.token.kind == "ILLEGAL" or _belongs_to_reported(fault) or self._belongs_to_definition(fault)
        if not known:
            _report(fault)
        panic(automaton)

    def _belongs_to_definition(self, fault: Fault) -> bool:
        """Return whether a definition without a readable head goes on: its blocks and its brace."""
        belongs = fault.at_document and self._head_is_broken
        self._head_is_broken = self._head_is_broken or fault.at_document
        return belongs and (fault.token.kind.startswith("B_") or fault.token.kind == "RBRACE")

    def _may_repair(self) -> bool:
        """Errors that follow one another closely are no slips: from the fourth on, nothing is guessed."""
        at = self._automaton.at
        self._in_a_row = self._in_a_row + 1 if at - self._last_at <= NEAR else 1
        self._last_at = at
        return self._in_a_row <= MOST_ERRORS_IN_A_ROW


def _belongs_to_reported(fault: Fault) -> bool:
    """Return whether a piece of a broken statement was taken for one of its own: it follows on the same line, and is
    part of a formula, or begins as no statement does."""
    automaton, entry = fault.automaton, fault.automaton.entry
    if fault.begins_entry and fault.token.kind in _NEVER_FIRST:
        last_problem = automaton.builder.problems[-1:]
        return bool(last_problem) and not _line_break(automaton.text, last_problem[0].span.start, fault.token.start)
    if not any(isinstance(value, Token) and value.kind == "B_LOWER" for value in automaton.stacks.values):
        return False
    if entry is None or not automaton.builder.problems or entry.at >= len(automaton.tokens):
        return False
    if begins_line(automaton.text, automaton.tokens[entry.at]):
        return False
    start, last = automaton.tokens[entry.at].start, automaton.builder.problems[-1].span
    return last.start < start and not _line_break(automaton.text, last.start, start)


def _line_break(text: str, start: int, end: int) -> bool:
    return "\n" in text[start:end] or "\r" in text[start:end]


def _report(fault: Fault) -> None:
    token = fault.token
    message = fault.found_expected()
    if token.kind == "B_UNKNOWN":
        message = fault.unknown_block()
    elif fault.at_document and token.kind.startswith("B_"):
        message = f"the block '{fault.word(token)}' stands in no operator or graph"
    elif fault.at_document and fault.word(token) in ("version", "extension"):
        message = f"'{fault.word(token)}' stands at the start of a document, as in 'version 2.0;' or 'extension NAME;'"
    elif fault.at_document and fault.word(token) == "from":
        message = "a module is imported as a whole: write 'import nn;', and 'nn.relu' for its operators"
    elif token.kind == "TYPE" and fault.automaton.token(1).kind == "ID":
        name, type_ = fault.word(fault.automaton.token(1)), fault.word(token)
        message = f"a type stands after its name: write '{name}: {type_}'"
    fault.report(rules.SYNTAX_ERROR, fault.place(), message, fault.context())
