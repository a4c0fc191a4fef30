"""Comparison of outputs and updated variables with their declarations (2.10, 2.11)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.compose.body.annotations import disagree, narrowed
from snd_analysis.compose.body.state import BodyState
from snd_analysis.compose.failure import Failure, Site
from snd_analysis.compose.specialization import tensor_text
from snd_analysis.compose.template import Member, Template
from snd_analysis.model import Tensor, TensorValue, tensor_value
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict
from snd_analysis.symbolic.values import UNDEFINED, ItemRun, Maybe, Pack, Value


def finished_outputs(state: BodyState) -> tuple[TensorValue, ...]:
    """Return the outputs as invocations see them, checked against their declarations, which they may complete."""
    outputs: list[TensorValue] = []
    for member, declared in zip(state.template.outputs, state.declared.outputs, strict=True):
        is_ambiguous = member.symbol in state.template.resolution.ambiguous
        if not is_ambiguous and not state.template.is_wrong(member.base, member.node):
            declared = _checked_output(state, member, declared, state.outputs.get(member.symbol, UNDEFINED))
        outputs.append(declared)
    return tuple(outputs)


def _checked_output(state: BodyState, member: Member, declared: TensorValue, composed: TensorValue) -> TensorValue:
    """Return the output as invocations see it: as declared, or as composed if the declaration leaves the shape open."""
    if composed is UNDEFINED:
        return declared
    if declared is UNDEFINED:
        return composed if member.node.pack is None or isinstance(composed, Pack) else UNDEFINED
    problem = _difference(declared, composed)
    if problem is None:
        return _completed(declared, composed)
    message = (
        f"the output '{member.name}' is declared as '{_declared_text(member)}'"
        f"{_coming_to(member, declared)}, but it is composed as '{tensor_text(composed)}'{problem}"
    )
    site = Site(state.template.place(member.base, member.node), f"the output '{member.name}' is declared here")
    state.failures.append(Failure(rules.OUTPUT_SHAPE, message, (site,)))
    return declared


def check_alternatives(
    state: BodyState, name: nodes.Name | None, result: TensorValue, parts: Sequence[tuple[nodes.Node, TensorValue]]
) -> None:
    """Report the first branch that can't be the output that it is assigned to, though another can.

    ``finished_outputs`` reports mismatches of all branches.
    """
    symbol = None if name is None else state.template.resolution.targets.get(name)
    members = zip(state.template.outputs, state.declared.outputs, strict=True)
    member, declared = next(((each, value) for each, value in members if each.symbol is symbol), (None, UNDEFINED))
    if member is None or _difference(declared, result) is not None:
        return
    wrong = [(node, value) for node, value in parts if _difference(declared, value) is not None]
    if not wrong or len(wrong) == len(parts):
        return
    node, value = wrong[0]
    message = (
        f"the output '{member.name}' is declared as '{_declared_text(member)}'{_coming_to(member, declared)}, "
        f"but in this branch it is composed as '{tensor_text(value)}'{_difference(declared, value)}"
    )
    related = Site(state.template.place(member.base, member.node), f"the output '{member.name}' is declared here")
    state.fail(rules.OUTPUT_SHAPE, node, message, (related,))


def as_declared(state: BodyState, name: nodes.Name, symbol: Symbol, value: TensorValue) -> TensorValue:
    """Return the value of an output, with the declared extents where only the run can compare them."""
    members = zip(state.template.outputs, state.declared.outputs, strict=True)
    declared = next((each for member, each in members if member.symbol is symbol), UNDEFINED)
    if _difference(declared, value) is not None:
        return value
    return _agreeing(state, declared, value, f"the output '{name.text}' must be '{tensor_text(declared)}'", name)


def _agreeing(
    state: BodyState, declared: TensorValue, value: TensorValue, message: str, name: nodes.Name
) -> TensorValue:
    items: Sequence[object] = (declared,)
    if isinstance(declared, Pack):
        items = declared.elements
        if isinstance(value, Pack):
            state.check(shapes.compare("==", declared.length, value.length), message, name)
    wanted = {each.shape for each in items if isinstance(each, Tensor)}
    shape = next(iter(wanted)) if len(wanted) == 1 else None
    return value if shape is None else narrowed(state, shape, value, message, name)


def check_update(state: BodyState, name: nodes.Name, symbol: Symbol, value: TensorValue) -> None:
    """Demand that a new value of a variable has its shape (2.11)."""
    declared = tensor_value(state.scope.values.get(symbol, UNDEFINED))
    problem = _difference(declared, value)
    if problem is None:
        _agreeing(state, declared, value, f"the variable '{name.text}' must stay '{tensor_text(declared)}'", name)
        return
    message = (
        f"the variable '{name.text}' is '{tensor_text(declared)}', but its new value is '{tensor_text(value)}'{problem}"
    )
    related = Site(state.template.declared(symbol), f"the variable '{name.text}' is declared here")
    state.fail(rules.UPDATE_SHAPE, name, message, (related,))


def _difference(declared: Value, composed: Value) -> str | None:
    """Return the certain difference between a composed value and its declaration, for a message.

    None if there may be no difference.
    """
    if isinstance(declared, Maybe):
        declared = declared.value
    if isinstance(composed, Maybe):
        composed = composed.value
    if isinstance(declared, Pack) and isinstance(composed, Pack):
        if shapes.decide_equal(declared.length, composed.length) is EqualityVerdict.DIFFERENT:
            return f": {composed.length} tensors instead of {declared.length}"
        for one, two in zip(declared.segments, composed.segments, strict=False):
            match one, two:
                case ItemRun(), ItemRun():
                    problem = _difference(one.element, two.element)
                case (ItemRun(), _) | (_, ItemRun()):
                    return None
                case _:
                    problem = _difference(one, two)
            if problem is not None:
                return problem
        return None
    if not isinstance(declared, Tensor) or not isinstance(composed, Tensor):
        return None
    if declared.shape is None or composed.shape is None or not disagree(declared.shape, composed.shape):
        return None
    return ""


def _completed(declared: TensorValue, composed: TensorValue) -> TensorValue:
    if isinstance(declared, Tensor) and declared.shape is None:
        return composed if isinstance(composed, Tensor) else declared
    if (
        isinstance(declared, Pack)
        and isinstance(composed, Pack)
        and any(isinstance(each, Tensor) and each.shape is None for each in declared.elements)
    ):
        return composed
    return declared


def _declared_text(member: Member) -> str:
    node = member.node
    shape = "" if node.shape is None else f"[{written(node.shape)}]"
    pack = node.pack
    length = ""
    if pack is not None:
        length = ".." if pack.length is None or isinstance(pack.length, nodes.Tilde) else f"..({written(pack.length)})"
    return f"{node.type.text}{shape}{length}"


def _coming_to(member: Member, declared: TensorValue) -> str:
    # An extent that is left out has no name that the author knows, and a bound is not shown of any.
    text = re.sub(rf"\b{member.name}\.shape\[\d+\]", "~", tensor_text(declared))
    return "" if text == re.sub(r"\|[^,\]]*", "", _declared_text(member)) else f", which is '{text}' here"


# ---- the part of an invocation that is to blame for a failure of its operator (2.6.2) --------------------------------
def invoked_at(state: BodyState, call: nodes.Call) -> Site:
    """Return the place of an invocation, as part of a chain."""
    return Site(state.place(call.function), f"'{call.function.text}' is invoked here")


def blame(state: BodyState, failure: Failure, invocation: nodes.Call | nodes.Quantization, template: Template) -> None:
    """Record a failure of an operator at its invocation, or at the only argument that can cause it."""
    if isinstance(invocation, nodes.Call):
        function, does = invocation.function, "is invoked"
    else:
        function, does = invocation.algorithm, "quantizes a tensor"
    node = _responsible(failure, invocation, template) or function
    if not failure.sites:
        failure = _with_value(state, failure.naming(template.shown, function.text), node)
    state.failures.append(failure.via(Site(state.place(node), f"'{function.text}' {does} here")))


def _with_value(state: BodyState, failure: Failure, node: nodes.Node) -> Failure:
    """Return the failure with the written value of an attribute in its fix."""
    if "…" not in failure.instead:
        return failure
    if not isinstance(node, nodes.Attribute):
        return replace(failure, instead="")
    span = state.place(node.value).span
    return replace(failure, instead=failure.instead.replace("…", written(node.value)), replaced=span)


def _responsible(
    failure: Failure, invocation: nodes.Call | nodes.Quantization, template: Template
) -> nodes.Node | None:
    """Return the one attribute or argument of an invocation that breaks a rule; None if there is not just one."""
    items = {item.name.text: item for item in invocation.attributes.items} if invocation.attributes is not None else {}
    written = invocation.arguments if isinstance(invocation, nodes.Call) else ()
    arguments = {
        member.name: argument
        for member, argument in zip(template.inputs, written, strict=False)
        if not isinstance(argument, nodes.Tilde)
    }
    given: Mapping[str, nodes.Node] = {**arguments, **items}
    found = [node for name in failure.responsible if (node := _part_of(given, name)) is not None]
    attributes = [items[name] for name in failure.responsible if name in items]
    if len(attributes) == 1:
        return attributes[0]
    return found[0] if len(found) == 1 else None


def _part_of(given: Mapping[str, nodes.Node], name: str) -> nodes.Node | None:
    """Return the argument for ``x``, or for ``x[1]``: the item of a literal list."""
    whole, _, at = name.rstrip("]").partition("[")
    node = given.get(whole)
    return nodes.single_item(node, int(at)) if at and node is not None else node
