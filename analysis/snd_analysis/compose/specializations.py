"""Specializations of one definition, kept as long as the definition and all that it reaches are the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from threading import Lock
from weakref import WeakValueDictionary

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.compose.body.outputs import finished_outputs
from snd_analysis.compose.body.quantization import quantizations
from snd_analysis.compose.body.scoped_names import Callees, Naming
from snd_analysis.compose.body.state import BodyState
from snd_analysis.compose.composing import Composing
from snd_analysis.compose.failure import with_origins
from snd_analysis.compose.limits import MOST_LEVELS
from snd_analysis.compose.reuse.lasting_model import KnownDeclarations, LastingModel
from snd_analysis.compose.reuse.statements import ComposingOfStatements
from snd_analysis.compose.specialization import Specialization
from snd_analysis.compose.template import Template
from snd_analysis.model import Graph
from snd_analysis.skriptnd.names import OperatorName, PassFold
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.symbolic.values import UNDEFINED

_FEW = 16

_CHANGING = Lock()
"""Held while specializations are added or forgotten: threads share those of the library."""


class Specializations:
    """The specializations of a definition by arguments, and its evaluated declarations.

    ``before`` are the evaluated declarations of an earlier version. A definition does not refer to its specializations:
    so objects that an edit replaces are in no cycle.
    """

    def __init__(self, template: Template, before: KnownDeclarations | None = None) -> None:
        self.template = template
        self._before = before
        self._known: dict[Hashable, Specialization] = {}
        self._reached: frozenset[Template] | None = None
        self._most = _FEW

    @cached_property
    def declarations(self) -> KnownDeclarations:
        """The evaluated declarations so far."""
        before, self._before = self._before, None
        return KnownDeclarations(self.template, before)

    def hold_for(self, reached: frozenset[Template]) -> None:
        """Forget all specializations if the definition reaches others now than when these were composed."""
        if self._reached is not reached and self._reached != reached:
            self._known = {}
        self._reached = reached

    def find(self, key: Hashable) -> Specialization | None:
        """Return the specialization for the arguments."""
        return self._known.get(key)

    def learn(self, key: Hashable, specialization: Specialization) -> Specialization:
        """Keep a specialization for the arguments and return it, or the one that another thread has kept before."""
        with _CHANGING:
            return self._known.setdefault(key, specialization)

    def __len__(self) -> int:
        return len(self._known)

    def forget_unused(self) -> None:
        """Forget specializations without users, once they may be half of all."""
        if len(self._known) >= self._most:
            with _CHANGING:
                alive = WeakValueDictionary(self._known)
                self._known.clear()
                self._known.update(alive)
                self._most = max(2 * len(self._known), _FEW)


class Reach(Struct, frozen=True):
    """All definitions that a definition reaches, including itself, and the number of levels; its own is one."""

    templates: frozenset[Template]
    levels: int

    @property
    def has_too_many_levels(self) -> bool:
        """Return whether nothing that walks the levels may be asked of the definition."""
        return self.levels > MOST_LEVELS


def reach_of(
    template: Template, find: Callable[[OperatorName], Template | None], known: Callable[[OperatorName], Reach]
) -> Reach:
    """Return the reach of a template from the reach of its invocations; beyond the level limit only these."""
    invoked = [found for found in map(find, template.invoked) if found is not None]
    below = [known(each.name) for each in invoked]
    levels = 1 + max((each.levels for each in below), default=0)
    if levels > MOST_LEVELS + 1:
        return Reach(frozenset((template, *invoked)), levels)
    return Reach(frozenset((template,)).union(*(each.templates for each in below)), levels)


def reach_of_cycle(template: Template, find: Callable[[OperatorName], Template | None]) -> Reach:
    """Return the definitions that a template reaches and that lead back to it."""
    found = {template}
    pending = [template]
    while pending:
        for other in map(find, pending.pop().invoked):
            if other is not None and other not in found:
                found.add(other)
                pending.append(other)
    return Reach(frozenset(found), 1)


# ---- the body of a definition, and its outputs, from its evaluated declarations (chapter 3) --------------------------
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
