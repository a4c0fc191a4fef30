"""Attributes: their types and their allowed defaults (2.5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snd_analysis import rules
from snd_analysis.base import Edit, Note, Repair, Span, counted
from snd_analysis.skriptnd.names import Declaration, bindings, bound_symbol, declarations
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types.context import Context, dtype_of
from snd_analysis.skriptnd.types.declarations.shape_rules import check_pack_length, distrust_symbol
from snd_analysis.skriptnd.types.deferred import circular_defaults
from snd_analysis.skriptnd.types.expressions.functions import expect
from snd_analysis.skriptnd.types.expressions.inference import infer
from snd_analysis.skriptnd.types.type import ABSTRACT, CONCRETE, Typed
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict


# ---- comparison of declarations with the defaults of attributes and inputs and the values of constants ---------------
def type_note(context: Context, declaration: Declaration) -> Note:
    """Return where the type stands that a value has to fit."""
    return context.note(declaration.parameter.type, f"the type of '{declaration.name}' is declared here")


def check_length(context: Context, declaration: Declaration, default: nodes.Default, typed: Typed) -> None:
    """Demand that the default of a pack has as many items as the pack, as far as both are known (2.5, 2.6)."""
    symbol = context.symbol(declaration.parameter.name)
    declared = context.typed(symbol).type if symbol is not None else None
    if typed.type is None or typed.type.length is None or declared is None or declared.length is None:
        return
    if shapes.decide_equal(declared.length, typed.type.length) is EqualityVerdict.DIFFERENT:
        items = f"{counted(typed.type.length, 'item')}, but the pack has {declared.length}"
        pack = declaration.parameter.pack
        assert pack is not None
        notes = (context.note(pack, "its length is declared here"),)
        context.report(rules.LENGTH_MISMATCH, default.value, f"the default of '{declaration.name}' has {items}", notes)


# ---- generic types and the element types of declarations (2.3, 2.13) -------------------------------------------------
ALLOWED = {"type": frozenset({"int", "real", "bool", "str"}), "arith": frozenset({"int", "real", "bool"}),
           "num": frozenset({"int", "real"})}  # fmt: skip
"""The concrete types of each abstract type."""


def check_generics(context: Context) -> None:
    """Check ``@dtype``: an abstract base, and a concrete default that it allows."""
    for base, entry in entries_of(context.definition, BlockKind.DTYPE, nodes.DtypeDeclaration):
        context.base = base
        if not entry.base.is_keyword:
            if context.symbol(entry.base) is not None:
                _report_base(context, entry)
        elif entry.base.text not in ABSTRACT:
            _report_base(context, entry)
        elif entry.default is not None:
            _check_generic_default(context, entry, entry.default)


def _report_base(context: Context, entry: nodes.DtypeDeclaration) -> None:
    message = f"the base of a generic type is 'type', 'arith' or 'num', but '{entry.base.text}' is no abstract type"
    context.report(rules.GENERIC_BASE, entry.base, message)


def _check_generic_default(context: Context, entry: nodes.DtypeDeclaration, default: nodes.TypeName) -> None:
    if default.text in ABSTRACT or (not default.is_keyword and context.symbol(default) is not None):
        message = f"the default of '{entry.name.text}' must be 'int', 'real', 'bool' or 'str', not '{default.text}'"
        context.report(rules.GENERIC_DEFAULT, default, message)
    elif default.text in CONCRETE and default.text not in ALLOWED[entry.base.text]:
        allowed = " or ".join(f"'{name}'" for name in CONCRETE if name in ALLOWED[entry.base.text])
        message = f"the default of '{entry.name.text}: {entry.base.text}' must be {allowed}, not '{default.text}'"
        context.report(rules.GENERIC_DEFAULT, default, message)


def check_element_type(context: Context, name: nodes.TypeName) -> None:
    """Demand that the type of a declaration or of a result is concrete or generic, not abstract (2.3)."""
    if name.is_keyword and name.text in ABSTRACT:
        types = ", ".join(f"'{type_}'" for type_ in CONCRETE if type_ in ALLOWED[name.text])
        message = (
            f"'{name.text}' means any of several types ({types}): write one of them, or declare a generic type, "
            f"as in '@dtype {{ T: {name.text}; }}'"
        )
        context.report(rules.ABSTRACT_TYPE, name, message)


# ---- attributes ------------------------------------------------------------------------------------------------------
def check_attributes(context: Context, attributes: Sequence[Declaration]) -> None:
    """Check the types and defaults of all attributes."""
    circular = circular_defaults(context.definition, context.resolution)
    for declaration in attributes:
        context.base = declaration.base
        reported = len(context.problems)
        parameter = declaration.parameter
        check_element_type(context, declaration.parameter.type)
        check_rank_capture(context, declaration)
        if parameter.shape is not None:
            _report_tensor(context, declaration)
            continue
        check_pack_length(context, declaration)
        if parameter.default is None:
            continue
        if parameter.optional:
            report_optional_default(context, declaration)
        elif declaration in circular.involved:
            if declaration in circular.reported:
                _report_circle(context, declaration, circular.reported[declaration])
        else:
            _check_default(context, declaration, parameter.default)
        check_no_bounds(context, declaration)
        if len(context.problems) > reported:
            distrust_symbol(context, declaration.parameter.name)


def check_rank_capture(context: Context, declaration: Declaration) -> None:
    """Check that ``^(r)`` captures the rank of an input; nothing else has an unknown rank (2.6)."""
    rank = declaration.parameter.rank
    if rank is not None and context.symbol(rank) is not None:
        article = "an" if declaration.block in (BlockKind.ATTRIB, BlockKind.OUTPUT) else "a"
        what = "attribute" if declaration.block == BlockKind.ATTRIB else declaration.block
        message = f"the rank of {article} {what} can't be captured: '^({rank.text})' is for inputs"
        context.report(rules.ILLEGAL_RANK_CAPTURE, rank, message)


def check_no_bounds(context: Context, declaration: Declaration) -> None:
    """Index symbols run over the elements of constants, and nothing else has elements to give (2.7)."""
    default = declaration.parameter.default
    if default is not None and default.bounds:
        message = "only constants can have index bounds"
        context.report(rules.ILLEGAL_INDEX_BOUND, default.bounds[0], message)


def report_optional_default(context: Context, declaration: Declaration) -> None:
    """Report a default of an optional parameter, which is null if it is not given."""
    parameter = declaration.parameter
    assert parameter.default is not None
    if isinstance(parameter.default.value, nodes.Qualified) and context.symbol(parameter.default.value) is None:
        return  # an undefined name, such as 'null'
    modifier = next(each for each in parameter.modifiers if each.text == "optional")
    if _is_tested_for_null(context, parameter.name):
        before = (parameter.name, parameter.type, parameter.rank, parameter.shape, parameter.pack)
        end = max(context.span(each).end for each in before if each is not None)
        repair = Repair("remove the default", (Edit(Span(end, context.span(parameter.default).end), ""),), safe=False)
    else:
        removed = context.span(modifier)
        repair = Repair("remove 'optional'", (Edit(Span(removed.start, removed.end + 1), ""),), safe=False)
    message = f"'{declaration.name}' is optional, and so null if it is not given: it can't have a default as well"
    notes = (context.note(modifier, "'optional' is here"),)
    context.report(rules.OPTIONAL_DEFAULT, parameter.default, message, notes, repair)
    if repair.title == "remove 'optional'":
        context.presume_given(context.symbol(parameter.name))


def _is_tested_for_null(context: Context, name: nodes.Name) -> bool:
    """Return whether the definition has ``?a`` or ``a ?? b`` of a parameter, which requires it to be optional."""
    symbol = context.symbol(name)
    return symbol is not None and any(
        context.symbol(each) == symbol
        for tested in _tested_for_null(context.definition)
        for each in nodes.descendants(tested)
    )


def _tested_for_null(definition: nodes.Definition) -> Iterator[nodes.Node]:
    for node in nodes.descendants(definition):
        match node:
            case nodes.Coalesce(value=tested):
                yield tested
            case nodes.Unary(operator=operator, operand=tested) if operator.text == "?":
                yield tested


def _report_tensor(context: Context, declaration: Declaration) -> None:
    shape = declaration.parameter.shape
    assert shape is not None
    names = [node for node in nodes.descendants(shape) if isinstance(node, nodes.Qualified)]
    if all(context.target(name) is not None for name in names):
        message = f"the attribute '{declaration.name}' can't be a tensor: attributes are values known at compile time"
        context.report(rules.TENSOR_ATTRIBUTE, shape, message)


def _report_circle(context: Context, declaration: Declaration, circle: tuple[Declaration, ...]) -> None:
    default = declaration.parameter.default
    assert default is not None
    others = [each for each in circle if each != declaration]
    if others:
        names = " and ".join(f"'{each.name}'" for each in others)
        message = f"the default of '{declaration.name}' depends on that of {names}, which depends on it"
    else:
        message = f"the default of '{declaration.name}' depends on '{declaration.name}' itself"
    symbols = [context.symbol(each.parameter.name) for each in others]
    notes = tuple(context.declared(symbol) for symbol in symbols if symbol is not None)
    context.report(rules.CIRCULAR_DEFAULT, default.value, message, notes)
    # Other problems of it are reported still.
    infer(context, default.value)


def _check_default(context: Context, declaration: Declaration, default: nodes.Default) -> None:
    parameter = declaration.parameter
    dtype = dtype_of(context, parameter.type)
    if dtype is None or dtype.name in ABSTRACT:
        infer(context, default.value)
        return
    packed = None if parameter.pack is not None else False
    # A default that may be null leaves the attribute to be given where it is (2.5).
    what = f"the default of '{declaration.name}'"
    notes = (type_note(context, declaration),)
    typed = expect(context, default.value, dtype, what, packed=packed, optional=True, notes=notes)
    if typed.type is None or parameter.pack is None:
        return
    if typed.type.packed:
        check_length(context, declaration, default, typed)
    elif not _has_known_length(context, declaration, parameter.pack):
        message = (
            f"the default of the pack '{declaration.name}' is one value, "
            "but nothing determines how often to repeat it: write a list"
        )
        context.report(rules.UNIFORM_DEFAULT, default.value, message)


def _has_known_length(context: Context, declaration: Declaration, pack: nodes.Pack) -> bool:
    """Return whether something else than the attribute itself determines its length."""
    if pack.length is None:
        return False
    symbol = bound_symbol(context.resolution, pack.length)
    if symbol is None:
        return True
    others = (*declarations(context.definition, BlockKind.ATTRIB), *declarations(context.definition, BlockKind.INPUT))
    return any(
        binding.symbol is symbol and binding.node is not pack
        for other in others
        for binding in bindings(context.resolution, other)
    )
