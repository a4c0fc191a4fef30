"""Going on after a syntax error.

First a repair is looked for: a token to insert, delete or replace, brackets to close, a closing brace to take back. One
is accepted only if the tokens behind it then parse, tried on a copy of the states. If none is, the broken statement
becomes an error node up to its ';', its block or its definition. The search is capped, so that a text that is no
SkriptND at all costs no more than a long one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snd_analysis import rules
from snd_analysis.skriptnd.syntax import repairs, rereading, wrong_brackets
from snd_analysis.skriptnd.syntax.fault import Fault, span_of
from snd_analysis.skriptnd.syntax.panic import panic
from snd_analysis.skriptnd.syntax.tokens import Token, begins_line
from snd_analysis.skriptnd.syntax.unfinished import swallowed_brace, unended_line, unfinished, unfinished_item

if TYPE_CHECKING:
    from snd_analysis.skriptnd.syntax.parser import Run

NEAR = 8
"""Errors at most so many tokens apart are judged together."""
_MOST_IN_A_ROW = 3
_NEVER_FIRST = frozenset({
    "LPAR", "RPAR", "LSQB", "RSQB", "SEMI", "COMMA", "COLON", "DOTS", "ASSIGN", "LT", "LE", "GT", "GE", "EQ", "NE",
    "MIN", "MAX", "PLUS", "STAR", "BAR",
})  # fmt: skip
# The first that can be taken is taken: what explains the most comes first.
_REPAIRS: tuple[repairs.RepairFunction, ...] = (
    repairs.wrong_for_brace,
    repairs.leave_out_illegal,
    repairs.foreign_comment,
    rereading.foreign_word,
    rereading.not_equal,
    rereading.label_without_quotes,
    rereading.block_for_attributes,
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
    """Brings a run past its errors, and reports them."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._in_a_row = 0
        self._head_is_broken = False
        self._last_at = -NEAR

    def recover(self) -> None:
        """Changes the state of the run so that it can go on; always makes progress."""
        run = self._run
        fault = Fault(run)
        if run.too_deep:
            fault.report(rules.NESTING_TOO_DEEP, span_of(fault.token), "brackets or operators nest too deeply here")
            panic(run, whole=True)
            return
        if repairs.keyword_as_name(fault) or (self._may_repair() and any(repair(fault) for repair in _REPAIRS)):
            return
        known = fault.token.kind == "ILLEGAL" or _belongs_to_reported(fault) or self._belongs_to_definition(fault)
        if not known:
            _report(fault)
        panic(run)

    def _belongs_to_definition(self, fault: Fault) -> bool:
        """Whether a definition without a readable head goes on: its blocks and its brace."""
        belongs = fault.at_document and self._head_is_broken
        self._head_is_broken = self._head_is_broken or fault.at_document
        return belongs and (fault.token.kind.startswith("B_") or fault.token.kind == "RBRACE")

    def _may_repair(self) -> bool:
        """Errors that follow one another closely are no slips: from the fourth on, nothing is guessed."""
        at = self._run.at
        self._in_a_row = self._in_a_row + 1 if at - self._last_at <= NEAR else 1
        self._last_at = at
        return self._in_a_row <= _MOST_IN_A_ROW


def _belongs_to_reported(fault: Fault) -> bool:
    """Whether a piece of a broken statement was taken for one of its own: it follows on the same line, and is part of
    a formula, or begins as no statement does."""
    run, entry = fault.run, fault.run.entry
    if fault.begins_entry and fault.token.kind in _NEVER_FIRST:
        last_problem = run.builder.problems[-1:]
        return bool(last_problem) and not _line_break(run.text, last_problem[0].span.start, fault.token.start)
    if not any(isinstance(value, Token) and value.kind == "B_LOWER" for value in run.stacks.values):
        return False
    if entry is None or not run.builder.problems or entry.at >= len(run.tokens):
        return False
    if begins_line(run.text, run.tokens[entry.at]):
        return False
    start, last = run.tokens[entry.at].start, run.builder.problems[-1].span
    return last.start < start and not _line_break(run.text, last.start, start)


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
    elif token.kind == "TYPE" and fault.run.token(1).kind == "ID":
        name, type_ = fault.word(fault.run.token(1)), fault.word(token)
        message = f"a type stands behind its name: write '{name}: {type_}'"
    fault.report(rules.SYNTAX_ERROR, fault.place(), message, fault.context())
