"""Rules about invocations of operators of the library that mean something else than many readers expect."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import OperatorName, Problem, Rule, Severity
from snd_analysis.rules import check_of
from snd_analysis.skriptnd.lints.names import ValidDefinition
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of

NEGATIVE_STACK_AXIS = Rule("negative-stack-axis", section="tool", severity=Severity.WARNING)

_STACK = OperatorName("snd:layout", "stack")


@check_of(ValidDefinition)
def _negative_stack_axis(definition: ValidDefinition) -> Iterator[Problem]:
    """Report each invocation of ``layout.stack`` whose axis is written as a negative number (4.1).

    The axis counts by the rank of the inputs, not by the rank of the result. With ``squeeze`` the dimension is
    there in the inputs, so that both ways to count agree.
    """
    resolution = definition.names
    if _STACK not in resolution.invoked:
        return
    for kind in (BlockKind.COMPOSE, BlockKind.UPDATE):
        for base, entry in entries_of(resolution.definition, kind, nodes.Component):
            for node in nodes.descendants(entry):
                if isinstance(node, nodes.Call) and resolution.targets.get(node.function) == _STACK:
                    yield from _check(node, base)


def _check(call: nodes.Call, base: int) -> Iterator[Problem]:
    given = {item.name.text: item.value for item in (call.attributes.items if call.attributes is not None else ())}
    axis = given.get("axis")
    if "squeeze" in given or not isinstance(axis, nodes.Unary) or axis.operator.text != "-":
        return
    if isinstance(axis.operand, nodes.Literal) and isinstance(axis.operand.value, int):
        number = axis.operand.value
        message = (
            f"'stack' counts a negative axis from the rank of its inputs: -{number} inserts the new dimension before "
            f"{'the last one' if number == 1 else f'the last {number}'}; write a positive axis to be clear"
        )
        yield Problem(NEGATIVE_STACK_AXIS, axis.span.shifted(base), message)
