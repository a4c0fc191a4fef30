"""Repairs of names and values that stand side by side without the symbols that belong between or around them."""

from __future__ import annotations

from typing import Final

from snd_analysis import rules
from snd_analysis.base import Edit, Repair, Span
from snd_analysis.skriptnd.syntax.recovery.fault import CLOSERS, Fault, span_of
from snd_analysis.skriptnd.syntax.recovery.repairs import arguments_within, end_of_arguments
from snd_analysis.skriptnd.syntax.recovery.rereading import back_to
from snd_analysis.skriptnd.syntax.table import END

MODULES: Final = frozenset({
    "algo", "cvm", "image", "layer", "layout", "linalg", "math", "misc", "nn", "nnef1", "onnx", "quant", "rand",
    "tennis", "tosa",
})  # fmt: skip
"""Modules of the library: a name after one of them, without a dot, is the name of an operator."""
_BEFORE_NAME = frozenset({"ASSIGN", "LBRACE", "SEMI", "DO", "THEN", "ELSE", "UNROLL"})
_ARGUMENTS = frozenset({"LPAR", "LBRACE", "LT"})
_NAMED = "attributes have names"
_VALUES = frozenset({"INT", "REAL", "STRING", "LSQB", "MINUS", "TRUE", "FALSE"})


def missing_dot(fault: Fault) -> bool:
    """Recover from ``math neg(x)`` for ``math.neg(x)``."""
    automaton, token = fault.automaton, fault.token
    before = automaton.tokens[automaton.at - 1] if automaton.at else None
    if token.kind != "ID" or before is None or before.kind != "ID" or fault.word(before) not in MODULES:
        return False
    if automaton.token(1).kind not in _ARGUMENTS or not fault.parses(["DOT"]):
        return False
    span, name = Span(before.start, token.end), f"{fault.word(before)}.{fault.word(token)}"
    repair = Repair("write '.'", (Edit(Span(before.end, token.start), "."),), safe=False)
    fault.report(rules.SYNTAX_ERROR, span, f"an operator of a module is written '{name}'", (), repair)
    automaton.supply("DOT", before.end, token.start)
    return True


def colons_for_dot(fault: Fault) -> bool:
    """Recover from ``math::neg(x)`` for ``math.neg(x)``."""
    automaton, at = fault.automaton, fault.automaton.at
    before = automaton.tokens[max(at - 2, 0) : at]
    if [each.kind for each in (*before, fault.token)] != ["ID", "COLON", "COLON"]:
        return False
    after = [automaton.token(offset).kind for offset in (1, 2)]
    if fault.word(before[0]) not in MODULES or after[0] != "ID" or after[1] not in _ARGUMENTS:
        return False
    span, name = (
        Span(before[0].start, automaton.token(1).end),
        f"{fault.word(before[0])}.{fault.word(automaton.token(1))}",
    )
    again = back_to(fault, at - 1)
    place = Span(before[1].start, fault.token.end)
    repair = Repair("write '.'", (Edit(place, "."),), safe=False)
    again.report(rules.SYNTAX_ERROR, span, f"an operator of a module is written '{name}'", (), repair)
    automaton.supply("DOT", place.start, place.end)
    automaton.at += 2
    return True


def argument_without_parentheses(fault: Fault) -> bool:
    """Recover from ``math.neg x`` and ``exp x[i,]`` for ``math.neg(x)`` and ``exp(x[i,])``."""
    automaton, token = fault.automaton, fault.token
    before = automaton.tokens[automaton.at - 1] if automaton.at else None
    if token.kind != "ID" or before is None or before.kind != "ID" or fault.begins_line:
        return False
    if fault.block not in ("B_COMPOSE", "B_LOWER") or fault.word(before) == fault.word(token):
        return False
    count = 1
    if automaton.token(1).kind == "LSQB":
        closing = end_of_arguments(automaton, automaton.at + 1)
        if closing is None:
            return False
        count = closing - automaton.at + 1
    kinds = [automaton.token(offset).kind for offset in range(count)]
    if not fault.parses(["LPAR", *kinds, "RPAR"], count):
        return False
    end = automaton.token(count - 1).end
    start = automaton.at - 1
    while start > 1 and automaton.tokens[start - 1].kind == "DOT":
        start -= 2
    function = automaton.text[automaton.tokens[start].start : before.end]
    message = f"an argument stands in parentheses: write '{function}({automaton.text[token.start : end]})'"
    edits = (Edit(Span(before.end, token.start), "("), Edit(Span(end, end), ")"))
    repair = Repair("write parentheses", edits, safe=False)
    fault.report(rules.SYNTAX_ERROR, span_of(token), message, (), repair)
    automaton.supply("LPAR", token.start, token.start)
    automaton.advance(limit=automaton.at + count)
    automaton.supply("RPAR", end, end)
    return True


def name_of_several_words(fault: Fault) -> bool:
    """Recover from ``y = first block: f(x)`` and ``my x: real[n];``: a name is one word."""
    automaton = fault.automaton
    before = [each.kind for each in automaton.tokens[max(automaton.at - 2, 0) : automaton.at]]
    if fault.token.kind != "ID" or before[-1:] != ["ID"] or before[0] not in _BEFORE_NAME:
        return False
    count = 1
    while automaton.token(count).kind == "ID":
        count += 1
    if automaton.token(count).kind != "COLON" or not fault.parses([], count):
        return False
    first, last = automaton.tokens[automaton.at - 1], automaton.token(count - 1)
    span = Span(first.start, last.end)
    joined = "_".join(automaton.text[span.start : span.end].split())
    repair = Repair(f"write '{joined}'", (Edit(span, joined),), safe=False)
    fault.report(rules.SYNTAX_ERROR, span, f"a name is one word, as in '{joined}'", (), repair)
    automaton.at += count
    automaton.last_end = last.end
    return True


def remap_without_bars(fault: Fault) -> bool:
    """Recover from ``x[i <> 0 : n - 1,]`` for ``x[|i <> 0 : n - 1|,]``."""
    automaton, opened = fault.automaton, fault.open_brackets()
    if fault.token.kind != "REMAP" or fault.block != "B_LOWER" or not opened or opened[-1].kind != "LSQB":
        return False
    opening = automaton.index_of(opened[-1].start)
    if opening is None or automaton.entry is None or opening < automaton.entry.at:
        return False
    first, last = _index_around(fault, opening)
    kinds = [each.kind for each in automaton.tokens[automaton.at : last]]
    if "COLON" not in kinds or last == len(automaton.tokens):
        return False
    start, end = automaton.tokens[first].start, automaton.tokens[last - 1].end
    edits = (Edit(Span(start, start), "|"), Edit(Span(end, end), "|"))
    again = back_to(fault, first)
    again.report(rules.REMAP_NOTATION, Span(start, end), rules.formulas.REMAP, (), Repair("write bars", edits))
    automaton.supply("BAR", start, start)
    automaton.advance(limit=last)
    automaton.supply("BAR", end, end)
    return True


def _index_around(fault: Fault, opening: int) -> tuple[int, int]:
    """Return the first token of the index at the error, and the token after its last one."""
    tokens, first, depth = fault.automaton.tokens, opening + 1, 0
    for at in range(opening + 1, len(tokens)):
        kind = tokens[at].kind
        if depth == 0 and kind == "COMMA" and at < fault.automaton.at:
            first = at + 1
        elif depth == 0 and kind in ("COMMA", "RSQB"):
            return first, at
        elif kind in ("SEMI", END):
            break
        depth += (kind in CLOSERS) - (kind in CLOSERS.values())
    return first, len(tokens)


def attribute_without_name(fault: Fault) -> bool:
    """Report ``linear{8}(x)``, once for all attributes of an invocation: they are given by name."""
    automaton, opened = fault.automaton, fault.open_brackets()
    if fault.token.kind not in _VALUES or not opened or opened[-1].kind != "LBRACE":
        return False
    callee, at = fault.callee_before(opened[-1]), automaton.index_of(opened[-1].start)
    if callee is None or at is None or automaton.tokens[automaton.at - 1].kind not in ("LBRACE", "COMMA"):
        return False
    closing = end_of_arguments(automaton, at)
    if closing is None or not fault.parses_some(["ID", "ASSIGN"], 1):
        return False
    reported = automaton.builder.problems[0 if automaton.entry is None else automaton.entry.problems :]
    if not any(each.message.startswith(_NAMED) for each in reported):
        message = f"{_NAMED}: write '{callee.text}{{name={fault.word(fault.token)}}}' with the name of the attribute"
        repair = _with_names(fault, callee.text, at, closing)
        fault.report(rules.SYNTAX_ERROR, span_of(fault.token), message, (), repair)
    automaton.supply("ID", fault.token.start, fault.token.start, "")
    automaton.supply("ASSIGN", fault.token.start, fault.token.start)
    return True


def _with_names(fault: Fault, callee: str, opening: int, closing: int) -> Repair:
    """Return the invocation with numbers as the names of its attributes, to be replaced by those of the operator."""
    automaton, last = fault.automaton, closing
    items = arguments_within(automaton, opening, closing)
    attributes = [text if named else f"_{at}={text}" for at, (text, named) in enumerate(items)]
    arguments: list[str] = []
    if automaton.tokens[closing + 1].kind == "LPAR":
        last = end_of_arguments(automaton, closing + 1) or closing
        arguments = [text for text, _ in arguments_within(automaton, closing + 1, last)]
    start = opening
    while start and automaton.tokens[start - 1].kind in ("ID", "DOT"):
        start -= 1
    span = Span(automaton.tokens[start].start, automaton.tokens[last].end)
    return rules.syntax.in_braces(Edit(span, f"{callee}{{{', '.join(attributes)}}}({', '.join(arguments)})"))
