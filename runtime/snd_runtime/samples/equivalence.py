"""Comparison of a definition before and after an edit: both are run on samples and on inputs of many sizes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from snd_analysis.compose import Session, Specialization, Template, specialization_of, variables_below
from snd_analysis.ide.refactoring import LibraryCall, ProvedOperator
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic.values import format_value
from snd_analysis.workspace import Snapshot
from snd_runtime.deviation import deviation
from snd_runtime.errors import EvaluationFailed
from snd_runtime.evaluation.binding import bound
from snd_runtime.evaluation.request import EvaluationRequest, InputValue
from snd_runtime.evaluation.tensors import InvalidRequest
from snd_runtime.execution import Execution, RunResult, execute, value_of
from snd_runtime.limits import Budget, TimeOverError
from snd_runtime.lowering.lowered import Argument
from snd_runtime.rules import LIMIT_EXCEEDED
from snd_runtime.samples.evaluation import arguments_of
from snd_runtime.samples.large_graphs import same_operations
from snd_runtime.samples.library_call import result_of
from snd_runtime.samples.limits import MOST_COMPARED_SAMPLES, MOST_NAMED_CASES, MOST_QUICK_TRIALS
from snd_runtime.samples.request import SampleRequest
from snd_runtime.samples.trials import Trial, Trials, arrays_in, trials_of

Array: TypeAlias = np.ndarray[Any, Any]

_TOLERANCE = 1e-4
_SCALES, _SMALL, _EXTREME = (10.0, 100.0), 2.0, 100.0
"""Magnitudes of further random numbers. Limits of a range show with great ones only, comparisons with 0 with small
ones."""
_LEAST = 3
"""Number of evaluations; if there are fewer sizes, further ones draw other random numbers."""


class Equivalence(Struct, frozen=True):
    """Number of evaluations on which both versions are equal, and their difference, or the reason why there is none."""

    evaluations: int = 0
    difference: str | None = None
    reason: str | None = None
    cases: tuple[str, ...] = ()
    """Arguments of some evaluations of different sizes, as ``x[2,3], stride=5``."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """The variables that have another name after the edit: new scoped names by the old ones."""
    compositions: int = 0
    """Number of choices of attributes and sizes for which both versions have the same operations."""

    @property
    def is_equal(self) -> bool:
        """Return whether the edit may be applied."""
        return self.difference is None and self.reason is None and self.evaluations + self.compositions > 0

    @property
    def compared(self) -> str:
        """The arguments of the evaluations in words."""
        shown = "; ".join(self.cases[:MOST_NAMED_CASES])
        return f", such as {shown}" if shown else ""


class _Case(Struct, frozen=True):
    """A definition before and after the edit, with arguments for both."""

    before: Specialization
    after: Specialization | str
    """The message about the invocation if it is no longer valid."""
    arguments: Sequence[Argument]
    where: str
    is_extreme: bool = False
    """True if reals may be too great for the definition before the edit: elements that are not finite may change."""
    shown: str = ""
    """The arguments, to be named; empty for variations of another case."""
    added: Mapping[str, Argument] = field(default_factory=dict)
    """The values of inputs that the edit adds."""


class Comparison:
    """A definition before any edit, with its results for many arguments, to be compared with the same after edits.

    Cases that fail before the edit, or have no element as a result, don't count. If it is ``strict``, sizes that are
    equal in every case make all edits unequal: an edit that was found by trying may confuse them.
    """

    def __init__(
        self, snapshot: Snapshot, name: OperatorName, around: SampleRequest, end: float | None, *, strict: bool = False
    ) -> None:
        self._snapshot = snapshot
        self._name = name
        self._around = around
        self._strict = strict
        self._end = end
        self._session = snapshot.session()
        self._known: dict[tuple[int, str], RunResult | EvaluationFailed] = {}
        self._template = snapshot.template(name)
        self.reason: str | None = None
        """The reason why no edit can be compared."""
        if self._template is None or self._template.errors:
            self.reason = "what is wrong with it must be mended first"
        elif strict and self.trials.equal:
            self.reason = _undecided(self.trials.equal)

    @cached_property
    def trials(self) -> Trials:
        """Attributes and inputs for the definition."""
        has_errors = self._template is None or self._template.errors
        return (
            Trials() if has_errors or self._template is None else trials_of(self._session, self._template, self._around)
        )

    @property
    def is_over(self) -> bool:
        """Return whether the time is over."""
        return self._end is not None and self._end <= time.monotonic()

    @property
    def time_is_over(self) -> str:
        """The reason why an edit is not compared when the time is over."""
        return f"it takes longer than {self._around.limits.seconds:g} s"

    def with_edit(
        self,
        changed: Snapshot,
        after: OperatorName | None = None,
        *,
        moves_variables: bool = False,
        parameters: Mapping[str, str | None] = MappingProxyType({}),
        proved: ProvedOperator | None = None,
    ) -> Equivalence:
        """Compare the definition with its version after an edit, whose name may be ``after``.

        With ``moves_variables``, variables may get other names: they keep their values. ``parameters``
        are the new names of parameters by the old ones; None for a parameter that is removed. ``proved`` is an operator
        that was compared before. Large graphs are not evaluated if they have the same operations.
        """
        if self.reason is not None:
            return Equivalence(reason=self.reason)
        names = (self._name, after or self._name)
        same = None
        if not self._strict:
            found = same_operations(self._snapshot, changed, names, self._around, parameters, proved, moves_variables)
            if found is not None:
                same = Equivalence(cases=found.cases, moved=found.moved, compositions=found.compositions)
            if same is not None and found is not None and found.is_large:
                return same
        evaluated = self._evaluated(changed, names, moves_variables, parameters)
        return same if same is not None and evaluated.difference is None and evaluated.reason else evaluated

    def _evaluated(
        self,
        changed: Snapshot,
        names: tuple[OperatorName, OperatorName],
        moves_variables: bool,
        parameters: Mapping[str, str | None],
    ) -> Equivalence:
        """Compare both versions by evaluation. If the time is over, enough evaluations so far count."""
        count, shown = 0, list[str]()
        moved: Mapping[str, str] = {}
        reason = "no attributes and inputs were found with which it can be invoked"
        try:
            for number, case in enumerate(
                _cases(self._snapshot, changed, names, self._around, self.trials, parameters)
            ):
                found = self._of_case(number, case, changed.session(), moves_variables, parameters)
                if found.difference is not None:
                    return replace(found, evaluations=count)
                reason, moved = found.reason or reason, found.moved or moved
                count += found.evaluations
                shown += [case.shown] if found.evaluations and case.shown else []
        except TimeOverError:
            if self._strict or count < _LEAST:
                return Equivalence(count, reason=self.time_is_over)
            reason = ""
        return Equivalence(count, None, None if count else reason, tuple(dict.fromkeys(shown)), moved)

    def _of_case(
        self,
        number: int,
        case: _Case,
        session: Session,
        moves_variables: bool,
        parameters: Mapping[str, str | None],
    ) -> Equivalence:
        """Compare both versions by one evaluation. Raise TimeOverError."""
        if self.is_over:
            raise TimeOverError
        if isinstance(case.after, str):
            return Equivalence(difference=f"{case.where}: it can't be invoked any more: {case.after}")
        try:
            before = self._before(number, case)
        except EvaluationFailed as failed:
            return Equivalence(reason=failed.message)
        if not any(array.size for value in before.outputs.values() for array in arrays_in(value)):
            return Equivalence(reason="its results are empty")
        moved: Mapping[str, str] = {}
        try:
            arguments = _arguments_after(case, case.after, parameters)
            now = execute(session, case.after, arguments, self._execution(number))
            if moves_variables and before.variables.keys() != now.variables.keys():
                moved = moved_variables(before, now)
                given = {moved.get(name, name): value for name, value in before.variables.items()}
                execution = replace(self._execution(number), variables=given)
                now = execute(session, case.after, arguments, execution)
        except EvaluationFailed as failed:
            if self.is_over:
                raise TimeOverError from None
            if failed.rule is LIMIT_EXCEEDED:
                return Equivalence(reason=failed.message)
            return Equivalence(difference=f"{case.where}: it fails now: {failed.message}")
        before = _moved(before, moved)
        if _declared(case.before, moved) == _declared(case.after, {}):
            before, now = _with_common_variables(before, now)
        differs = _difference(before, now, case.is_extreme)
        return Equivalence(1, None if differs is None else f"{case.where}: {differs}", moved=moved)

    def fits(self, call: LibraryCall) -> bool:
        """Return whether an invocation of the library, by itself, computes the same on the first trials.

        This takes a fraction of the time of an edit, so that many invocations can be tried.
        """
        for number, trial in enumerate(self.trials.found[:MOST_QUICK_TRIALS]):
            case = _Case(trial.bound.specialization, "", trial.bound.arguments, "by itself")
            try:
                before = self._before(number, case)
            except EvaluationFailed:
                continue
            try:
                now = result_of(self._session, call, trial.bound, self._execution(number))
            except EvaluationFailed:
                return False
            (expected,) = before.outputs.values()
            if now is not None and _differs(expected, now) is not None:
                return False
        return True

    def _before(self, number: int, case: _Case) -> RunResult:
        """Return the result of a case before any edit, computed once. Raise EvaluationFailed."""
        key = (number, case.where)
        if key not in self._known:
            try:
                self._known[key] = execute(self._session, case.before, case.arguments, self._execution(number))
            except EvaluationFailed as failed:
                self._known[key] = failed
        found = self._known[key]
        if isinstance(found, EvaluationFailed):
            raise found
        return found

    def _execution(self, number: int) -> Execution:
        limits = self._around.limits
        if self._end is not None:
            limits = replace(limits, seconds=max(self._end - time.monotonic(), 0.0))
        return Execution(real=self._around.real, seed=self._around.seed + number, limits=limits)


def _undecided(equal: Sequence[tuple[str, str]]) -> str:
    first, second = equal[0]
    if second == "1":
        return f"no inputs were found for which '{first}' is not 1"
    return f"no inputs were found for which '{first}' and '{second}' differ"


# ---- cases -----------------------------------------------------------------------------------------------------------
def _cases(
    snapshot: Snapshot,
    changed: Snapshot,
    names: tuple[OperatorName, OperatorName],
    around: SampleRequest,
    trials: Trials,
    parameters: Mapping[str, str | None],
) -> Iterator[_Case]:
    """Yield the samples, the trials, and variations of a trial: with other numbers, greater ones, and equal ones."""
    yield from islice(_sample_cases(snapshot, changed, names, around), MOST_COMPARED_SAMPLES)
    other = changed.template(names[1])
    if other is None or other.errors:
        return
    seed, last = around.seed, None
    for trial in trials.found:
        last = _generated(changed.session(), other, around, trial, parameters)
        yield last
    if last is None:
        return
    for at in range(len(trials.found), _LEAST):
        yield _redrawn(last, seed + at)
    for number, scale in enumerate(_SCALES):
        yield _redrawn(last, seed + len(trials.found) + number, scale)
    yield _redrawn(last, seed, _SMALL, is_whole=True)


def _sample_cases(
    snapshot: Snapshot, changed: Snapshot, names: tuple[OperatorName, OperatorName], around: SampleRequest
) -> Iterator[_Case]:
    """Yield the samples of the definition, which the edit leaves in their order."""
    found = [
        [each for _, each in version.checked_samples(name.path) if each.target == name]
        for version, name in zip((snapshot, changed), names, strict=True)
    ]
    for before, after in zip(*found, strict=False):
        if before.operation is None or before.has_errors:
            continue
        with suppress(EvaluationFailed):
            one, arguments = arguments_of(before, before.operation, around.limits, around.real, around.seed)
            other = None if after.operation is None or after.has_errors else specialization_of(after.operation)
            if one.valid:
                if other is None or not other.valid or after.operation is None:
                    yield _Case(one, "it is wrong", arguments, "in a sample")
                    continue
                _, now = arguments_of(after, after.operation, around.limits, around.real, around.seed)
                yield _Case(one, other, arguments, "in a sample", added=_by_name(other, now))


def _by_name(specialization: Specialization, arguments: Sequence[Argument]) -> dict[str, Argument]:
    return {each.name: value for each, value in zip(specialization.template.inputs, arguments, strict=True)}


def _arguments_after(case: _Case, after: Specialization, parameters: Mapping[str, str | None]) -> Sequence[Argument]:
    """Return the arguments of a case in the order of the inputs after the edit."""
    known = {parameters.get(name, name): value for name, value in _by_name(case.before, case.arguments).items()}
    return [known[each.name] if each.name in known else case.added.get(each.name) for each in after.template.inputs]


def _generated(
    session: Session, template: Template, around: SampleRequest, trial: Trial, parameters: Mapping[str, str | None]
) -> _Case:
    """Return the same arguments for the definition before and after the edit."""
    one, shown = trial.bound, _shown(trial)
    where = f"on random inputs ({shown})"
    before = _by_name(one.specialization, one.arguments)
    inputs: dict[str, InputValue] = {
        new: value if isinstance(value, np.ndarray) else tuple(value)
        for name, value in before.items()
        if value is not None and (new := parameters.get(name, name)) is not None
    }
    attributes = {
        new: value for name, value in trial.attributes.items() if (new := parameters.get(name, name)) is not None
    }
    given = EvaluationRequest(template.name, attributes, inputs=inputs, seed=around.seed)
    try:
        found = bound(session, template, given, around.real, Budget(around.limits))
    except InvalidRequest as invalid:
        return _Case(one.specialization, invalid.failures[0].message, one.arguments, where)
    added = _by_name(found.specialization, found.arguments)
    return _Case(one.specialization, found.specialization, one.arguments, where, shown=shown, added=added)


def _redrawn(case: _Case, seed: int, scale: float = 1.0, is_whole: bool = False) -> _Case:
    """Return a case with other random numbers, so much greater; if they are whole, some are 0 and some are equal."""
    chance = np.random.default_rng(seed)

    def drawn(array: Array) -> Array:
        if array.dtype.kind != "f" and (array.dtype.kind != "i" or scale == 1.0):
            return array
        values = scale * chance.standard_normal(array.shape)
        return np.asarray(np.round(values) if is_whole or array.dtype.kind == "i" else values, array.dtype)

    arguments = tuple(
        drawn(each) if isinstance(each, np.ndarray) else None if each is None else tuple(map(drawn, each))
        for each in case.arguments
    )
    where = case.where if scale == 1.0 else f"{case.where} of about {scale:g}"
    return replace(case, arguments=arguments, where=where, is_extreme=scale >= _EXTREME, shown="")


def _shown(trial: Trial) -> str:
    """Return the shapes of the inputs and the attributes of a trial."""
    members = zip(trial.bound.specialization.template.inputs, trial.bound.arguments, strict=True)
    tensors = [(each.name, arrays_in(value)[:1]) for each, value in members]
    shapes = [f"{name}[{','.join(map(str, array.shape))}]" for name, arrays in tensors for array in arrays]
    given = [f"{name}={format_value(value_of(value), quoted=True)}" for name, value in trial.attributes.items()]
    return ", ".join((*shapes, *given))


# ---- comparing -------------------------------------------------------------------------------------------------------
def moved_variables(before: RunResult, after: RunResult) -> Mapping[str, str]:
    """Return the new names of the variables that have another one, by the old ones: an edit keeps their order.

    A variable that ``@update`` writes has no value to begin with that is known here. If there is one, or if there are
    more or fewer variables, none is in the result, so that the names differ.
    """
    gone = [each for each in before.variables if each not in after.variables]
    come = [each for each in after.variables if each not in before.variables]
    if len(gone) != len(come) or not {*before.updated}.isdisjoint(gone):
        return {}
    return dict(zip(gone, come, strict=True))


def _moved(result: RunResult, moved: Mapping[str, str]) -> RunResult:
    return replace(result, variables={moved.get(name, name): value for name, value in result.variables.items()})


def _declared(specialization: Specialization, moved: Mapping[str, str]) -> frozenset[str]:
    """Return the names of all variables below a definition, whether a run reads them or not."""
    return frozenset(moved.get(name, name) for name, _ in variables_below(specialization))


def _with_common_variables(one: RunResult, other: RunResult) -> tuple[RunResult, RunResult]:
    """Return two runs with the variables that both of them read."""
    common = one.variables.keys() & other.variables.keys()
    kept = [{name: value for name, value in each.variables.items() if name in common} for each in (one, other)]
    return replace(one, variables=kept[0]), replace(other, variables=kept[1])


def _difference(before: RunResult, after: RunResult, finite_only: bool = False) -> str | None:
    """Return how two runs differ, in outputs or in variables; None if they agree."""
    if before.variables.keys() != after.variables.keys():
        names = sorted(before.variables.keys() ^ after.variables.keys())
        shown = ", ".join(f"'{each}'" for each in names[:MOST_NAMED_CASES])
        return f"variables have other names now: {shown}{', …' if len(names) > MOST_NAMED_CASES else ''}"
    for was, now in ((before.outputs, after.outputs), (before.variables, after.variables)):
        for name, value in was.items():
            differs = _differs(value, now.get(name), finite_only)
            if differs is not None:
                return f"'{name}' has another shape" if not differs else f"of '{name}', {differs}"
    return None


def _differs(before: Argument, after: Argument, finite_only: bool = False) -> str | None:
    """Return how two tensors or packs differ, an empty text if in shape; None if they agree."""
    one, other = arrays_in(before), arrays_in(after)
    if [each.shape for each in one] != [each.shape for each in other]:
        return ""
    for left, right in zip(one, other, strict=True):
        kept = np.where(np.isfinite(left), right, left) if finite_only and left.dtype.kind == "f" else right
        differs = deviation(left, kept, _TOLERANCE)
        if differs is not None:
            return differs
    return None
