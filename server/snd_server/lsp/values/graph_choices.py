"""Chosen arguments of graphs, and visibility of their values; by default their first samples."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from snd_analysis.ide.evaluation import GraphName, KnownGraph, KnownSample, SampleName
from snd_server.lsp.session.freshness import ValueKey
from snd_server.lsp.session.late_runtime import load_runtime
from snd_server.lsp.values.evaluation_options import EvaluationOptions
from snd_server.running.arguments import ArgumentError

if TYPE_CHECKING:
    from snd_server.running.evaluate import RunRequest


class GivenInputs(Struct, frozen=True):
    """Lists of ``NAME=VALUE``, as for ``snd run``. With nothing given, all is made that can be."""

    attributes: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()

    def request(self, path: str, graph: GraphName, options: EvaluationOptions) -> RunRequest:
        """Return the request to run a graph with this. Raise ArgumentError for files: none are read."""
        load_runtime()
        from snd_server.running.evaluate import RunRequest

        for item in self.inputs:
            if item.partition("=")[2].lstrip().startswith("@"):
                raise ArgumentError(f"{item}: no files are read for this request")
        return RunRequest(
            path,
            graph.name,
            attributes=self.attributes,
            types=self.types,
            inputs=self.inputs,
            seed=options.seed,
            double=options.real == "f64",
            memory_bytes=options.tensor_bytes,
            quantize=options.quantize,
        )


Choice: TypeAlias = KnownSample | GivenInputs


class GraphChoices:
    """Choices by document and graph. Written by one thread; may be read on any."""

    def __init__(self) -> None:
        self._chosen: dict[ValueKey, SampleName | GivenInputs] = {}
        self._hidden: set[ValueKey] = set()

    def choose(self, key: ValueKey, chosen: SampleName | GivenInputs | None) -> None:
        """Set the arguments of a graph from now on; None for the defaults."""
        if chosen is None:
            self._chosen.pop(key, None)
        else:
            self._chosen[key] = chosen

    def of(self, key: ValueKey, graph: KnownGraph) -> Choice:
        """Return the arguments of a graph: the chosen ones, as long as they exist; its first sample; or none."""
        chosen = self._chosen.get(key)
        if isinstance(chosen, GivenInputs):
            return chosen
        samples = sorted(graph.samples, key=lambda each: each.name != chosen)
        return samples[0] if samples else GivenInputs()

    def show(self, key: ValueKey, wanted: bool) -> None:
        """Return whether the values of a graph are wanted."""
        (self._hidden.discard if wanted else self._hidden.add)(key)

    def is_hidden(self, key: ValueKey) -> bool:
        """Return whether the values of a graph are not wanted."""
        return key in self._hidden

    def keep(self, path: str, names: Collection[object]) -> None:
        """Forget the other graphs of a document."""
        self._hidden = {key for key in self._hidden if key.path != path or key.name in names}
        for key in [key for key in self._chosen if key.path == path and key.name not in names]:
            del self._chosen[key]


def choice_text(choice: Choice) -> str:
    """Return the text of all dependencies of a value on the arguments of its graph."""
    return f"{choice.name.code} {choice.name.occurrence}" if isinstance(choice, KnownSample) else repr(choice)
