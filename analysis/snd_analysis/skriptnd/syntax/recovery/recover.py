"""Going on after a syntax error.

First a repair is looked for: a token to insert, delete or replace, brackets to close, a closing brace to take back. One
is accepted only if the tokens after it then parse, tried on a copy of the states. If none is, the broken statement
becomes an error node up to its ';', its block or its definition. The search is capped, so that a text that is no
SkriptND at all costs no more than a long one.
"""

from __future__ import annotations

import re

from snd_analysis import rules
from snd_analysis.base import Edit, Repair
from snd_analysis.skriptnd.limits import MOST_ERRORS_IN_A_ROW
from snd_analysis.skriptnd.syntax.automaton import Automaton
from snd_analysis.skriptnd.syntax.recovery import misplaced, missing_symbols, repairs, rereading, wrong_brackets
from snd_analysis.skriptnd.syntax.recovery.fault import DEFINITION_STARTS, Fault, span_of
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
_HEADERS = {"version": "'version 2.0;'", "extension": "'extension NAME;'"}
_FUNCTIONS = frozenset({"def", "func", "fn", "function", "fragment", "class", "model", "module", "void"})
_HEADS = {
    "IF": "if c then … else …;'", "FOR": "for x: xs do …;'", "WHILE": "with t = x while c do …;'",
    "DO": "with t = x do..(n) …;'", "WITH": "with t = x do..(n) …;'", "UNROLL": "for x: xs unroll …;'",
}  # fmt: skip
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
# The first applicable repair is taken: those that explain the most come first.
_REPAIRS: tuple[repairs.RepairFunction, ...] = (
    misplaced.nested_definition,
    misplaced.nested_import,
    missing_symbols.missing_dot,
    missing_symbols.colons_for_dot,
    missing_symbols.name_of_several_words,
    missing_symbols.remap_without_bars,
    missing_symbols.attribute_without_name,
    wrong_brackets.wrong_brackets_of_block,
    wrong_brackets.parameters_after_name,
    wrong_brackets.block_without_braces,
    repairs.wrong_for_brace,
    repairs.leave_out_illegal,
    repairs.foreign_comment,
    rereading.foreign_word,
    rereading.empty_generics,
    rereading.not_equal,
    rereading.stray_comma,
    rereading.no_fold,
    rereading.label_without_quotes,
    rereading.message_without_quotes,
    rereading.count_of_loop,
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
    missing_symbols.argument_without_parentheses,
    repairs.no_arguments,
    rereading.keyword_before,
    swallowed_brace,
    unfinished,
    repairs.confused,
    repairs.insert_one,
    repairs.extra_brace,
    misplaced.statement_outside_block,
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
            fault.report(rules.NESTING_TOO_DEEP, span_of(fault.token), rules.syntax.TOO_DEEP)
            panic(automaton, whole=True)
            return
        if repairs.keyword_as_name(fault) or misplaced.semicolon_after_brace(fault):
            return
        if self._may_repair() and any(repair(fault) for repair in _REPAIRS):
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
        """Return whether to try repairs. Errors close together are no slips: from the fourth on nothing is guessed."""
        at = self._automaton.at
        self._in_a_row = self._in_a_row + 1 if at - self._last_at <= NEAR else 1
        self._last_at = at
        return self._in_a_row <= MOST_ERRORS_IN_A_ROW


def _belongs_to_reported(fault: Fault) -> bool:
    """Return whether a part of a broken statement was taken for a statement of its own.

    Such a part follows on the same line, and is part of a formula, or begins as no statement does.
    """
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
    repair = None
    if token.kind == "B_UNKNOWN":
        message = fault.unknown_block()
    elif fault.at_document and token.kind.startswith("B_"):
        message = f"the block '{fault.word(token)}' stands in no operator or graph"
    elif fault.at_document and fault.word(token) in _HEADERS:
        message, repair = _header(fault)
    elif fault.at_document and fault.word(token) == "from":
        first, second = fault.automaton.token(1), fault.automaton.token(3)
        module = fault.word(first) if first.kind == "ID" else "nn"
        operator = fault.word(second) if second.kind == "ID" else "NAME"
        message = (
            f"a module is imported as a whole: write 'import {module};', and '{module}.{operator}' for its operators"
        )
    elif fault.at_document and fault.word(token) in ("include", "using", "require"):
        message = "a module is imported by its name, as in 'import nn;'"
    elif fault.at_document and fault.word(token) in _FUNCTIONS:
        message = f"there is no '{fault.word(token)}': write 'operator NAME {{ … }}' or 'graph NAME {{ … }}'"
    elif token.kind == "TYPE" and fault.block == "B_PARAM" and (name := _name_after_type(fault)) is not None:
        type_ = fault.automaton.text[token.start : fault.automaton.tokens[name - 1].end]
        word = fault.word(fault.automaton.tokens[name])
        message = f"a type stands after its name: write '{word}: {type_}'"
    elif token.kind == "FOR" and fault.block == "B_LOWER":
        message = "a formula has no 'for': write the bounds of its indices after it, as in 'y[i,] = x[i,], i < n'"
    elif token.kind in _HEADS and fault.begins_statement:
        message = f"a statement begins with its results: write 'y = {_HEADS[token.kind]}"
    fault.report(rules.SYNTAX_ERROR, fault.place(), message, fault.context(), repair)


def _header(fault: Fault) -> tuple[str, Repair | None]:
    """Return the message of a wrong 'version' or 'extension', and the repair of a number in quotes."""
    word, after = fault.word(fault.token), fault.automaton.token(1)
    if any(each.kind in DEFINITION_STARTS for each in fault.automaton.tokens[: fault.automaton.at]):
        return f"'{word}' stands at the start of a document, as in {_HEADERS[word]}", None
    number = fault.word(after).strip("'\"")
    if word == "version" and after.kind == "STRING" and _NUMBER.fullmatch(number):
        repair = Repair(f"write {number}", (Edit(span_of(after), number),), safe=False)
        return f"a version is a number without quotes: write 'version {number};'", repair
    if word == "version":
        return "a version is a number, as in 'version 2.0;'", None
    return "an extension is a name, as in 'extension KHR_enable_fragments;'", None


def _name_after_type(fault: Fault) -> int | None:
    """Return the index of the name that follows a type and its shape, else None."""
    automaton, depth = fault.automaton, 0
    for at in range(automaton.at + 1, min(len(automaton.tokens), automaton.at + NEAR * 2)):
        kind = automaton.tokens[at].kind
        depth += (kind == "LSQB") - (kind == "RSQB")
        if kind == "ID" and depth == 0:
            return at
        if kind in ("SEMI", "LBRACE", "RBRACE") or (depth == 0 and kind not in ("RSQB", "DOTS")):
            return None
    return None
