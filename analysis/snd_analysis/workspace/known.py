"""What was worked out about definitions, as long as it may hold for the next state of the files."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from msgspec import Struct

from snd_analysis.base.problem import Problem
from snd_analysis.compose.failure import Failure
from snd_analysis.compose.known_declarations import KnownDeclarations
from snd_analysis.compose.reuse import LastingModel
from snd_analysis.compose.specialization import Specialization
from snd_analysis.compose.specializations import Specializations
from snd_analysis.compose.template import Template
from snd_analysis.skriptnd.memo import is_long
from snd_analysis.skriptnd.names import Environment, OperatorName, Resolution
from snd_analysis.skriptnd.syntax import SyntaxTree, nodes
from snd_analysis.skriptnd.types import Context, LastingTypes
from snd_analysis.workspace.samples import KnownSamples

if TYPE_CHECKING:
    from snd_analysis.workspace.others import AskedOthers

_MOST_GIVEN = 4
_MOST_EDITED = 64


class Lasting:
    """What may last of a long definition when it is edited: of its statements, not of the whole."""

    __slots__ = ("_given", "model", "names", "types")

    def __init__(self) -> None:
        self.names: tuple[Environment | None, Resolution | None] = (None, None)
        self.types = LastingTypes()
        self.model = LastingModel()
        self._given: dict[Hashable, LastingModel] = {}

    def model_given(self, given: Hashable) -> LastingModel:
        """The same as ``model`` for what an invocation gives, of the few that were asked for last."""
        model = self._given.pop(given, None) or LastingModel()
        self._given[given] = model
        while len(self._given) > _MOST_GIVEN:
            del self._given[next(iter(self._given))]
        return model

    def copy(self) -> Lasting:
        """The same for another line of states: what is known of statements holds in all of them."""
        copied = Lasting()
        copied.names, copied.types, copied.model = self.names, self.types, self.model
        copied._given = dict(self._given)
        return copied


class Composed(Struct):
    """A definition composed by itself.

    The warnings are found when diagnostics ask for what is wrong: the graph is composed again and again for them, which
    hovers and hints do not wait for.
    """

    reached: frozenset[Template]
    specialization: Specialization
    failures: tuple[Failure, ...] | None = None
    """What is wrong with it, warnings that need a counterexample included; None until somebody asks."""


class Known:
    """What was worked out, by the nodes it was worked out for. Shared by the snapshots of a workspace."""

    def __init__(self) -> None:
        self.lasting: dict[tuple[str, str], Lasting] = {}
        """By the paths and names of long definitions: of the version of each that was looked at last."""
        self.environments: dict[str, tuple[tuple[object, ...], Environment]] = {}
        self.resolutions: dict[tuple[str, nodes.Definition], tuple[Environment, Resolution]] = {}
        self.checks: dict[tuple[str, nodes.Definition], tuple[Environment, AskedOthers, tuple[Problem, ...]]] = {}
        self.templates: dict[tuple[str, nodes.Definition], Template] = {}
        self.specializations: dict[Template, Specializations] = {}
        self.typings: dict[tuple[str, nodes.Definition], tuple[Environment, AskedOthers, Context]] = {}
        self.composed: dict[tuple[str, nodes.Definition], Composed] = {}
        self.declarations: dict[OperatorName, KnownDeclarations] = {}
        """Of the last version of definitions that were edited last."""
        self.samples = KnownSamples()

    def copy(self) -> Known:
        """The same for another line of states, which goes on from here."""
        copied = Known()
        copied.lasting = {name: lasting.copy() for name, lasting in self.lasting.items()}
        copied.environments = dict(self.environments)
        copied.resolutions = dict(self.resolutions)
        copied.checks = dict(self.checks)
        copied.templates = dict(self.templates)
        copied.specializations = dict(self.specializations)
        copied.typings = dict(self.typings)
        copied.composed = dict(self.composed)
        copied.declarations = dict(self.declarations)
        copied.samples = self.samples.copy()
        return copied

    def forget(self, path: str, before: SyntaxTree, now: SyntaxTree) -> None:
        """Lets go of what is known of chunks and definitions of ``before`` that are not in ``now``."""
        chunks_before, chunks = ({placed.chunk for placed in tree.chunks} for tree in (before, now))
        gone, new = chunks_before - chunks, chunks - chunks_before
        self.samples.forget(path, gone)
        kept = {definition for chunk in new for definition in chunk.definitions}
        read = (chunk for chunk in gone if chunk.is_parsed)
        for definition in {definition for chunk in read for definition in chunk.definitions} - kept:
            self.resolutions.pop((path, definition), None)
            self.checks.pop((path, definition), None)
            self._forget_template(self.templates.pop((path, definition), None))
            self.composed.pop((path, definition), None)
            self.typings.pop((path, definition), None)

    def _forget_template(self, template: Template | None) -> None:
        """Keeps of a template what may hold for the next version of its definition."""
        if template is None:
            return
        self.declarations.pop(template.name, None)
        known = self.leave(template)
        if known is not None:
            self.declarations[template.name] = known
        while len(self.declarations) > _MOST_EDITED:
            del self.declarations[next(iter(self.declarations))]

    def leave(self, template: Template) -> KnownDeclarations | None:
        """Let go of what is composed of a definition, but for what its declarations come to, which is returned."""
        known = self.specializations.pop(template, None)
        return None if known is None else known.declarations

    def forget_lasting(self, path: str, now: SyntaxTree | None = None) -> None:
        """Lets go of what lasts of the definitions of a file, but those of names that it has ``now``."""
        lasting = [key for key in self.lasting if key[0] == path]
        kept = {definition.name.text for _, definition in now.definitions} if lasting and now else frozenset()
        for key in lasting:
            if key[1] not in kept:
                del self.lasting[key]

    def lasting_of(self, path: str, definition: nodes.Definition) -> Lasting | None:
        """What lasts of a definition, if that is long enough."""
        if not is_long(definition):
            return None
        return self.lasting.setdefault((path, definition.name.text), Lasting())
