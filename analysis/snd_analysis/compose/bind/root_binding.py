"""Binding without a caller: a graph to be composed, or an operator looked at for itself (2.6.1, chapter 3)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Final, TypeAlias

from snd_analysis import rules
from snd_analysis.compose.bind.arguments import Arguments, Binder, element_type
from snd_analysis.compose.bind.declared_shapes import Declarations
from snd_analysis.compose.bind.shape_binding import ShapeBinder
from snd_analysis.compose.dynamic import OpenKey
from snd_analysis.compose.failure import Failure, Site
from snd_analysis.compose.limits import MOST_TENSORS
from snd_analysis.compose.template import AffineForm, Member, Template
from snd_analysis.model import Shape, Tensor, TensorKind, TensorValue, empty_pack, tensor_value
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer, Truth
from snd_analysis.symbolic.values import (
    NULL,
    UNDEFINED,
    CompileTime,
    ItemRun,
    Maybe,
    Pack,
    Value,
    maybe,
    pack_of,
    unknown,
)

InputShapes: TypeAlias = "tuple[tuple[int | Integer, ...], ...] | None"
"""The shape of an input, of a pack one for each tensor or one for all of them; None if the input is null."""


class AsDeclared(Enum):
    """Marker for an optional input that is given with its declared shape."""

    AS_DECLARED = 0


AS_DECLARED: Final = AsDeclared.AS_DECLARED
GivenInput: TypeAlias = "InputShapes | AsDeclared"


class RootBinder(Binder):
    """The binding of a definition without a caller: every symbol has a value, or an unknown of its own."""

    def __init__(
        self,
        template: Template,
        attributes: Mapping[str, Value],
        dtypes: Mapping[str, str],
        inputs: Mapping[str, GivenInput],
        composing: bool,
    ) -> None:
        super().__init__(template, Arguments((), attributes, ()), composing)
        self._dtypes = dtypes
        self._shapes = {name: given for name, given in inputs.items() if not isinstance(given, AsDeclared)}
        self._is_given = frozenset(inputs)
        self._packs: list[Member] = []
        self._open: dict[str, list[Hashable]] = {}
        self.impossible: list[Failure] = []
        """Failures that are reported unless an assertion explains them."""
        self._bounds: dict[Symbol, nodes.Expression] = {}
        for member in template.inputs:
            for extent in member.extents:
                self._note_bound(extent.value, extent.bound)
            if member.node.pack is not None and member.node.pack.length is not None:
                self._note_bound(member.node.pack.length, member.node.pack.bound)

    def _note_bound(self, bounded: nodes.Expression | nodes.Tilde, bound: nodes.Expression | None) -> None:
        form = self.template.form(bounded)
        if form is not None and bound is not None:
            self._bounds.setdefault(form.symbol, bound)

    # ---- types and attributes ----------------------------------------------------------------------------------------
    def _bind_types(self) -> None:
        if self._dtypes:
            self.scope.dtypes.update(self._dtypes)
            attributes = [each for each in self.template.attributes if each.name in self.given.attributes]
            inputs = [each for each in self.template.inputs if each.name in self._shapes]
            typed = [(each, element_type(self.given.attributes[each.name])) for each in attributes]
            self._demand_fitting_types([*typed, *((each, self._dtypes.get(each.node.type.text)) for each in inputs)])
        for generic in self.template.generics:
            name = generic.name.text
            default = generic.default.text if generic.default is not None and self.scope.composing else name
            self.scope.dtypes[name] = self._dtypes.get(name, default)

    def _bind_attribute(self, member: Member) -> None:
        node = member.node
        if self.template.is_wrong(member.base, node):
            self.scope.values[member.symbol] = UNDEFINED
        elif member.name in self.given.attributes:
            self._give(member, self.given.attributes[member.name])
        elif self.scope.composing and (node.optional or node.default is not None):
            super()._bind_attribute(member)
        elif node.pack is not None:
            self._packs.append(member)
        else:
            self.scope.values[member.symbol] = self._optional(member, self._unknown(member))

    def _key(self, of: Hashable, name: str, low: int | None = None, high: int | None = None) -> OpenKey:
        """Return the key of an unknown; the same one for the same ``of`` and ``name``."""
        return OpenKey(name, self._number(of, name), low, high)

    def _length_key(self, of: Hashable, name: str, high: int | None = None) -> Hashable:
        """Return the key of an unknown length.

        Like others it contains only a name: so it survives edits of the definition. A length that a graph bounds is
        dynamic (2.6.1).
        """
        key = ("length", name, self._number(of, name), high)
        return key if high is not None and self.template.is_graph else CompileTime(key)

    def _number(self, of: Hashable, name: str) -> int:
        known = self._open.setdefault(name, [])
        if of not in known:
            known.append(of)
        return known.index(of)

    def _unknown(self, member: Member) -> Value:
        dtype = self.scope.element_type(member.node.type)
        extent = self.template.extents.get(member.name)
        return extent or unknown(dtype, CompileTime(self._key(member.symbol, member.name)), member.name)

    def _optional(self, member: Member, value: Value) -> Value:
        """Return the value of an optional member, which may be null.

        An optional int is undefined: extents that depend on its presence have so many cases that composing the library,
        which takes less than a second otherwise, takes more than a minute.
        """
        if not member.node.optional:
            return value
        if member.node.shape is None and member.node.type.text == "int" and member in self.template.attributes:
            return UNDEFINED
        name = f"?{member.name}"
        return maybe(shapes.proposition(CompileTime(self._key(member.symbol, name)), name), value)

    def _bind_rest(self) -> None:
        for member in self._packs:
            pack = member.node.pack
            assert pack is not None
            length = self._length(pack.length, (member.symbol, "length"), f"|{member.name}|")
            value: Value = UNDEFINED
            if isinstance(length, Integer):
                dtype = self.scope.element_type(member.node.type)
                key = CompileTime(self._key(member.symbol, member.name))
                value = pack_of(key, member.name, length, None, None, dtype)
            self.scope.values[member.symbol] = self._optional(member, value)
        super()._bind_rest()

    # ---- inputs ------------------------------------------------------------------------------------------------------
    def _bind_inputs(self) -> None:
        inputs: list[TensorValue] = [UNDEFINED] * len(self.template.inputs)
        binder = ShapeBinder(self.binding)
        order = self.template.binding_order
        given = {at: None for at in order if self.template.inputs[at].name in self._shapes}
        for at in given:
            member = self.template.inputs[at]
            inputs[at] = self.scope.values[member.symbol] = self._given_input(member, self._shapes[member.name])
            binder.bind_input(member, inputs[at])
        for at in self._defaults_before_uses([at for at in order if at not in given]):
            member = self.template.inputs[at]
            may_be_left_out = member.node.optional and member.name not in self._is_given
            before = set(self.scope.values) if may_be_left_out else set()
            inputs[at] = self.scope.values[member.symbol] = self._made(member)
            if may_be_left_out:
                for symbol in self.scope.values.keys() - before:
                    self.scope.values[symbol] = self._optional(member, self.scope.values[symbol])
                inputs[at] = tensor_value(self.scope.values[member.symbol])
        self.binding.inputs = inputs

    def _defaults_before_uses(self, order: Sequence[int]) -> Iterator[int]:
        """Yield inputs in binding order.

        Inputs that need the default of an attribute follow the inputs that determine it. A default that only its own
        uses determine stays open.
        """
        waiting = list(order)
        while waiting:
            self._bind_known_defaults()
            deferred = {member.symbol for member in self._deferred}
            ready = (at for at in waiting if not self.template.symbols(self.template.inputs[at].node) & deferred)
            at = next(ready, waiting[0])
            waiting.remove(at)
            yield at

    def _given_input(self, member: Member, given: InputShapes) -> TensorValue:
        """Return an input with the shapes to compose it with."""
        if given is None:
            return NULL
        dtype = self.scope.element_type(member.node.type)
        place = self.template.declared(member.symbol)
        rows = [
            tuple(extent if isinstance(extent, Integer) else shapes.constant(extent) for extent in shape)
            for shape in given
        ]
        if member.node.pack is None:
            return Tensor(member.name, dtype, rows[0], TensorKind.INPUT, place)
        written = self._declared_length(member)
        length = self.scope.attempt(written) if written is not None and self.scope.knows(written) else None
        if len(rows) == 1 and isinstance(length, Integer) and length.value is not None:
            rows *= min(length.value, MOST_TENSORS)
        items = [Tensor(f"{member.name}[{at}]", dtype, row, TensorKind.INPUT, place) for at, row in enumerate(rows)]
        return Pack(items, dtype=dtype)

    def _made(self, member: Member) -> TensorValue:
        node = member.node
        if self.template.is_wrong(member.base, node):
            return UNDEFINED
        dtype = self.scope.element_type(node.type)
        place = self.template.declared(member.symbol)
        length: Value | None = None
        if node.pack is not None:
            length = self._length(node.pack.length, (member.symbol, "size"), f"{member.name}.size")
            if not isinstance(length, Integer):
                return UNDEFINED
            self._demand_within_bound(member, "the length", node.pack.length, node.pack.bound)
        if node.shape is None:
            return UNDEFINED
        try:
            self._bind_extents(member, length)
            declarations = Declarations(self.scope)
            if not isinstance(length, Integer):
                shape = declarations.shape(member, None)
                self._bind_rank(member, shape)
                possible = self._demand_possible(member, shape)
                return Tensor(member.name, dtype, shape, TensorKind.INPUT, place) if possible else UNDEFINED
            count = length.value
            if not count or count > MOST_TENSORS:
                shape = self._item_shape(member, declarations, length)
                self._bind_rank(member, shape)
                if not self._demand_possible(member, shape):
                    return UNDEFINED
                item = Tensor(f"{member.name}[]", dtype, shape, TensorKind.INPUT, place)
                return empty_pack(item) if count == 0 else Pack((ItemRun(length, item),), dtype=dtype)
            items = []
            for at in range(count):
                shape = declarations.shape(member, shapes.constant(at))
                self._bind_rank(member, shape)
                if not self._demand_possible(member, shape):
                    return UNDEFINED
                items.append(Tensor(f"{member.name}[{at}]", dtype, shape, TensorKind.INPUT, place))
            return Pack(items, dtype=dtype)
        except EvaluationError as error:
            raise self.binding.fail_evaluating(member.base, error) from None

    def _demand_possible(self, member: Member, shape: Shape | None) -> bool:
        """Return whether no extent is negative, which attributes may make it."""
        extents = [extent for extent in shape or () if isinstance(extent, Integer)]
        if any(map(shapes.is_negative, extents)):
            assert member.node.shape is not None
            found = ",".join(map(str, extents))
            message = f"an extent of '{member.name}' would be negative: its shape evaluates to [{found}]"
            site = Site(self.template.place(member.base, member.node.shape), "the shape is declared here")
            self.impossible.append(Failure(rules.NEGATIVE_EXTENT, message, (site,)))
            return False
        return True

    def _demand_within_bound(
        self,
        member: Member,
        what: str,
        prescribed: nodes.Expression | nodes.Tilde | None,
        bound: nodes.Expression | None,
    ) -> None:
        """Demand that an extent or length that attributes determine does not exceed its bound (2.6)."""
        if prescribed is None or isinstance(prescribed, nodes.Tilde) or bound is None:
            return
        value, most = (self.scope.attempt(each) if self.scope.knows(each) else NULL for each in (prescribed, bound))
        if isinstance(value, Integer) and isinstance(most, Integer) and shapes.compare(">", value, most) is shapes.TRUE:
            message = f"{what} of '{member.name}' is {value}, but its upper bound is {most}"
            site = Site(self.template.place(member.base, prescribed), "this is prescribed here")
            self.impossible.append(Failure(rules.ARGUMENT_SHAPE, message, (site,)))

    def _demand_possible_extent(self, member: Member, extent: nodes.Extent) -> None:
        """Report a bound, or a number of dimensions, that attributes make negative."""
        length = None if extent.expansion is None else extent.expansion.length
        for what, node in (("the bound of an extent", extent.bound), ("the number of dimensions", length)):
            if node is None or isinstance(node, nodes.Tilde) or not self.scope.knows(node):
                continue
            value = self.scope.attempt(node)
            most = shapes.bounds(value)[1] if isinstance(value, Integer) else None
            if most is not None and most < 0:
                number = value if isinstance(value, Integer) and value.value is not None else f"at most {most}"
                message = f"{what} of '{member.name}' can't be negative, but '{written(node)}' is {number}"
                site = Site(self.template.place(member.base, node), "this is evaluated here")
                self.impossible.append(Failure(rules.NEGATIVE_EXTENT, message, (site,)))

    def _item_shape(self, member: Member, declarations: Declarations, length: Integer) -> Shape | None:
        """Return the common shape of the tensors in a pack of unknown length; extents that differ become unknowns."""
        at = shapes.variable(("item", self._number(member.symbol, "i")), "i", 0)
        return declarations.shape(member, at)

    def _bind_rank(self, member: Member, shape: Shape | None) -> None:
        name = member.node.rank
        symbol = None if name is None else self.template.resolution.targets.get(name)
        if isinstance(symbol, Symbol) and shape is not None:
            self.scope.values.setdefault(symbol, Pack(shape, dtype="int").length)

    def _bind_extents(self, member: Member, items: Value | None) -> None:
        """Give the names that the shape of an input declares unknown values."""
        for extent in member.extents:
            self._demand_possible_extent(member, extent)
            self._demand_within_bound(member, f"the extent '{written(extent.value)}'", extent.value, extent.bound)
            form = self.template.form(extent.value)
            known = UNDEFINED if form is None else self.scope.values.get(form.symbol, NULL)
            if form is not None and (known is NULL or isinstance(known, Maybe)):
                self.scope.values[form.symbol] = _either(known, self._extent(extent, form, items))
            elif extent.expansion is not None and extent.expansion.length is not None:
                self._length(extent.expansion.length, extent, "rank")

    def _extent(self, extent: nodes.Extent, form: AffineForm, items: Value | None) -> Value:
        low, high = self._limits(form)
        symbol = form.symbol
        key = self._key(symbol, symbol.name, low, high)
        if extent.spread:
            return pack_of(key, symbol.name, items, low, high) if isinstance(items, Integer) else UNDEFINED
        if extent.expansion is None:
            return self.template.extents.get(symbol.name) or shapes.variable(key, symbol.name, low, high)
        length = self._length(extent.expansion.length, (symbol, "length"), f"|{symbol.name}|")
        if isinstance(length, Truth):
            return maybe(length, shapes.variable(key, symbol.name, low, high))
        if not isinstance(length, Integer):
            return NULL if length is NULL else UNDEFINED
        return pack_of(key, symbol.name, length, low, high)

    def _limits(self, form: AffineForm) -> tuple[int, int | None]:
        """Return the least and greatest value of a name: extents are not negative, nor above their bound (2.6.1)."""
        low = 0
        if form.factor > 0:
            low = max(0, -(form.offset // form.factor))
        bound = self._bounds.get(form.symbol)
        if bound is None:
            return low, None
        limit = self.scope.attempt(bound)
        most = shapes.bounds(limit)[1] if isinstance(limit, Integer) else None
        if most is not None and most < 0:
            return low, None  # reported as such
        if most is not None and form.factor > 0:
            most = (most - form.offset) // form.factor
        return low, most

    def _length(self, expression: nodes.Expression | nodes.Tilde | None, key: Hashable, name: str) -> Value:
        """Return a length. An omitted length, and a length that declares a name, becomes a variable."""
        if expression is None or isinstance(expression, nodes.Tilde):
            return shapes.variable(self._length_key(key, name), name, 0)
        form = self.template.form(expression)
        if form is not None and form.symbol not in self.scope.values:
            low, high = self._limits(form)
            key = self._length_key(form.symbol, form.symbol.name, high)
            self.scope.values[form.symbol] = shapes.variable(key, form.symbol.name, low, high)
        return self.scope.attempt(expression) if self.scope.knows(expression) else UNDEFINED


def _either(known: Value, value: Value) -> Value:
    """Return an extent that several places have under conditions: it exists if one of them has it."""
    if isinstance(known, Maybe) and isinstance(value, Maybe):
        return maybe(shapes.or_(known.present, value.present), value.value)
    return value if known is NULL else known
