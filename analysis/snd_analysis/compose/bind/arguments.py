"""Binding of an invocation to the operator that it names, as section 2.6.2 prescribes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Rule
from snd_analysis.compose.bind.binding import BindingState
from snd_analysis.compose.bind.declared_shapes import Declarations, literal_tensor
from snd_analysis.compose.bind.shape_binding import ShapeBinder
from snd_analysis.compose.failure import BindingFailed, Failure, Site, Unbindable
from snd_analysis.compose.scope import ValueScope
from snd_analysis.compose.template import Member, Template
from snd_analysis.model import Tensor, TensorValue, tensor_value
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import Symbol, SymbolKind, is_constant, is_format_library
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.types import ALLOWED, CONCRETE
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer, Truth
from snd_analysis.symbolic.values import NULL, UNDEFINED, ItemRun, Maybe, Pack, Value, dtype_of

# ---- checks of the types given for generic types, against their declarations (2.13) ----------------------------------
# The typing checks the types of an invocation. A definition without a caller gets its types from arrays, a command line
# or a request, which have not been typed.


# ---- checks of the types given for generic types, against their declarations (2.13) ----------------------------------
def failing_generic_type(
    template: Template, dtypes: Mapping[str, str], given: Sequence[tuple[Member, str | None]]
) -> Failure | None:
    """Return a type outside the base of its generic type, two types for one, or two that don't compare; or None.

    ``dtypes`` are the types by the name of the generic type, ``given`` the attributes and inputs with the type of the
    value of each. Types that are not known are skipped, as are generic types of a caller.
    """
    for generic in template.generics:
        dtype = dtypes.get(generic.name.text)
        if dtype not in CONCRETE:
            continue
        typed = [(member, found) for member, found in given if member.node.type.text == generic.name.text]
        source = next((member for member, found in typed if found == dtype), None)
        if dtype not in ALLOWED.get(generic.base.text, CONCRETE):
            how = "it is given as" if source is None else f"{_described(template, source)} is"
            message = rules.invocations.type_outside_base(
                template.shown, generic.name.text, generic.base.text, how, f"'{dtype}'"
            )
            return _failure(template, generic, rules.GENERIC_OUTSIDE_BASE, message, source)
        other = next(((member, found) for member, found in typed if found in CONCRETE and found != dtype), None)
        if other is not None:
            first = f"is given as '{dtype}'"
            if source is not None:
                first = f"is '{dtype}' because of {_described(template, source)}"
            message = rules.invocations.conflicting_type(
                template.shown, generic.name.text, first, _described(template, other[0]), f"'{other[1]}'"
            )
            return _failure(template, generic, rules.GENERIC_CONFLICT, message, other[0])
    for pair in sorted(template.compared_types):
        left, right = (dtypes.get(name) for name in pair)
        if "str" in (left, right) and left != right and left in CONCRETE and right in CONCRETE:
            message = f"'{template.shown}' compares '{left}' with '{right}', but strings compare with strings only"
            generic = next(each for each in template.generics if each.name.text == pair[1])
            source = next((member for member, _ in given if member.node.type.text == pair[1]), None)
            return _failure(template, generic, rules.GENERIC_CONFLICT, message, source)
    return None


def _described(template: Template, member: Member) -> str:
    return f"the {'attribute' if member in template.attributes else 'input'} '{member.name}'"


def _failure(
    template: Template, generic: nodes.DtypeDeclaration, rule: Rule, message: str, member: Member | None
) -> Failure:
    """Return a failure at the declaration of the member with the wrong type, or of the generic type."""
    declared = Site(
        template.place(template.resolution.starts[generic], generic.name), f"'{generic.name.text}' is declared here"
    )
    if member is None:
        return Failure(rule, message, (), (declared,))
    site = Site(template.declared(member.symbol), f"{_described(template, member)} is declared here")
    return Failure(rule, message, (), (site, declared), (member.name,))


# ---- binding of an invocation to the operator that it names, as section 2.6.2 prescribes -----------------------------
class Arguments(Struct, frozen=True):
    """The arguments of an invocation: types in order, attributes by name, inputs by position (NULL if left out)."""

    dtypes: tuple[str, ...]
    attributes: Mapping[str, Value]
    inputs: tuple[TensorValue, ...]


class Binder:
    """The binding of one invocation: generic types, attributes and inputs (2.6.2, 2.13)."""

    def __init__(self, template: Template, given: Arguments, composing: bool) -> None:
        self.template = template
        self.given = given
        self.scope = ValueScope(template, {}, {}, composing)
        self.binding = BindingState(template, self.scope)
        self._deferred: list[Member] = []
        self._waiting: list[int] = []
        """Positions of the inputs whose default depends on symbols that other inputs bind."""
        self._lengths: list[Member] = []
        self._uniform: dict[Member, Value] = {}

    def bind(self) -> BindingState:
        """Return the three stages of 2.6.2: attributes, inputs, deferred defaults and lengths.

        Raise BindingFailed for an invocation that is invalid, Unbindable for one that is reported already or unknown.
        """
        self._bind_types()
        for member in self.template.attributes:
            self._bind_attribute(member)
        deferred = {member.symbol for member in self._deferred}
        self._bind_inputs()
        self._bind_rest()
        self._check_inputs(deferred)
        self._shape_defaults()
        self._bind_missing()
        self._demand_lengths()
        self.binding.attributes = {member.name: self.scope.values[member.symbol] for member in self.template.attributes}
        return self.binding

    # ---- types -------------------------------------------------------------------------------------------------------
    def _bind_types(self) -> None:
        generics = self.template.generics
        if not generics:
            return
        dtypes = self.scope.dtypes
        for generic, given in zip(generics, self.given.dtypes, strict=False):
            dtypes[generic.name.text] = given
        names = {generic.name.text for generic in generics}
        for member, value in self._given_values():
            name = member.node.type.text
            if name in names and name not in dtypes:
                dtype = element_type(value)
                if dtype is not None:
                    dtypes[name] = dtype
        self._demand_fitting_types([(member, element_type(value)) for member, value in self._given_values()])
        for generic in generics:
            if generic.name.text in dtypes:
                continue
            if generic.default is None:
                raise Unbindable
            dtypes[generic.name.text] = generic.default.text

    def _demand_fitting_types(self, given: Sequence[tuple[Member, str | None]]) -> None:
        failure = failing_generic_type(self.template, self.scope.dtypes, given)
        if failure is not None:
            raise BindingFailed(failure)

    def _given_values(self) -> Iterator[tuple[Member, Value]]:
        for member in self.template.attributes:
            if member.name in self.given.attributes:
                yield member, self.given.attributes[member.name]
        yield from zip(self.template.inputs, self.given.inputs, strict=False)

    # ---- attributes before inputs ------------------------------------------------------------------------------------
    def _bind_attribute(self, member: Member) -> None:
        node = member.node
        if member.name in self.given.attributes:
            self._give(member, self.given.attributes[member.name])
        elif node.optional:
            self.scope.values[member.symbol] = NULL
        elif node.default is None:
            raise Unbindable
        else:
            self._leave_out(member, node.default)

    def _leave_out(self, member: Member, default: nodes.Default) -> None:
        self.binding.left_out.add(member)
        if is_constant(self.template.resolution, default.value):
            self._give(member, self._default(member, default))
        else:
            self._deferred.append(member)

    def _default(self, member: Member, default: nodes.Default) -> Value:
        try:
            return self.scope.evaluate(default.value)
        except EvaluationError as error:
            raise self.binding.fail_evaluating(member.base, error) from None

    def _give(self, member: Member, value: Value) -> None:
        if value is NULL and not member.node.optional:
            raise self._null_given(member, "attribute")
        present = value.value if isinstance(value, Maybe) else value
        if member.node.pack is None or present is NULL or present is UNDEFINED:
            self.scope.values[member.symbol] = value
        elif isinstance(present, Pack):
            self.scope.values[member.symbol] = value
            self._lengths.append(member)
        else:
            self._uniform[member] = value

    # ---- inputs ------------------------------------------------------------------------------------------------------
    def _bind_inputs(self) -> None:
        inputs = [self._argument(at, member) for at, member in enumerate(self.template.inputs)]
        self.binding.inputs = inputs
        for at, (member, value) in enumerate(zip(self.template.inputs, inputs, strict=True)):
            if at not in self._waiting:
                self.scope.values[member.symbol] = value
        binder = ShapeBinder(self.binding)
        for at in self.template.binding_order:
            if not self._is_uniform_default(at):
                binder.bind_input(self.template.inputs[at], inputs[at])

    def _check_inputs(self, deferred: Set[Symbol]) -> None:
        """Compare inputs with the deferred attributes in their types, which were not known when they were bound."""
        if not deferred:
            return
        binder = ShapeBinder(self.binding)
        for at in self.template.binding_order:
            member = self.template.inputs[at]
            value = self.binding.inputs[at]
            if self.template.symbols(member.node) & deferred and not self._is_uniform_default(at) and _is_known(value):
                binder.bind_input(member, value)

    def _is_uniform_default(self, at: int) -> bool:
        """Return whether an input takes a single default value for all elements of the shape that others give it."""
        given = self.given.inputs[at] if at < len(self.given.inputs) else NULL
        return (
            given is NULL
            and self.template.inputs[at].node.default is not None
            and bool(self.template.inputs[at].extents)
        )

    def _shape_defaults(self) -> None:
        for at, member in enumerate(self.template.inputs):
            value = self.scope.values[member.symbol]
            if not self._is_uniform_default(at):
                continue
            try:
                shaped = self._shaped(member, value)
            except EvaluationError as error:
                raise self.binding.fail_evaluating(member.base, error) from None
            self.scope.values[member.symbol] = self.binding.inputs[at] = shaped

    def _shaped(self, member: Member, value: Value) -> TensorValue:
        """Return a uniform default, and each one of a pack, as a tensor of the declared shape."""
        declarations = Declarations(self.scope)
        match value:
            case Tensor():
                return replace(value, shape=declarations.shape(member, None))
            case Pack(items=items) if items is not None:
                shapes_ = (declarations.shape(member, shapes.constant(item)) for item in range(len(items)))
                shaped = [
                    replace(each, shape=shape) if isinstance(each, Tensor) else each
                    for each, shape in zip(items, shapes_, strict=True)
                ]
                return Pack(shaped, dtype=value.dtype)
        return tensor_value(value)

    def _argument(self, at: int, member: Member) -> TensorValue:
        value = self.given.inputs[at] if at < len(self.given.inputs) else NULL
        default = member.node.default
        if value is NULL and default is not None:
            if self.scope.knows(default.value):
                return self._default_input(member, default)
            self._waiting.append(at)
            return UNDEFINED
        if value is NULL and not member.node.optional and at < len(self.given.inputs):
            raise self._null_given(member, "input")
        if value is UNDEFINED or (value is NULL and not member.node.optional) or not _is_known(value):
            raise Unbindable
        return value

    def _default_input(self, member: Member, default: nodes.Default) -> TensorValue:
        value = self._default(member, default)
        if value is NULL:
            raise self._null_default(member, default, "input", rules.MISSING_ARGUMENT)
        try:
            return literal_tensor(default.value, value, member.name, self.scope.element_type(member.node.type))
        except EvaluationError as error:
            raise self.binding.fail_evaluating(member.base, error) from None

    def _bind_known_inputs(self) -> bool:
        """Evaluate the defaults of inputs all of whose symbols are known by now; return whether there were any."""
        known = [at for at in self._waiting if self.scope.knows(self._default_of(at).value)]
        for at in known:
            member = self.template.inputs[at]
            value = self._default_input(member, self._default_of(at))
            self._waiting.remove(at)
            self.binding.inputs[at] = self.scope.values[member.symbol] = value
            if not self._is_uniform_default(at):
                ShapeBinder(self.binding).bind_input(member, value)
        return bool(known)

    def _default_of(self, at: int) -> nodes.Default:
        default = self.template.inputs[at].node.default
        assert default is not None
        return default

    def _null_given(self, member: Member, what: str) -> BindingFailed:
        message = f"the {what} '{member.name}' of '{self.template.shown}' can't be null, but this is null here"
        return self.binding.fail(rules.NULL_NOT_ALLOWED, message, member)

    # ---- symbols bound by inputs -------------------------------------------------------------------------------------
    def _bind_rest(self) -> None:
        """Bind deferred defaults and lengths, in any order in which they determine each other."""
        while self._bind_more() or self._bind_single_items() or self._bind_absent():
            pass
        for member in self._uniform:
            self._report_unknown_length(member)
        for member in (*self._deferred, *(self.template.inputs[at] for at in self._waiting)):
            self.scope.values[member.symbol] = UNDEFINED

    def _bind_more(self) -> bool:
        """Bind the attributes and inputs that can be bound by now; return whether there were any."""
        progress = False
        for member in list(self._lengths):
            if self._bind_length(member):
                self._lengths.remove(member)
                progress = True
        for member in list(self._uniform):
            progress = self._repeat(member) or progress
        progress = self._bind_known_defaults() or progress
        return self._bind_known_inputs() or progress

    def _bind_absent(self) -> bool:
        """Bind symbols of null inputs to null, if defaults wait for them; return whether there were any."""
        if not self._deferred and not self._waiting:
            return False
        inputs = zip(self.template.inputs, self.binding.inputs, strict=True)
        named = {symbol for member, value in inputs if value is NULL for symbol in self.template.symbols(member.node)}
        members = {member.symbol for member in (*self.template.attributes, *self.template.inputs)}
        absent = (named & self.template.signature_symbols) - members - self.scope.values.keys()
        self.scope.values.update(dict.fromkeys(absent, NULL))
        return bool(absent)

    def _bind_known_defaults(self) -> bool:
        """Evaluate the deferred defaults all of whose symbols are known; return whether there were any."""
        progress = False
        for member in list(self._deferred):
            default = member.node.default
            assert default is not None
            if self.scope.knows(default.value):
                self._deferred.remove(member)
                self._bind_deferred(member, default)
                progress = True
        return progress

    def _bind_deferred(self, member: Member, default: nodes.Default) -> None:
        value = self._default(member, default)
        if value is NULL:
            raise self._null_default(member, default, "attribute", rules.MISSING_ATTRIBUTE)
        if isinstance(value, Maybe):
            value = UNDEFINED
        self._give(member, value)

    def _null_default(self, member: Member, default: nodes.Default, what: str, rule: Rule) -> BindingFailed:
        names = sorted(symbol.name for symbol in self._null_symbols(default.value))
        because = f", since {' and '.join(repr(name) for name in names)} is not given" if len(names) == 1 else ""
        message = (
            f"the {what} '{member.name}' of '{self.template.shown}' must be given here: "
            f"its default '{written(default.value)}' is null{because}"
        )
        return self.binding.fail(rule, message, member)

    def _null_symbols(self, expression: nodes.Node) -> list[Symbol]:
        return [symbol for symbol in self.template.symbols(expression) if self.scope.values.get(symbol) is NULL]

    def _declared_length(self, member: Member) -> nodes.Expression | None:
        pack = member.node.pack
        return None if pack is None or pack.length is None or isinstance(pack.length, nodes.Tilde) else pack.length

    def _bind_length(self, member: Member) -> bool:
        value = self.scope.values[member.symbol]
        certain = not isinstance(value, Maybe)
        pack = value.value if isinstance(value, Maybe) else value
        expression = self._declared_length(member)
        if expression is None or not isinstance(pack, Pack):
            return True
        return self.binding.bind_count(member, expression, pack.length, "items", certain)

    def _repeat(self, member: Member) -> bool:
        """Repeat one value for all items of a pack, once their number is known."""
        expression = self._declared_length(member)
        if expression is None or not self.scope.knows(expression):
            return False
        value = self._uniform.pop(member)
        length = self.binding.evaluated(member.base, expression)
        length = shapes.choose(length, 1, 0) if isinstance(length, Truth) else length
        if length is NULL:
            self._uniform[member] = value
            self._report_unknown_length(member)
        if isinstance(length, Integer) and shapes.is_negative(length):
            raise self.binding.negative(member, expression, length, "length")
        if not isinstance(length, Integer) or isinstance(value, Maybe):
            self.scope.values[member.symbol] = UNDEFINED
        else:
            self.scope.values[member.symbol] = Pack((ItemRun(length, value),), dtype=dtype_of(value))
        return True

    def _bind_single_items(self) -> bool:
        """Treat one value as a list of one item if nothing determines the length, in the operators of other formats.

        Their texts allow one number for such a list; the draft does not (2.6.2).
        """
        if not is_format_library((self.template.original or self.template.name).path):
            return False
        for member in self._uniform:
            length = self._declared_length(member)
            form = None if length is None else self.template.form(length)
            if form is not None and (form.factor, form.offset) == (1, 0) and form.symbol not in self.scope.values:
                self.scope.values[form.symbol] = shapes.constant(1)
                return True
        return False

    def _report_unknown_length(self, member: Member) -> None:
        expression = self._declared_length(member)
        if expression is None:
            message = (
                f"the attribute '{member.name}' of '{self.template.shown}' is a pack of any length: give it a list"
            )
        elif any(self.scope.values.get(symbol) is UNDEFINED for symbol in self.template.symbols(expression)):
            self.scope.values[member.symbol] = UNDEFINED
            return
        else:
            message = (
                f"the attribute '{member.name}' of '{self.template.shown}' is a pack of '{written(expression)}' items, "
                "but nothing here determines how many that is: give it a list"
            )
        failed = self.binding.fail(rules.UNIFORM_LENGTH, message, member)
        raise BindingFailed(replace(failed.failure, instead="[…]", is_safe=True))

    def _demand_lengths(self) -> None:
        """Demand that a pack with a value has a length, which is null if it depends on a missing attribute (2.6.2)."""
        for member in (*self.template.attributes, *self.template.inputs):
            length = self._declared_length(member)
            if length is None or self.scope.values.get(member.symbol) is NULL or self.scope.attempt(length) is not NULL:
                continue
            absent = self._null_symbols(length)
            if absent and all(symbol.kind is SymbolKind.ATTRIBUTE for symbol in absent):
                names = " and ".join(f"'{symbol.name}'" for symbol in absent)
                message = (
                    f"the length of '{member.name}' can't be null, but {names} is: '{written(length)}' needs a value"
                )
                raise self.binding.fail(rules.NULL_NOT_ALLOWED, message, member)

    def _bind_missing(self) -> None:
        """Bind remaining symbols: null if only omitted parameters would bind them, unknown if unknown values would."""
        values = self.scope.values
        missing = self.template.signature_symbols - values.keys()
        if not missing:
            return
        parameters = (*self.template.attributes, *self.template.inputs)
        unknown = [member.node for member in parameters if values.get(member.symbol) is UNDEFINED]
        undetermined = {symbol for node in unknown for symbol in self.template.symbols(node)}
        for symbol in self.template.resolution.symbols:
            if symbol in missing:
                values[symbol] = UNDEFINED if symbol in undetermined else NULL


def _is_known(value: Value) -> bool:
    match value:
        case Maybe():
            return _is_known(value.value)
        case Pack():
            return all(map(_is_known, value.elements))
        case Tensor():
            return value.shape is not None
    return value is NULL


def element_type(value: Value) -> str | None:
    """Return the element type of a value; None if it is not known."""
    match value:
        case Maybe():
            return element_type(value.value)
        case Tensor():
            return value.dtype
        case Pack():
            return element_type(value.elements[0]) if value.segments else value.dtype
    return dtype_of(value)
