"""Expressions and statements of one body: compile-time values by arithmetic, tensors by invocations.

Fragments are elaborated at each of their invocations, with the values and shapes that these give.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Edit, Repair, Rule, Span, checkpoint
from snd_analysis.compose import Template
from snd_analysis.model import Tensor
from snd_analysis.nnef1.elaborate.arithmetic import (
    OperandError,
    TooLargeError,
    binary,
    cast,
    demand_size,
    of_items,
    unary,
    whole,
)
from snd_analysis.nnef1.elaborate.context import BodyValues, ElaborationContext, FragmentCall, FragmentInvocation, Frame
from snd_analysis.nnef1.elaborate.demands import demands
from snd_analysis.nnef1.elaborate.extents.refused import with_distinct_axes
from snd_analysis.nnef1.elaborate.extents.symbolic_bounds import with_resolved_bounds
from snd_analysis.nnef1.elaborate.folding import folded, plain
from snd_analysis.nnef1.elaborate.invocations import invoke
from snd_analysis.nnef1.elaborate.items.item_types import Given, generic_type, suits
from snd_analysis.nnef1.elaborate.operators import OperationParameter, parameters
from snd_analysis.nnef1.elaborate.quantized_operations import (
    CAST,
    ON_EXTENTS,
    has_quantized,
    invoke_quantized,
    type_of_target,
)
from snd_analysis.nnef1.elaborate.values import (
    UNKNOWN,
    ElaboratedValue,
    GraphTensor,
    ItemList,
    has_streams,
    made_of,
    mentions,
    type_name,
)
from snd_analysis.nnef1.limits import (
    MOST_CHARACTERS,
    MOST_INVOCATIONS_WITHIN,
    MOST_ITEMS,
    MOST_ITEMS_MADE,
    MOST_STATEMENTS,
)
from snd_analysis.nnef1.names import assigned_names
from snd_analysis.nnef1.syntax import BUILT_INS, Dialect, nodes, written_type
from snd_analysis.skriptnd.syntax import close_matches
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Truth

Source = Callable[["BodyEvaluator", nodes.Call, Mapping[str, Given], "nodes.Expression | None"], ElaboratedValue]
"""Evaluator of an operation that is a declaration in SkriptND."""

_OF_ITEMS = frozenset(["+", "-", "*", "/"])
"""Operators that tract applies to the items of arrays."""
_BINARY = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "^": "pow", "<": "lt", "<=": "le", ">": "gt", ">=": "ge",
    "==": "eq", "!=": "ne", "&&": "and", "||": "or",
}  # fmt: skip
_BY_PLACE = frozenset(
    [*_BINARY.values(), "min", "max", "tract_core_xor", "tract_core_bitand", "tract_core_bitor", "tract_core_bitxor",
     "tract_shl", "tract_shr"]
)  # fmt: skip
"""Operations whose arguments tract binds by position, whatever their names."""
_WITH_SYMBOLS = {"slice": ("begin", "end"), "tract_core_broadcast": ("shape",)}
"""Attributes in which tract makes symbols of unknown names, besides the shapes of inputs."""
_SYMBOL = re.compile(r"[A-Z][A-Z0-9_]*")
_UNARY = {"-": "neg", "!": "not", "+": "copy"}


class BodyEvaluator:
    """Evaluator of the statements and expressions of one body."""

    def __init__(
        self,
        context: ElaborationContext,
        frame: Frame,
        sources: Mapping[str, tuple[tuple[OperationParameter, ...], Source]],
    ) -> None:
        self.context = context
        self.frame = frame
        self.makes_symbols = False
        """True if a name that nothing bears is a symbol: in the shape of an input, for tract."""
        self._sources = sources

    def report(self, rule: Rule, node: nodes.Node | Span, message: str) -> ElaboratedValue:
        """Report a broken rule; return UNKNOWN as the value."""
        self.context.report(self.frame, rule, node, message)
        return UNKNOWN

    # ---- statements --------------------------------------------------------------------------------------------------
    def body(self, entries: Sequence[nodes.Entry]) -> tuple[Mapping[str, ElaboratedValue], ...]:
        """Elaborate the entries of a body; return the values that each assigns."""
        found: list[Mapping[str, ElaboratedValue]] = []
        for entry in entries:
            self.entry(entry)
            names = self.frame.names
            found.append({name: names[name] for name in assigned_names(entry) if name in names})
        return tuple(found)

    def entry(self, entry: nodes.Entry) -> None:
        """Elaborate the statements of an entry."""
        self.frame.base = entry.start
        for statement in entry.statements:
            checkpoint()
            of_fragment = bool(self.frame.chain)
            self.context.statements += of_fragment
            self.context.record.statements += of_fragment
            if self.context.statements > MOST_STATEMENTS:
                message = f"the fragments expand to more than {MOST_STATEMENTS:,} statements: more than snd can handle"
                self.context.record.is_lasting = False
                self.report(rules.VALUE_TOO_LARGE, _target_span(statement), message)
                if isinstance(statement, nodes.Assignment):
                    self._assign(statement.target, UNKNOWN)
                continue
            if isinstance(statement, nodes.Assignment):
                self._assignment(statement)
            else:
                for name in statement.names:
                    self.frame.names[name.text] = UNKNOWN

    def _assignment(self, statement: nodes.Assignment) -> None:
        first = _first_name(statement.target)
        self.frame.making = "" if first is None else self.frame.named(first.text)
        if isinstance(statement.value, nodes.Call):
            value = self._call(statement.value, statement.target)
        else:
            value = self.evaluate(statement.value)
        self._assign(statement.target, value)

    def _assign(self, target: nodes.Expression, value: ElaboratedValue) -> None:
        match target:
            case nodes.Identifier():
                if self.context.dialect is Dialect.KHRONOS:
                    value = self._assignable(target, value)
                else:
                    value = self._single_value(target, value)
                self.frame.names[target.text] = value
            case nodes.Array(items=(single,)) | nodes.Tuple(items=(single,)) if (
                self.context.dialect is Dialect.TRACT and not isinstance(value, ItemList)
            ):
                self._assign(single, value)
            case nodes.Array() | nodes.Tuple():
                values: Sequence[ElaboratedValue] = (UNKNOWN,) * len(target.items)
                if isinstance(value, ItemList) and len(value.values) == len(target.items):
                    values = value.values
                    if value.is_tuple is isinstance(target, nodes.Array) and self.context.dialect is Dialect.KHRONOS:
                        what, brackets = ("a tuple", "( )") if value.is_tuple else ("an array", "[ ]")
                        message = f"this gives {what} of results: write their names in '{brackets}'"
                        self.report(rules.RESULT_COUNT, target, message)
                elif isinstance(value, ItemList):
                    message = f"there are {len(value.values)} results, but {len(target.items)} names for them"
                    self.report(rules.RESULT_COUNT, target, message)
                elif value is not UNKNOWN:
                    self.report(
                        rules.RESULT_COUNT, target, f"there is one result, but {len(target.items)} names for it"
                    )
                for item, each in zip(target.items, values, strict=True):
                    self._assign(item, each)
            case _:
                self.report(rules.SYNTAX_ERROR, target, "only names can be assigned, in arrays or tuples")

    def _single_value(self, target: nodes.Identifier, value: ElaboratedValue) -> ElaboratedValue:
        """Return a value that a name can have for tract; UNKNOWN for several results, which are reported."""
        if not isinstance(value, ItemList) or not value.is_tuple:
            return value
        message = f"there are {len(value.values)} results, but one name for them: write a name for each, in '( )'"
        return self.report(rules.RESULT_COUNT, target, message)

    def _assignable(self, target: nodes.Identifier, value: ElaboratedValue) -> ElaboratedValue:
        """Return the value for a name; report a value that a name can't have, and return UNKNOWN."""
        name = target.text
        if name in self.frame.names and name not in self.frame.said:
            self.report(rules.ASSIGNED_TWICE, target, f"'{name}' is assigned already")
        elif self.frame.chain:
            return value
        elif isinstance(value, ItemList):
            what = "a tuple" if value.is_tuple else "an array"
            message = f"names in a graph denote single tensors, but this is {what}: write a name for each item"
            return self.report(rules.RESULT_COUNT, target, message)
        elif name in self.context.parameters and name not in self.context.inputs and value is not UNKNOWN:
            message = f"the graph parameter '{name}' must be the result of an 'external'"
            self.report(rules.ILLEGAL_ASSIGNMENT, target, message)
        return value

    def invoke_with(self, node: nodes.Call, target: nodes.Expression, values: Sequence[Given]) -> None:
        """Elaborate an invocation with values for its arguments; assign its results."""
        self._assign(target, self._invoke(node, target, values))

    # ---- expressions -------------------------------------------------------------------------------------------------
    def evaluate(self, node: nodes.Expression) -> ElaboratedValue:
        """Return the value of an expression; UNKNOWN if it has none, which is reported."""
        match node:
            case nodes.Identifier():
                return self._named(node)
            case nodes.Number(text=text):
                return self._computed(node, [], lambda: whole(text) if text.isdigit() else float(text))
            case nodes.String(value=value):
                return value
            case nodes.Logical(value=known):
                return TRUE if known else FALSE
            case nodes.Array(items=items):
                return self._computed(node, [], lambda: ItemList(tuple(map(self.evaluate, items))))
            case nodes.Tuple(items=items):
                return ItemList(tuple(map(self.evaluate, items)), is_tuple=True)
            case nodes.Call():
                return self._call(node, None)
            case nodes.Unary():
                return self._unary(node)
            case nodes.Binary():
                return self._binary(node)
            case nodes.Select():
                return self._select(node)
            case nodes.Subscript():
                return self._subscript(node)
            case nodes.Comprehension():
                return self._comprehension(node)
            case _:
                return UNKNOWN

    def _named(self, node: nodes.Identifier) -> ElaboratedValue:
        found = self.frame.names.get(node.text)
        if found is None:
            found = self.context.symbols.get(node.text)
        if found is not None:
            return found
        if node.text in ("inf", "NaN", "nan") and self.context.dialect is Dialect.TRACT:
            return math.inf if node.text == "inf" else math.nan
        if self.makes_symbols and self.context.dialect is Dialect.TRACT:
            return self._undeclared_symbol(node)
        self.context.record.is_lasting = False  # other names may be meant
        if node.text in self.frame.said:
            return UNKNOWN
        self.frame.said.add(node.text)
        if any(node.text in assigned_names(entry) for entry in self.frame.body):
            return self.report(rules.USED_BEFORE_DEFINITION, node, f"'{node.text}' is assigned further down only")
        close = close_matches(node.text, (*self.frame.names, *self.context.symbols), most=1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        message = f"there is no '{node.text}' here{hint}"
        if self.context.dialect is Dialect.KHRONOS or _SYMBOL.fullmatch(node.text) is None:
            return self.report(rules.UNDEFINED_NAME, node, message)
        line = f"extension tract_symbol {node.text};"
        repair = self.context.header_line(line, is_safe=False)
        self.context.report(self.frame, rules.UNDEFINED_NAME, node, message, of_file=repair)
        return UNKNOWN

    def _undeclared_symbol(self, node: nodes.Identifier) -> ElaboratedValue:
        """Return a new symbol where tract makes one of an unknown name. Report that no line declares it."""
        close = close_matches(node.text, self.context.symbols, most=1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        message = f"no line declares the symbol '{node.text}'{hint}"
        repair = self.context.header_line(f"extension tract_symbol {node.text};", is_safe=not close)
        self.context.report(self.frame, rules.UNDECLARED_SYMBOL, node, message, of_file=repair)
        return self.context.symbol(node.text)

    def _unary(self, node: nodes.Unary) -> ElaboratedValue:
        value = self.evaluate(node.operand)
        if isinstance(value, GraphTensor):
            return self._operate(node, _UNARY[node.operator], [(value, node.operand)])
        return self._computed(node, [value], lambda: unary(node.operator, value))

    def _binary(self, node: nodes.Binary) -> ElaboratedValue:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        if node.operator in _BINARY and (isinstance(left, GraphTensor) or isinstance(right, GraphTensor)):
            if UNKNOWN in (left, right):
                return UNKNOWN
            return self._operate(node, _BINARY[node.operator], [(left, node.left), (right, node.right)])
        is_of_tract = self.context.dialect is Dialect.TRACT and node.operator in _OF_ITEMS
        compute = of_items if is_of_tract and not _is_tuple(left) and not _is_tuple(right) else binary
        return self._computed(node, [left, right], lambda: compute(node.operator, left, right))

    def _computed(
        self, node: nodes.Node, operands: Sequence[ElaboratedValue], compute: Callable[[], ElaboratedValue]
    ) -> ElaboratedValue:
        if any(each is UNKNOWN for each in operands):
            return UNKNOWN
        try:
            value = compute()
            if isinstance(value, ItemList):
                self._made(len(value.values))
            elif isinstance(value, str):
                demand_size(len(value), MOST_CHARACTERS, "characters")
        except OperandError as error:
            return self.report(rules.OPERAND_TYPE, node, str(error))
        except TooLargeError as error:
            self.context.record.is_lasting = False  # it depends on all that was computed before
            return self.report(rules.VALUE_TOO_LARGE, node, str(error))
        return value

    def _made(self, items: int) -> None:
        """Count the items of an array that was computed. Raise TooLargeError."""
        demand_size(items, MOST_ITEMS, "items")
        self.context.items_made += items
        self.context.record.items_made += items
        demand_size(self.context.items_made, MOST_ITEMS_MADE, "items, with all arrays that were computed before")

    def _select(self, node: nodes.Select) -> ElaboratedValue:
        condition = self.evaluate(node.condition)
        if condition is TRUE or condition is FALSE:
            return self.evaluate(node.value if condition is TRUE else node.alternative)
        return UNKNOWN if condition is UNKNOWN else self._no_condition(node.condition, condition)

    def _no_condition(self, node: nodes.Expression, value: ElaboratedValue) -> ElaboratedValue:
        """Report a condition that does not decide anything."""
        message = (
            f"whether '{value}' holds is not known when the graph is read"
            if isinstance(value, Truth)
            else f"a condition is a logical, but this is '{type_name(value)}'"
        )
        return self.report(rules.CONDITION_TYPE, node, message)

    def _subscript(self, node: nodes.Subscript) -> ElaboratedValue:
        target = plain(self.evaluate(node.target))
        if target is UNKNOWN:
            return UNKNOWN
        if not isinstance(target, ItemList | str):
            return self.report(rules.NOT_INDEXABLE, node.target, f"'{type_name(target)}' has no items")
        is_strict = self.context.dialect is Dialect.KHRONOS
        if is_strict and isinstance(target, ItemList) and target.is_tuple and not isinstance(node.index, nodes.Number):
            message = "an item of a tuple is chosen by a number as written, since its type depends on the number"
            return self.report(rules.INDEX_OUT_OF_RANGE, node.index, message)
        length = len(target.values) if isinstance(target, ItemList) else len(target)
        if isinstance(node.index, nodes.Range):
            first = self._index(node.index.first, 0)
            last = self._index(node.index.last, length)
            if first is None or last is None:
                return UNKNOWN
            if not 0 <= first <= last <= length:
                message = f"the range {first}:{last} is not within the {length} items"
                return self.report(rules.INDEX_OUT_OF_RANGE, node.index, message)
            return (
                replace(target, values=target.values[first:last])
                if isinstance(target, ItemList)
                else target[first:last]
            )
        at = self._index(node.index, 0)
        if at is None:
            return UNKNOWN
        if not 0 <= at < length:
            return self.report(rules.INDEX_OUT_OF_RANGE, node.index, f"there is no item {at}: there are {length} items")
        return target.values[at] if isinstance(target, ItemList) else target[at]

    def _index(self, node: nodes.Expression | None, omitted: int) -> int | None:
        if node is None:
            return omitted
        value = plain(self.evaluate(node))
        if isinstance(value, Integer) and value.value is not None:
            return value.value
        if value is not UNKNOWN:
            message = f"an index is an integer that is known, but this is '{type_name(value)}'"
            self.report(rules.TYPE_MISMATCH, node, message)
        return None

    def _comprehension(self, node: nodes.Comprehension) -> ElaboratedValue:
        sources = [self.evaluate(each.source) for each in node.iterators]
        if UNKNOWN in sources:
            return UNKNOWN
        for iterator, source in zip(node.iterators, sources, strict=True):
            if not isinstance(source, ItemList):
                message = f"only arrays can be iterated over, but this is '{type_name(source)}'"
                return self.report(rules.TYPE_MISMATCH, iterator.source, message)
        rows = [source.values for source in sources if isinstance(source, ItemList)]
        lengths = [len(row) for row in rows]
        if len(set(lengths)) > 1:
            message = f"the arrays must have equal lengths, but they have {' and '.join(map(str, lengths))} items"
            return self.report(rules.LENGTH_MISMATCH, node, message)
        outer = self.frame.names
        found: list[ElaboratedValue] = []
        is_known = True
        for items in zip(*rows, strict=True):
            if self._computed(node, [], lambda: ItemList((UNKNOWN,))) is UNKNOWN:
                is_known = False
                break
            self.frame.names = dict(outer)
            for iterator, item in zip(node.iterators, items, strict=True):
                self.frame.names.pop(getattr(iterator.target, "text", ""), None)
                self._assign(iterator.target, item)
            kept = TRUE if node.condition is None else self.evaluate(node.condition)
            if kept is TRUE:
                found.append(self.evaluate(node.item))
            elif kept is not FALSE and node.condition is not None:
                is_known = False
                if kept is not UNKNOWN:
                    self._no_condition(node.condition, kept)
        self.frame.names = outer
        return ItemList(tuple(found)) if is_known else UNKNOWN

    # ---- invocations -------------------------------------------------------------------------------------------------
    def _operate(
        self, node: nodes.Node, operation: str, operands: Sequence[tuple[ElaboratedValue, nodes.Expression]]
    ) -> ElaboratedValue:
        """Invoke the operation that an operator on tensors denotes."""
        name = nodes.Identifier(node.start, node.end, operation)
        arguments = tuple(nodes.Argument(each.start, each.end, None, each) for _, each in operands)
        call = nodes.Call(node.start, node.end, name, None, arguments)
        values = [Given(value, each.span, each) for value, each in operands]
        return self._invoke(call, None, values)

    def _call(self, node: nodes.Call, target: nodes.Expression | None) -> ElaboratedValue:
        if node.function.text in BUILT_INS:
            return self._built_in(node)
        return self._invoke(node, target, None)

    def _invoke(
        self, node: nodes.Call, target: nodes.Expression | None, values: Sequence[Given] | None
    ) -> ElaboratedValue:
        """Invoke a fragment or an operation. ``values`` are the values of the arguments, if they are known."""
        name = node.function.text
        fragment = self.context.names.fragments.get(name)
        if node.generic is not None and self.context.dialect is Dialect.KHRONOS and not self._is_generic(name):
            self.report(rules.GENERIC_COUNT, node.generic, f"'{name}' has no generic type to be given")
        if fragment is not None:
            expected = _parameters_of(fragment)
            if self.context.dialect is Dialect.KHRONOS and not _tensors_come_first(expected):
                return UNKNOWN  # which is reported at the fragment
            given = self._bound(node, expected, values)
            if given is None or not self._suits(node, fragment, given):
                return UNKNOWN
            return self.invoke_fragment(node, fragment, given, target)
        if name in self._sources:
            expected, make = self._sources[name]
            self.makes_symbols = True
            given = self._bound(node, expected, values)
            self.makes_symbols = False
            if given is None or has_quantized(given):
                return UNKNOWN
            return self._on_pulses(node, given, lambda bound: make(self, node, bound, target))
        template = self.context.template(name)
        if template is None or name not in self.context.operators.names(self.context.dialect):
            for argument in node.arguments:
                self.evaluate(argument.value)
            if name in self.context.names.unreadable:
                return UNKNOWN
            return self._unknown_operation(node.function)
        expected = parameters(template)
        is_typed = name == CAST and type_of_target(self.context, self.frame, target) is not None
        if is_typed:
            expected = tuple(replace(each, is_required=each.name == "input") for each in expected)
        bound = self._bound(node, expected, values)
        if bound is None:
            return UNKNOWN
        return self._on_pulses(node, bound, lambda given: self._operation(node, template, given, target, is_typed))

    def _on_pulses(
        self,
        node: nodes.Call,
        given: Mapping[str, Given],
        plain_call: Callable[[Mapping[str, Given]], ElaboratedValue],
    ) -> ElaboratedValue:
        """Invoke an operation, which may see a stream pulse by pulse."""
        if self.context.on_streams is not None and has_streams(each.value for each in given.values()):
            return self.context.on_streams(self, node, given, plain_call)
        return plain_call(given)

    def _operation(
        self,
        node: nodes.Call,
        template: Template,
        bound: Mapping[str, Given],
        target: nodes.Expression | None,
        is_typed: bool,
    ) -> ElaboratedValue:
        """Invoke an operation of the library."""
        name = node.function.text
        if is_typed or (has_quantized(bound) and name not in ON_EXTENTS):
            return invoke_quantized(self.context, self.frame, node.function, bound, target)
        taken = with_distinct_axes(name, bound) if self.context.dialect is Dialect.TRACT else bound
        known = folded(name, taken)
        if known is not None:
            for demand in demands(name, taken, self.context.dialect):
                self.context.report(self.frame, rules.ASSERTION_FAILS, demand.span, demand.message, demand.repair)
                return UNKNOWN
            return ItemList(tuple(map(made_of, known))) if isinstance(known, tuple) else made_of(known)
        pulse = self.context.pulse
        if pulse is not None and any(mentions(each.value, pulse.symbol) for each in bound.values()):
            message = f"'{name}' can't see '{pulse.symbol}' pulse by pulse: an argument is the length of the stream"
            return self.report(rules.ASSERTION_FAILS, node.function, message)
        if self.context.dialect is Dialect.KHRONOS:
            return invoke(self.context, self.frame, node.function, template, taken, target)
        value = invoke(self.context, self.frame, node.function, template, with_resolved_bounds(name, taken), target)
        return replace(value, is_tuple=True) if isinstance(value, ItemList) else value

    def _unknown_operation(self, function: nodes.Identifier) -> ElaboratedValue:
        operations = self.context.operators.names(self.context.dialect)
        names = {*self.context.names.fragments, *self._sources, *operations}
        close = close_matches(function.text, sorted(names), most=1)
        hint, repair = "", None
        if close:
            hint = f"; did you mean '{close[0]}'?"
            repair = Repair(f"Write '{close[0]}'", (Edit(function.span, close[0]),), safe=False)
        message = f"there is no operation '{function.text}'{hint}"
        self.context.report(self.frame, rules.UNKNOWN_OPERATOR, function, message, repair)
        return UNKNOWN

    def _is_generic(self, name: str) -> bool:
        """Return whether an invocation may name the type of items: operations of the text that take all types."""
        fragment = self.context.names.fragments.get(name)
        if fragment is not None:
            return fragment.head.generic is not None
        template = self.context.template(name)
        takes_all = template is not None and any(each.base.text == "type" for each in template.generics)
        return name in self._sources or takes_all or template is None

    def _bound(
        self, node: nodes.Call, expected: Sequence[OperationParameter], values: Sequence[Given] | None
    ) -> dict[str, Given] | None:
        """Return the arguments by name of the parameter; None if the invocation is invalid."""
        if self.context.dialect is Dialect.TRACT and values is None:
            return self._bound_by_tract(node, expected)
        found: dict[str, Given] = {}
        by_name = {each.name: each for each in expected}
        name = node.function.text
        is_right, is_named = True, False
        is_strict = self.context.dialect is Dialect.KHRONOS and values is None
        deprecated: list[nodes.Identifier] = []
        beyond = sum(each.name is None for each in node.arguments) - len(expected)
        if beyond > 0:
            argument = [each for each in node.arguments if each.name is None][len(expected)]
            most = f"{len(expected)} argument{'s' if len(expected) != 1 else ''}"
            message = f"'{name}' takes {most}, but this is argument {len(expected) + 1}"
            self.report(rules.TOO_MANY_ARGUMENTS, argument, message)
            return None
        for at, argument in enumerate(node.arguments):
            given = values[at] if values else Given(self.evaluate(argument.value), argument.value.span, argument.value)
            if argument.name is None:
                if is_named and is_strict:
                    message = "arguments without a name stand before those with one"
                    self.report(rules.SYNTAX_ERROR, argument, message)
                    return None
                parameter = expected[at]
                if not parameter.is_tensor and is_strict:
                    message = f"'{parameter.name}' is an attribute: name it, as in '{parameter.name} = …'"
                    self.report(rules.TOO_MANY_ARGUMENTS, argument, message)
            else:
                if argument.name.text not in by_name:
                    close = _close_parameters(argument.name.text, by_name)
                    hint = f"; did you mean '{close[0]}'?" if close else ""
                    message = f"'{name}' has no parameter '{argument.name.text}'{hint}"
                    self.report(rules.UNKNOWN_ATTRIBUTE, argument.name, message)
                    is_right = False
                    continue
                parameter, is_named = by_name[argument.name.text], True
                if parameter.is_tensor and is_strict:
                    deprecated.append(argument.name)
            if parameter.name in found:
                message = f"'{parameter.name}' of '{name}' is given twice"
                self.report(rules.DUPLICATE_ATTRIBUTE, argument, message)
                is_right = False
                continue
            found[parameter.name] = given
        for parameter in expected:
            if parameter.is_required and parameter.name not in found and is_right:
                self.report(rules.MISSING_ARGUMENT, node.function, f"'{name}' needs '{parameter.name}'")
                is_right = False
        if not is_right:
            return None
        self._demand_places(deprecated)
        return found

    def _demand_places(self, named: Sequence[nodes.Identifier]) -> None:
        """Report the names of arguments that are tensors: one mistake, however many there are."""
        if not named:
            return
        names = " and ".join(f"'{each.text}'" for each in named)
        why = (
            "is a tensor: its name is deprecated, its place is enough"
            if len(named) == 1
            else "are tensors: their names are deprecated, their places are enough"
        )
        self.report(rules.DEPRECATED_FORM, named[0], f"{names} {why}")

    def _bound_by_tract(self, node: nodes.Call, expected: Sequence[OperationParameter]) -> dict[str, Given] | None:
        """Return the arguments as tract binds them: tract looks up its parameters, and ignores the rest."""
        name, found = node.function.text, dict[str, Given]()
        by_name = {each.name: each for each in expected}
        by_place, is_told = name in _BY_PLACE or len(expected) == 1, False
        for at, argument in enumerate(node.arguments):
            named = None if argument.name is None else argument.name.text
            placed = expected[at] if at < len(expected) else None
            parameter = placed if named is None or by_place else by_name.get(named)
            before = self.makes_symbols
            self.makes_symbols = before or (parameter is not None and parameter.name in _WITH_SYMBOLS.get(name, ()))
            given = Given(self.evaluate(argument.value), argument.value.span, argument.value)
            self.makes_symbols = before
            message = None
            if parameter is None and named is not None and not by_place:
                close = _close_parameters(named, by_name)
                hint = f"; did you mean '{close[0]}'?" if close else ""
                message = f"tract ignores this argument: '{name}' has no parameter '{named}'{hint}"
            elif parameter is None:
                count = f"{len(expected)} parameter{'s' if len(expected) != 1 else ''}"
                message = f"tract ignores this argument: '{name}' has {count}"
            elif parameter.name in found:
                message = f"tract ignores this argument: '{parameter.name}' of '{name}' is given already"
            elif not is_told and named not in (None, parameter.name) and named in by_name:
                is_told = True  # the names of the others are wrong for that reason
                message = (
                    f"tract takes arguments of '{name}' by their places: this is '{parameter.name}', not '{named}'"
                )
            if message is not None:
                self.report(rules.IGNORED_ARGUMENT, argument, message)
            if parameter is not None:
                found.setdefault(parameter.name, given)
        missing = next((each.name for each in expected if each.is_required and each.name not in found), None)
        if missing is not None:
            self.report(rules.MISSING_ARGUMENT, node.function, f"'{name}' needs '{missing}'")
        return found if missing is None else None

    def _suits(self, node: nodes.Call, fragment: nodes.Definition, given: Mapping[str, Given]) -> bool:
        """Return whether arguments have the types of the parameters of a fragment; tract looks at none."""
        if self.context.dialect is Dialect.TRACT:
            return True
        found = True
        generic = None if node.generic is None else _generic(node, fragment.head, self.frame)
        for parameter in fragment.head.parameters:
            argument = given.get(parameter.name.text)
            if argument is None or parameter.type is None:
                continue
            own = generic_type(parameter.type, argument.value)
            generic = own if generic is None else generic
            is_other = own is not None and own != generic
            if is_other or not suits(parameter.type, argument.value):
                wanted = written_type(parameter.type).replace("?", generic or "?")
                message = (
                    f"'{parameter.name.text}' of '{fragment.head.name.text}' must be '{wanted}', "
                    f"but this is '{type_name(argument.value)}'"
                )
                rule = rules.GENERIC_CONFLICT if is_other else rules.TYPE_MISMATCH
                self.report(rule, argument.span, message)
                found = False
            if is_other:
                break  # it is not known which of the types is meant
        return found

    def _built_in(self, node: nodes.Call) -> ElaboratedValue:
        name = node.function.text
        if len(node.arguments) != 1 or node.arguments[0].name is not None:
            return self.report(rules.ARGUMENT_COUNT, node, f"'{name}' takes one argument, without a name")
        argument = node.arguments[0].value
        value = self.evaluate(argument)
        if value is UNKNOWN:
            return UNKNOWN
        match name, value:
            case "length_of", ItemList(values=values, is_tuple=False):
                return integers.constant(len(values))
            case "length_of", str():
                return integers.constant(len(value))
            case "range_of", ItemList(values=values, is_tuple=False):
                return self._computed(node, [], lambda: _positions(len(values)))
            case "range_of", str():
                return self._computed(node, [], lambda: _positions(len(value)))
            case "shape_of", GraphTensor(tensor=Tensor(shape=tuple() as shape)):
                if self.context.dialect is Dialect.KHRONOS:
                    message = "'shape_of' is deprecated: graphs are read before the shapes of tensors are known"
                    self.report(rules.DEPRECATED_FORM, node.function, message)
                return ItemList(tuple(each for each in shape if isinstance(each, Integer)))
            case (("length_of" | "range_of" | "shape_of"), _):
                what = "a tensor" if name == "shape_of" else "an array or a string"
                message = f"'{name}' takes {what}, but this is '{type_name(value)}'"
                return self.report(rules.TYPE_MISMATCH, argument, message)
        return self._computed(node, [value], lambda: cast(name, value))

    def invoke_fragment(
        self, node: nodes.Call, fragment: nodes.Definition, given: Mapping[str, Given], target: nodes.Expression | None
    ) -> ElaboratedValue:
        """Elaborate the body of a fragment with the values of its parameters; return its result, a tuple of several."""
        head, outer = fragment.head, self.frame
        name = head.name.text
        self.context.record.fragments.add(name)
        if len(outer.chain) >= MOST_INVOCATIONS_WITHIN:
            message = f"'{name}' is invoked in more than {MOST_INVOCATIONS_WITHIN} levels: does the recursion end?"
            return self.report(rules.RECURSIVE_OPERATOR, node.function, message)
        if fragment.body is None:
            return UNKNOWN if len(head.results) == 1 else ItemList((UNKNOWN,) * len(head.results), is_tuple=True)
        names = {each: value.value for each, value in given.items()}
        place = FragmentInvocation(name, node.function.span.shifted(outer.base))
        prefix = f"{outer.making}." if outer.making else ""
        results = dict(_renamed(head, target, outer)) if target is not None else {}
        inner = Frame(
            names,
            (*outer.chain, place),
            fragment.start,
            prefix,
            results,
            fragment.body,
            generic=_generic(node, head, outer),
            given={name: (each, outer) for name, each in given.items()},
        )
        inner.said |= names.keys() & {each.name.text for each in head.results}  # declared twice
        evaluator = BodyEvaluator(self.context, inner, self._sources)
        for parameter in head.parameters:
            if parameter.name.text not in names and parameter.default is not None:
                names[parameter.name.text] = evaluator.evaluate(parameter.default)
        parameters_given = dict(names)
        values_of_entries = evaluator.body(fragment.body)
        self.context.record.bodies.append((name, BodyValues(parameters_given, values_of_entries)))
        inner.base = fragment.start
        values = [evaluator.result(each) for each in head.results]
        if not outer.chain:
            self.context.record.calls.append(FragmentCall(place, prefix, parameters_given, tuple(values)))
        return values[0] if len(values) == 1 else ItemList(tuple(values), is_tuple=True)

    def result(self, node: nodes.Result) -> ElaboratedValue:
        """Return the value assigned to a result of the body."""
        value = self.frame.names.get(node.name.text)
        if value is None:
            return self.report(rules.OUTPUT_NOT_ASSIGNED, node.name, f"the result '{node.name.text}' is never assigned")
        return value


def _close_parameters(name: str, parameters: Collection[str]) -> Sequence[str]:
    """Return the parameter that a misspelt, shortened or extended name means, if there is one."""
    shared = [each for each in parameters if len(min(each, name, key=len)) > 1 and each.startswith(name[: len(each)])]
    return shared[:1] or close_matches(name, parameters, most=1)


def _positions(length: int) -> ItemList:
    demand_size(length, MOST_ITEMS, "items")
    return ItemList(tuple(map(integers.constant, range(length))))


def _parameters_of(fragment: nodes.Definition) -> tuple[OperationParameter, ...]:
    return tuple(
        OperationParameter(
            each.name.text, _is_tensor(each.type), isinstance(each.type, nodes.ArrayType), each.default is None
        )
        for each in fragment.head.parameters
    )


def _tensors_come_first(expected: Sequence[OperationParameter]) -> bool:
    return all(before.is_tensor or not after.is_tensor for before, after in pairwise(expected))


def _is_tensor(type_: nodes.Type | None) -> bool:
    match type_:
        case nodes.TensorType():
            return True
        case nodes.ArrayType(item=item):
            return _is_tensor(item)
        case nodes.TupleType(items=items):
            return any(map(_is_tensor, items))
    return False


def _renamed(head: nodes.Head, target: nodes.Expression, outer: Frame) -> list[tuple[str, str]]:
    """Return the names of a fragment's results, each with the name that the invoking body gives it."""
    targets = target.items if len(head.results) > 1 and isinstance(target, nodes.Array | nodes.Tuple) else (target,)
    return [
        (result.name.text, outer.named(each.text))
        for result, each in zip(head.results, targets, strict=False)
        if isinstance(each, nodes.Identifier)
    ]


def _generic(node: nodes.Call, head: nodes.Head, outer: Frame) -> str | None:
    if node.generic is not None:
        return outer.generic if node.generic.text == "?" else node.generic.text
    return None if head.generic is None or head.generic.default is None else head.generic.default.text


def _first_name(target: nodes.Expression) -> nodes.Identifier | None:
    if isinstance(target, nodes.Identifier):
        return target
    items = target.items if isinstance(target, nodes.Array | nodes.Tuple) else ()
    return next((name for item in items if (name := _first_name(item)) is not None), None)


def _is_tuple(value: ElaboratedValue) -> bool:
    return isinstance(value, ItemList) and value.is_tuple


def _target_span(statement: nodes.Statement) -> Span:
    return statement.target.span if isinstance(statement, nodes.Assignment) else statement.span
