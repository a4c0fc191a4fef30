"""Attributes of an invocation: which there are, and the types of their values (2.5, 2.10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snd_analysis import rules
from snd_analysis.base import Edit, Note, Repair, Rule, Span, counted
from snd_analysis.skriptnd.names import OperatorName, foreign_attribute, opposite_attribute
from snd_analysis.skriptnd.syntax import close_matches, nodes
from snd_analysis.skriptnd.types.compose.branches import is_null
from snd_analysis.skriptnd.types.compose.invocation.binding import ShapeBinding
from snd_analysis.skriptnd.types.compose.invocation.generics import TypeBinding
from snd_analysis.skriptnd.types.compose.typing_state import TypingState
from snd_analysis.skriptnd.types.context import Stage
from snd_analysis.skriptnd.types.expressions.functions import is_empty_list
from snd_analysis.skriptnd.types.expressions.inference import infer
from snd_analysis.skriptnd.types.expressions.packs.expansions import bool_condition
from snd_analysis.skriptnd.types.fixes import as_arguments, as_list, as_real, without
from snd_analysis.skriptnd.types.signature import AttributeParameter, Signature, TensorParameter, elsewhere
from snd_analysis.skriptnd.types.type import BOOL, Type, Typed
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer, Truth


def attribute_values(work: TypingState, given: nodes.Attributes | None) -> list[Typed]:
    """Type the values of the attributes that are given."""
    with work.context.at(Stage.COMPILE_TIME):
        return [infer(work.context, item.value) for item in (given.items if given is not None else ())]


class AttributeCheck:
    """The attributes of one invocation, checked in the order in which they are written."""

    def __init__(
        self,
        work: TypingState,
        name: OperatorName,
        signature: Signature,
        types: TypeBinding,
        shapes: ShapeBinding,
        call: nodes.Call | None = None,
    ) -> None:
        self._work = work
        self._name = name
        self._signature = signature
        self._types = types
        self._shapes = shapes
        self._call = call

    def check(self, given: nodes.Attributes | None, values: Sequence[Typed], place: nodes.Node) -> None:
        """Check the given attributes, and that none is missing; ``place`` is the name of the operator."""
        seen: dict[str, nodes.Attribute] = {}
        for item, typed in zip(given.items if given is not None else (), values, strict=True):
            name = item.name.text
            if item.colon:
                self._report_colon(item)
            parameter = self._signature.attributes.get(name)
            if name and parameter is None:
                self._report_unknown(item)
                self._shapes.give_up()  # its lost value may decide about the results
            elif name in seen:
                self._shapes.give_up()
                note = self._work.context.note(seen[name].name, "first given here")
                self._work.context.report(
                    rules.DUPLICATE_ATTRIBUTE, item.name, f"the attribute '{name}' is given a second time", (note,)
                )
            elif parameter is not None:
                seen[name] = item
                self._value(parameter, item, typed)
        absent = self._absent(seen)
        for parameter in self._signature.attributes.values():
            if parameter.symbol.name in seen:
                continue
            self._omitted(parameter)
            needed = parameter.required
            default = parameter.node.default
            null = default is not None and is_null(default.value, absent)
            if (needed or null) and parameter.type is not None:
                self._types.forget(parameter.type.dtype)
            if (needed or null) and not self._misspelt(parameter.symbol.name, given):
                self._report_missing(parameter, place, null)

    def _absent(self, given: Mapping[str, nodes.Attribute]) -> frozenset[str]:
        """Return the optional attributes that are null because they are not given."""
        attributes = self._signature.attributes.items()
        return frozenset(name for name, parameter in attributes if parameter.node.optional and name not in given)

    # ---- values ------------------------------------------------------------------------------------------------------
    def _value(self, parameter: AttributeParameter, item: nodes.Attribute, typed: Typed) -> None:
        formal, actual = parameter.type, typed.type
        if formal is None:
            return
        if actual is None:
            self._types.deduce(formal.dtype, None, item.value, self._role(parameter))
            return
        if not self._fits(parameter, formal, actual, item):
            self._types.forget(formal.dtype)
            return
        if not self._has_type(parameter, formal, actual, item):
            return
        if formal.packed and actual.packed:
            self._bind_length(parameter, item, actual)
        elif not formal.packed and not actual.optional:
            self._bind_value(parameter, typed, bool_condition(self._work.context, item.value, typed))

    def _fits(self, parameter: AttributeParameter, formal: Type, actual: Type, item: nodes.Attribute) -> bool:
        """Return whether the value is known at compile time, and matches the attribute in packing and nullability.

        Report the first mismatch.
        """
        name, node = parameter.symbol.name, item.value
        wanted = formal
        if actual.tensor:
            message = (
                f"the attribute '{name}' has the type '{wanted}', whose value must be known at compile time, "
                f"but this is a tensor of type '{actual}'"
            )
            self._report(rules.TENSOR_IN_EXPRESSION, node, message, parameter)
            return False
        fits = formal.dtype.is_generic or formal.dtype == actual.dtype
        if actual.packed and not formal.packed:
            message = f"the attribute '{name}' has the type '{wanted}', but this is a pack of type '{actual}'"
            self._report(rules.UNEXPECTED_PACK, node, message, parameter)
            return False
        if formal.packed and not actual.packed and not parameter.has_length:
            message = (
                f"the attribute '{name}' has the type '{wanted}' and needs a list, but this is a single value of type "
                f"'{actual}': nothing determines how often to repeat it"
            )
            repair = as_list(self._work.context, node, node) if fits else None
            self._report(rules.PACK_EXPECTED, node, message, parameter, repair)
            return False
        if actual.optional and not formal.optional and fits:
            message = f"the attribute '{name}' can't be null, but this may be: its type is '{actual}'"
            self._report(rules.NULL_NOT_ALLOWED, node, message, parameter)
            self._work.context.presume(node)
        return True

    def _has_type(self, parameter: AttributeParameter, formal: Type, actual: Type, item: nodes.Attribute) -> bool:
        if is_empty_list(item.value):
            return True
        if formal.dtype.is_generic:
            return self._types.deduce(formal.dtype, actual.dtype, item.value, self._role(parameter))
        if formal.dtype == actual.dtype:
            return True
        message = f"the attribute '{parameter.symbol.name}' has the type '{formal}', but this is '{actual}'"
        repair = as_real(self._work.context, item.value, formal.dtype, actual.dtype)
        self._report(rules.TYPE_MISMATCH, item.value, message, parameter, repair)
        return False

    def _bind_length(self, parameter: AttributeParameter, item: nodes.Attribute, actual: Type) -> None:
        """Bind the length of a packed attribute, from which a rank or a number of results may follow (2.6.2)."""
        if parameter.type is None or parameter.type.length is None or actual.length is None or actual.optional:
            return
        length = actual.length

        def complain(needed: Integer) -> None:
            if shapes.is_negative(needed):
                return  # composing says so
            message = (
                f"the attribute '{parameter.symbol.name}' has the type '{parameter.type}' "
                f"and needs {counted(needed, 'item')} here, but this has {length}"
            )
            self._report(rules.LENGTH_MISMATCH, item.value, message, parameter)

        self._shapes.equate_length(parameter.type.length, length, complain if self._work.shapes_certain else None)

    def _omitted(self, parameter: AttributeParameter) -> None:
        """Bind the value or length of a default.

        The default of an attribute that may be null binds only if it is not null (2.5).
        """
        default, formal = parameter.default, parameter.type
        if default is None or default.type is None or formal is None:
            return
        if default.type.packed:
            self._bind_default_length(parameter, default.type)
        elif not formal.packed and not default.type.optional:
            match parameter.node.default:
                case nodes.Default(value=nodes.Literal(value=bool(value))):
                    self._bind_value(parameter, default, shapes.truth(value))
                case _:
                    self._bind_value(parameter, default, None)

    def _bind_value(self, parameter: AttributeParameter, typed: Typed, truth: Truth | None) -> None:
        self._shapes.bind(parameter.value, typed.value)
        if truth is not None:
            self._shapes.bind_condition((self._signature.definition, parameter.symbol.name), truth)

    def _bind_default_length(self, parameter: AttributeParameter, default: Type) -> None:
        if parameter.type is None or parameter.type.length is None or default.length is None:
            return
        self._shapes.relate(parameter.type.length, default.length)

    # ---- messages ----------------------------------------------------------------------------------------------------
    def _role(self, parameter: AttributeParameter) -> str:
        return f"the attribute '{parameter.symbol.name}'"

    def _report(
        self,
        rule: Rule,
        node: nodes.Node,
        message: str,
        parameter: AttributeParameter,
        repair: Repair | None = None,
    ) -> None:
        self._work.context.report(rule, node, message, (self._note(parameter),), repair)

    def _note(self, parameter: AttributeParameter) -> Note:
        name = parameter.symbol.name
        return elsewhere(self._name, f"the attribute '{name}' is declared here", name)

    def _report_input(self, item: nodes.Attribute) -> None:
        """Report ``f{x=a}()`` for ``f(a)``, where ``x`` is an input.

        If it is optional, report ``f{x=false}()`` for ``f()``.
        """
        name, call, context = item.name.text, self._call, self._work.context
        parameter = next(each for each in self._signature.inputs if each.symbol.name == name)
        message = f"'{name}' is an input of '{self._name.name}', not an attribute"
        note = elsewhere(self._name, f"the input '{name}' is declared here", name)
        repair = None
        match item.value:
            case nodes.Literal(value=False) if not parameter.required and _is_not_bool(parameter):
                message = f"{message}: give no argument for it to leave it out"
                if call is not None and call.attributes is not None:
                    repair = without(context, call.attributes, item)
            case _:
                message = f"{message}: give it as an argument, in parentheses"
                repair = None if call is None else as_arguments(context, call, self._signature)
        context.report(rules.UNKNOWN_ATTRIBUTE, item.name, message, (note,), repair)

    def _report_unknown(self, item: nodes.Attribute) -> None:
        name = item.name.text
        if any(parameter.symbol.name == name for parameter in self._signature.inputs):
            self._report_input(item)
            return
        foreign = foreign_attribute(name, self._signature.attributes)
        opposite = opposite_attribute(name, self._signature.attributes)
        close = [foreign] if foreign else close_matches(name, list(self._signature.attributes))
        hint = self._known_attributes()
        repair = None
        if opposite:
            hint = f"; '{opposite}' is its opposite"
            if isinstance(item.value, nodes.Literal) and isinstance(item.value.value, bool):
                text = f"{opposite}={'false' if item.value.value else 'true'}"
                repair = Repair(f"write '{text}'", (Edit(self._work.context.span(item), text),), safe=False)
        elif close:
            hint = f"; did you mean '{close[0]}'?"
            edit = Edit(self._work.context.span(item.name), close[0])
            repair = Repair(f"write '{close[0]}'", (edit,), safe=False)
        message = f"'{self._name.name}' has no attribute '{name}'{hint}"
        note = elsewhere(self._name, f"'{self._name.name}' is defined here")
        self._work.context.report(rules.UNKNOWN_ATTRIBUTE, item.name, message, (note,), repair)

    def _known_attributes(self) -> str:
        names = list(self._signature.attributes)
        if not names:
            return ": it has none"
        return f": it has {', '.join(repr(name) for name in names[:6])}{', …' if len(names) > 6 else ''}"

    def _misspelt(self, name: str, given: nodes.Attributes | None) -> bool:
        """Return whether a given attribute that does not exist is probably a misspelling of this one.

        Then only the misspelling is reported.
        """
        known = self._signature.attributes
        written = {item.name.text for item in (given.items if given is not None else ())}
        unknown = written - known.keys()
        missing = [each for each, parameter in known.items() if parameter.required and each not in written]
        if len(unknown) == len(missing) == 1:
            return True
        return any(name in (foreign_attribute(item, known), *close_matches(item, list(known))) for item in unknown)

    def _report_missing(self, parameter: AttributeParameter, place: nodes.Node, null: bool) -> None:
        name = parameter.symbol.name
        why = "whose default is null here" if null else "which has no default"
        message = f"'{self._name.name}' needs a value for its attribute '{name}', {why}"
        if parameter.type is not None:
            message = f"{message}: its type is '{parameter.type}'"
        self._work.context.report(rules.MISSING_ATTRIBUTE, place, message, (self._note(parameter),))

    def _report_colon(self, item: nodes.Attribute) -> None:
        context = self._work.context
        between = Span(item.name.end, item.value.start).shifted(context.base)
        repair = Repair("write '='", (Edit(between, "="),))
        message = f"the value of an attribute stands after '=': '{item.name.text}=…'"
        context.report(rules.ATTRIBUTE_COLON, item, message, repair=repair)


def _is_not_bool(parameter: TensorParameter) -> bool:
    return parameter.type is not None and parameter.type.dtype != BOOL and not parameter.type.dtype.is_generic
