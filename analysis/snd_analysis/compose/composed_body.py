"""The body of a definition, and its outputs, from its evaluated declarations (chapter 3)."""

from __future__ import annotations

from msgspec.structs import replace

from snd_analysis.compose.body.callees import Callees
from snd_analysis.compose.body.outputs import finished_outputs
from snd_analysis.compose.body.quantization import quantizations
from snd_analysis.compose.body.scoped_names import Naming
from snd_analysis.compose.body.state import BodyState
from snd_analysis.compose.composing import Composing
from snd_analysis.compose.failure import with_origins
from snd_analysis.compose.reuse.lasting_model import LastingModel
from snd_analysis.compose.reuse.statements import ComposingOfStatements
from snd_analysis.compose.specialization import Specialization
from snd_analysis.model import Graph
from snd_analysis.skriptnd.names import PassFold
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.symbolic.values import UNDEFINED


def compose_body(callees: Callees, declared: Specialization, lasting: LastingModel | None = None) -> Specialization:
    """Compose ``@compose`` and ``@update``, check the outputs, and fix open parts of declarations.

    Results of statements in ``lasting`` are reused; the result is the same without them.
    """
    template = declared.template
    if not template.is_composite and not template.resolution.rows[BlockKind.UPDATE] and not template.quantizations:
        return declared
    state = BodyState(declared, callees.budget)
    composing = Composing(callees, state, Naming(callees, template))
    step, fold = ComposingOfStatements(composing), PassFold(None) if lasting is None else lasting.go_on()
    fold.give("statements", step.outside)
    rows = template.resolution.rows
    fold.run(BlockKind.COMPOSE, rows[BlockKind.COMPOSE], step)
    composing.state.begin(0)
    outputs = finished_outputs(state)
    if not template.is_composite:  # formulas compute the inputs of '@update'
        state.scope.values.update(zip((member.symbol for member in template.outputs), outputs, strict=True))
    operations, state.operations = tuple(state.operations), []
    fold.run(BlockKind.UPDATE, rows[BlockKind.UPDATE], step)
    composing.state.begin(0)
    body = Graph(
        template.name.name,
        {member.name: value for member, value in zip(template.inputs, declared.inputs, strict=True)},
        {member.name: state.outputs.get(member.symbol, UNDEFINED) for member in template.outputs},
        declared.variables,
        declared.constants,
        state.tensors,
        operations,
        state.updated,
        tuple(state.operations),
        quantizations(state, callees, operations) if template.quantizations else {},
        tuple(dict.fromkeys(state.checks)),
    )
    return replace(
        declared,
        outputs=outputs,
        dynamic=state.dynamic,
        failures=tuple(with_origins(template, each) if template.origins else each for each in state.failures),
        invokes_obligations=composing.invokes_obligations,
        body=body,
        steps=state.steps,
        used=tuple(state.used),
    )
