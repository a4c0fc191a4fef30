"""A model: one graph of a file, with its attributes and weights."""

from __future__ import annotations

import html
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from threading import RLock
from typing import Any, Literal, TypeAlias

import numpy as np
from msgspec import Struct

from snd.demands import path_of
from snd.errors import (
    ArgumentError,
    Diagnostic,
    ExportError,
    ModelError,
    WeightsError,
    WeightsWarning,
    diagnostic_of,
)
from snd.inputs import demand_no_masked, input_of
from snd.tensors import Results, tensor_of
from snd_analysis.base import UNFORKABLE, Location, Severity
from snd_analysis.compose import (
    Composition,
    Failure,
    Session,
    Specialization,
    compose_root,
    extent_text,
    variables_below,
)
from snd_analysis.ide.graph_view import graph_content, graph_view
from snd_analysis.model import TensorValue, tensors_of
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Pack, Value
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution import Execution, StatefulGraph, WeightUse, bind_arrays, value_of, weight_use
from snd_runtime.execution.failing import failure_of
from snd_runtime.limits import Limits
from snd_runtime.lowering.lowered import Argument
from snd_server.checking.checker import Checker
from snd_server.limits import MOST_TABLE_ROWS
from snd_server.render.drawings.graph_svg import DrawingError, graph_svg
from snd_server.running.arguments import among, demand_types
from snd_server.running.chosen_graph import diagnostics_of
from snd_server.running.evaluate import PreparedRun
from snd_server.running.evaluate import diagnostic_of as diagnostic_of_failure
from snd_server.running.weights import loaded, mismatch
from snd_server.workspace_files.discovery import NNEF1_SUFFIX
from snd_server.workspace_files.reading import reason

Missing: TypeAlias = Literal["error", "random"]
"""Treatment of a variable without a weight, and of a weight without a variable."""

_DRAWING_SECONDS = 10.0


class TensorType(Struct, frozen=True):
    """The type of a tensor. Extents that are not known are expressions, as text."""

    dtype: str
    """``real``, ``int``, ``bool`` or ``str``."""
    shape: tuple[int | str, ...]

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


class Model:
    """A graph that can be looked at and run. Its variables keep their values from run to run.

    Models are made by ``snd.load``.
    """

    def __init__(
        self,
        checker: Checker,
        prepared: PreparedRun,
        attributes: Mapping[str, Any],
        types: Mapping[str, str],
        limits: Limits,
        missing: Missing | None,
    ) -> None:
        self._checker = checker
        self._template = prepared.template
        self._given = loaded(prepared.evaluation.weights)
        self._seed = prepared.evaluation.seed
        self._limits = limits
        self._missing = missing
        self._types = dict(types)
        self._demand_known("attribute", attributes, [member.name for member in self._template.attributes])
        self._demand_known("generic type", types, [each.name.text for each in self._template.generics])
        types_of = {member.name: member.node.type.text for member in self._template.attributes}
        self._attributes = {name: _attribute(name, value, types_of[name]) for name, value in attributes.items()}
        demand_types(self._template, self._attributes, types)
        self._snapshot = checker.snapshot(self.path)
        if prepared.shown.idle_rules is not None:
            warnings.warn(prepared.shown.idle_rules, WeightsWarning, stacklevel=4)
        if missing == "error":
            self._demand_weights()
        self._running: StatefulGraph | None = None
        self._element_types: list[list[str]] = []
        """Element types of the arguments for which ``_running`` is composed."""
        self._lock = RLock()
        """Held while a run reads variables and gives them new values."""

    # ---- properties --------------------------------------------------------------------------------------------------
    @property
    def path(self) -> str:
        """The file of the graph."""
        return self._template.name.path

    @property
    def name(self) -> str:
        """The name of the graph."""
        return self._template.name.name

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Errors, warnings and hints of the graph and all that it reaches, as ``snd check`` finds them."""
        with UNFORKABLE:
            return self._diagnostics

    @cached_property
    def _diagnostics(self) -> tuple[Diagnostic, ...]:
        found = diagnostics_of(self._checker, self._snapshot, self._template.name, self._composition)
        return tuple(diagnostic_of(each, self._checker.source(each.location.path)) for each in found)

    @property
    def inputs(self) -> dict[str, TensorType]:
        """The types of the inputs; items of a pack as ``NAME[0]``."""
        return self._types_of("inputs")

    @property
    def outputs(self) -> dict[str, TensorType]:
        """The types of the outputs; items of a pack as ``NAME[0]``."""
        return self._types_of("outputs")

    @property
    def shapes(self) -> dict[str, TensorType]:
        """The types of all named tensors of the graph, of inputs, outputs and variables, too."""
        return self._types_of("tensors")

    def _types_of(self, kind: Literal["inputs", "outputs", "tensors"]) -> dict[str, TensorType]:
        with UNFORKABLE:
            graph = self._composition.graph
            return {} if graph is None else _types(getattr(graph, kind))

    @property
    def weights(self) -> WeightUse:
        """Names of the variables with a weight, of the randomly drawn variables, and of unused weights."""
        with UNFORKABLE:
            return self._weight_use

    @cached_property
    def _weight_use(self) -> WeightUse:
        return weight_use([self._root], self._given)

    @cached_property
    def _root(self) -> Specialization:
        return compose_root(Session(self._snapshot), self._template, self._attributes, self._types)

    def _demand_weights(self) -> None:
        if self._composition.failures:
            return  # nothing runs, and variables may be missing
        wrong = self._wrong_weights()
        if wrong is not None:
            raise WeightsError(
                f"{wrong}; map= renames weights, missing='random' draws missing weights at random",
                self._weight_use.drawn,
                self._weight_use.unused,
            )

    def _warn_of_weights(self) -> None:
        wrong = None if self._missing is not None else self._wrong_weights()
        if wrong is not None:
            warnings.warn(f"{wrong}; missing='random' says that this is meant", WeightsWarning, stacklevel=4)

    def _wrong_weights(self) -> str | None:
        use = self._weight_use
        wrong = mismatch(use.drawn, use.unused, "label" if self.path.endswith(NNEF1_SUFFIX) else "name")
        return None if wrong is None else f"{self.name}: {wrong}"

    # ---- running -----------------------------------------------------------------------------------------------------
    def run(self, /, **inputs: Any) -> Results:
        """Return the outputs for these inputs: arrays, or values that NumPy converts to arrays.

        Lists of them for packs. Omitted inputs have their default. Variables that the graph updates have their new
        values afterwards. Raise ArgumentError for an unknown input, and for a value that is no array. Raise ModelError
        for a model with errors, and for a failure of the run: a shape that does not fit, an index out of bounds, a
        limit.
        """
        members = {member.name: member for member in self._template.inputs}
        self._demand_known("input", inputs, list(members))
        self._demand_no_errors()
        arguments: list[Argument] = [
            input_of(name, inputs.get(name), member.node.type.text, member.node.pack is not None)
            for name, member in members.items()
        ]
        with UNFORKABLE, self._lock:
            try:
                running = self._stateful(arguments)
                outputs = running.run(arguments)
            except EvaluationFailed as failed:
                raise ModelError([self._diagnostic(failure_of(failed))]) from None
            # Changes of an array by a caller must not affect the model; an output may be the same array as an input.
            running.variables.update(_apart(running.variables, arguments))
            apart = _apart(outputs, [*arguments, *running.variables.values()])
        return Results({name: tensor_of(value) for name, value in apart.items()})

    @property
    def variables(self) -> dict[str, np.ndarray[Any, Any] | list[np.ndarray[Any, Any]]]:
        """The variables by scoped name, as the last run left them; before the first run only those with weights.

        A pack is a list. The arrays are read-only.
        """
        with UNFORKABLE:
            known = self._known_variables()
            root = self._root if self._running is None else self._running.specialization
            named = {name: _value(known, name, declared) for name, declared in variables_below(root)}
        return {
            name: _read_only(value) if isinstance(value, np.ndarray) else list(map(_read_only, value))
            for name, value in named.items()
            if value is not None
        }

    def reset(self) -> None:
        """Give all variables the values that they had before the first run."""
        with UNFORKABLE, self._lock:
            self._running = None

    def _stateful(self, arguments: list[Argument]) -> StatefulGraph:
        """Return the graph with its state, composed for the generic types that the arguments imply (2.2)."""
        element_types = [[array.dtype.kind for array in _arrays([each])] for each in arguments]
        if self._running is None:
            self._warn_of_weights()
            specialization = self._bound(arguments)
            execution = Execution(seed=self._seed, variables=self._given, limits=self._limits, compiles=True)
            self._running = StatefulGraph(self._session, specialization, execution)
        elif self._template.generics and element_types != self._element_types:
            self._running.rebind(self._bound(arguments))
        self._element_types = element_types
        return self._running

    @cached_property
    def _session(self) -> Session:
        return Session(self._snapshot)

    def _bound(self, arguments: list[Argument]) -> Specialization:
        dtypes = [self._types[each.name.text] for each in self._template.generics if each.name.text in self._types]
        if len(dtypes) not in (0, len(self._template.generics)):
            raise ArgumentError(f"'{self.name}' has several generic types: give all of them, or none")
        return bind_arrays(self._session, self._template, arguments, self._attributes, dtypes)

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        flat: bool = False,
        quantize: bool = False,
        dialect: Literal["tract", "khronos"] = "tract",
    ) -> None:
        """Write the graph as an ONNX file, with the present values of its variables; see docs/export.md.

        A path that ends with ``.nnef.tgz``, ``.nnef.tar`` or ``.nnef`` becomes a model in NNEF 1.0, in a ``dialect``.
        ``flat`` writes no functions or fragments for operators of the model itself; ``quantize`` quantizes the tensors
        that ``@quantize`` names. Raise ModelError for a model with errors, ExportError with all operators that can't be
        exported, ArgumentError for a file that can't be written, and ImportError without the extra ``snd[onnx]`` for
        ONNX.
        """
        file = path_of("path", path)
        self._demand_no_errors()
        with UNFORKABLE:
            self._export(file, flat, quantize, dialect)

    def _export(self, file: str, flat: bool, quantize: bool, dialect: str) -> None:
        from snd_server.exchange.exporting import all_variables
        from snd_server.exchange.graph_export.errors import NotExportable
        from snd_server.exchange.nnef1_export.packing import is_nnef1

        session = Session(self._snapshot)
        specialization = compose_root(session, self._template, self._attributes, self._types)
        try:
            variables = all_variables(session, specialization, self._known_variables(), self._seed)
            if is_nnef1(file):
                note = self._export_nnef1(file, specialization, variables, flat, dialect, session if quantize else None)
            else:
                note = self._export_onnx(file, specialization, variables, flat, session if quantize else None)
        except NotExportable as failed:
            raise ExportError({each.operator: each.reason for each in failed.problems}) from None
        except OSError as error:
            raise ArgumentError(f"{file} can't be written: {reason(error)}") from None
        if note is not None:
            warnings.warn(f"{file} was not checked completely: {note}", stacklevel=4)

    def _export_onnx(
        self,
        file: str,
        specialization: Specialization,
        variables: Mapping[str, Argument],
        flat: bool,
        quantizing: Session | None,
    ) -> str | None:
        from snd_server.exchange.inference import Inference
        from snd_server.exchange.onnx_export import write_model
        from snd_server.exchange.onnx_export.exporting import save

        model = write_model(specialization, variables, flat=flat, quantizing=quantizing)
        with Inference(self._limits.tensor_bytes) as inference:
            return save(model, file, specialization, variables, inference)

    def _export_nnef1(
        self,
        file: str,
        specialization: Specialization,
        variables: Mapping[str, Argument],
        flat: bool,
        dialect: str,
        quantizing: Session | None,
    ) -> str | None:
        from snd_analysis.nnef1.syntax import Dialect
        from snd_server.exchange.nnef1_export import write_model
        from snd_server.exchange.nnef1_export.exporting import save
        from snd_server.exchange.nnef1_export.tract_inference import TractInference

        labels = {each.name: each.label for each in self._snapshot.stored_variables(self.path)}
        model = write_model(
            specialization, variables, Dialect(dialect), flat=flat, labels=labels, quantizing=quantizing
        )
        with TractInference(self._limits.tensor_bytes) as inference:
            return save(model, file, self._template.name.name, inference)

    def _known_variables(self) -> Mapping[str, Argument]:
        return self._given if self._running is None else self._running.variables

    # ---- notebooks ---------------------------------------------------------------------------------------------------
    def __repr__(self) -> str:
        given = ", ".join(f"{name}: {found}" for name, found in self.inputs.items())
        made = ", ".join(f"{name}: {found}" for name, found in self.outputs.items())
        return f"<snd.Model {self.name}({given}) -> {made}>"

    def _repr_html_(self) -> str:
        """Return the drawing of the graph, where the extra ``snd[svg]`` is there; else a table of its tensors."""
        try:
            with UNFORKABLE:
                return graph_svg(self._drawn(), 0, "auto", _DRAWING_SECONDS)
        except DrawingError:
            return self._table()

    def _drawn(self) -> dict[str, Any]:
        def locate(location: Location) -> dict[str, Any]:
            source = self._snapshot.source(location.path)
            ends = {"start": source.position(location.span.start), "end": source.position(location.span.end)}
            found = {end: {"line": at.line, "column": at.column} for end, at in ends.items()}
            return {"path": location.path, "range": found}

        composition = self._composition
        view = graph_view(self._snapshot, self._template.name, composition.graph)
        return graph_content(view, composition.attributes, locate, [])

    def _table(self) -> str:
        shown = list(self.shapes.items())
        rows = [f"<tr><td>{html.escape(name)}</td><td>{html.escape(str(found))}</td></tr>" for name, found in shown]
        more = f"<tr><td>… and {len(rows) - MOST_TABLE_ROWS} more</td></tr>" if len(rows) > MOST_TABLE_ROWS else ""
        return f"<table><caption>{html.escape(self.name)}</caption>{''.join(rows[:MOST_TABLE_ROWS])}{more}</table>"

    # ---- inside ------------------------------------------------------------------------------------------------------
    @cached_property
    def _composition(self) -> Composition:
        return self._snapshot.compose(self._template.name, self._attributes, self._types, {})

    def _demand_no_errors(self) -> None:
        errors = [each for each in self.diagnostics if each.severity == Severity.ERROR.value]
        if errors:
            raise ModelError(errors)

    def _demand_known(self, what: str, given: Mapping[str, Any], known: list[str]) -> None:
        for name in given:
            if name not in known:
                raise ArgumentError(f"the graph '{self.name}' has no {what} '{name}'; {among(name, known)}")

    def _diagnostic(self, failure: Failure) -> Diagnostic:
        found = diagnostic_of_failure(failure, self._snapshot, self._template)
        return diagnostic_of(found, self._checker.source(found.location.path))


def _types(values: Mapping[str, TensorValue]) -> dict[str, TensorType]:
    found: dict[str, TensorType] = {}
    for value in values.values():
        for tensor in tensors_of(value):
            if tensor.shape is not None and tensor.dtype is not None:
                extents = (
                    each.value if isinstance(each, Integer) and each.value is not None else extent_text(each)
                    for each in tensor.shape
                )
                found[tensor.name] = TensorType(tensor.dtype, tuple(extents))
    return found


def _value(known: Mapping[str, Argument], name: str, declared: TensorValue) -> Argument:
    """Return the value of a variable; weights have a name for each tensor of a pack. None if one is not known."""
    value = known.get(name)
    if value is not None or not isinstance(declared, Pack):
        return value
    items = [known.get(f"{name}[{at}]") for at in range(len(declared.items or ()))]
    arrays = tuple(each for each in items if isinstance(each, np.ndarray))
    return arrays if len(arrays) == len(items) else None


def _arrays(values: Iterable[Argument]) -> Iterator[np.ndarray[Any, Any]]:
    for value in values:
        if isinstance(value, np.ndarray):
            yield value
        elif value is not None:
            yield from value


def _apart(values: Mapping[str, Argument], others: Iterable[Argument]) -> dict[str, Argument]:
    """Return arrays that share no memory with others: copies where they do."""
    known = [*_arrays(others)]

    def apart(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return array.copy() if any(np.may_share_memory(array, other) for other in known) else array

    return {
        name: apart(value) if isinstance(value, np.ndarray) else None if value is None else tuple(map(apart, value))
        for name, value in values.items()
    }


def _read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    view = array.view()
    view.flags.writeable = False
    return view


def _attribute(name: str, value: Any, dtype: str) -> Value:
    """Return a value of Python as one of an attribute; ints are accepted for reals."""
    demand_no_masked(f"the attribute '{name}'", value)
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return Pack([_attribute(name, item, dtype) for item in value])
    if value is None or isinstance(value, bool | int | float | str):
        return value_of(float(value) if dtype == "real" and type(value) is int else value)
    raise ArgumentError(f"attribute {name}: attributes have no values of the type '{type(value).__name__}'")
