"""Everything that is wrong with samples: names, types, shapes, and recorded results that can't be right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base.problem import Note, Problem
from snd_analysis.base.rule import Severity
from snd_analysis.compose.failure import Failure, PlacedProblem, placed_problems
from snd_analysis.compose.root import compose_root, warnings_of_root
from snd_analysis.compose.template import Template
from snd_analysis.model import Operation
from snd_analysis.skriptnd.lints import check_precedence
from snd_analysis.skriptnd.names import (
    AttributeName,
    BuiltIn,
    Environment,
    ModuleName,
    OperatorName,
    Resolution,
    Role,
    SymbolKind,
    Use,
    resolve,
)
from snd_analysis.skriptnd.samples.reading import SampleText, samples_of
from snd_analysis.skriptnd.samples.results import result_problems
from snd_analysis.skriptnd.samples.sample import Sample
from snd_analysis.skriptnd.samples.statement import SAMPLE_NAME, Statement, statement_of
from snd_analysis.skriptnd.syntax import Chunk, SyntaxTree
from snd_analysis.skriptnd.types import Composition, Context, Others, Place, declare
from snd_analysis.skriptnd.types import statement as type_statement
from snd_analysis.workspace.others import AskedOthers

if TYPE_CHECKING:
    from snd_analysis.workspace.snapshot import Snapshot


class PlacedSample(Struct, frozen=True):
    """A sample of a file, and what its spans count from."""

    start: int
    sample: Sample


class SampleProblem(Struct, frozen=True):
    """What is wrong with a sample. ``inside`` is the place in a definition of the same file where it came to light."""

    problem: Problem
    inside: PlacedProblem | None = None


class CheckedSample(Struct, frozen=True, eq=False):
    """A sample with what is known of it. Spans count from the start of its chunk."""

    sample: Sample
    target: OperatorName | None
    problems: tuple[SampleProblem, ...]
    uses: tuple[Use, ...] = ()
    """The names of modules, operators and attributes in the invocation."""
    operation: Operation | None = None
    """The invocation, composed; None if it could not be."""
    generators: tuple[tuple[str, str], ...] = ()
    """Which inputs are made by a generator, by the names of their tensors."""
    failure: str | None = None
    """The message of a failure that is expected."""

    @property
    def has_errors(self) -> bool:
        """Whether it can't be evaluated; what is recorded is no reason for that, if it can be read."""
        broken = (each.problem.rule for each in self.problems)
        return any(rule != rules.SAMPLE_RESULT_SHAPE and rule.severity is Severity.ERROR for rule in broken)


class _Typed(Struct, frozen=True, eq=False):
    """A sample by the signatures of what it invokes. ``unit`` is the graph to compose, if nothing is wrong yet."""

    environment: Environment
    others: AskedOthers
    checked: CheckedSample
    template: Template | None = None

    def holds_in(self, snapshot: Snapshot, path: str) -> bool:
        return self.environment is snapshot.environment(path) and self.others.unchanged(snapshot)


class _Known(Struct, frozen=True, eq=False):
    typed: _Typed
    reached: frozenset[Template] | None
    checked: CheckedSample


class KnownSamples:
    """The samples of chunks, and what was found out about them; shared by the snapshots of a workspace."""

    def __init__(self) -> None:
        self._samples: dict[Chunk, Mapping[SampleText, Sample]] = {}
        self._checked: dict[tuple[str, Sample], _Known] = {}
        self._gone: tuple[str, dict[SampleText, Sample]] = ("", {})
        """The samples of chunks that the last edit changed, and the file: most will be those of new chunks."""

    def copy(self) -> KnownSamples:
        """The same for another line of states, which goes on from here."""
        copied = KnownSamples()
        copied._samples = dict(self._samples)
        copied._checked = dict(self._checked)
        return copied

    def of(self, path: str, tree: SyntaxTree) -> tuple[PlacedSample, ...]:
        """The samples of a file, in order."""
        found: list[PlacedSample] = []
        before = self._gone[1] if path == self._gone[0] else {}
        for placed in tree.chunks:
            samples = self._samples.get(placed.chunk)
            if samples is None:
                samples = self._samples[placed.chunk] = samples_of(placed.chunk, before)
            found.extend(PlacedSample(placed.start, sample) for sample in samples.values())
        return tuple(found)

    def forget(self, path: str, chunks: Iterable[Chunk]) -> None:
        """Lets go of chunks that are no more, and of their samples unless they stand in others then."""
        for sample in self._gone[1].values():
            self._checked.pop((self._gone[0], sample), None)
        self._gone = path, {}
        for chunk in chunks:
            self._gone[1].update(self._samples.pop(chunk, {}))

    def checked(self, snapshot: Snapshot, path: str, sample: Sample) -> CheckedSample:
        """What is known of a sample, as long as nothing that it depends on has changed."""
        known = self._checked.get((path, sample))
        typed = known.typed if known is not None and known.typed.holds_in(snapshot, path) else None
        if known is None or typed is None:
            typed = _typed(snapshot, path, sample)
            known = None
        reached = None if typed.template is None else snapshot.session().reached(typed.template)
        if known is None or known.reached != reached:
            known = self._checked[path, sample] = _Known(typed, reached, _composed(snapshot, path, typed))
        return known.checked


def _typed(snapshot: Snapshot, path: str, sample: Sample) -> _Typed:
    environment = snapshot.environment(path)
    call = sample.invocation
    target = None if call is None else environment.operator(tuple(part.text for part in call.function.parts))
    invoked = None if target is None else snapshot.definition(target)
    statement = None if call is None else statement_of(call, invoked)
    # Whether the graph of a sample is a main one is asked of nobody: it is.
    others = AskedOthers(snapshot, path, None if statement is None else statement.definition)
    if target is not None:
        others.signature(target)

    def typed(checked: CheckedSample, template: Template | None = None) -> _Typed:
        others.close()
        return _Typed(environment, others, checked, template)

    if statement is None:
        return typed(CheckedSample(sample, None, tuple(map(SampleProblem, sample.problems))))
    resolution = resolve(statement.definition, environment)
    uses = tuple(use for use in resolution.uses if _is_written(use))
    problems = [*sample.problems, *statement.problems]
    if not problems:
        problems = _typing_problems(statement, resolution, others)
    found = tuple(map(SampleProblem, problems))
    if any(problem.rule.severity is Severity.ERROR for problem in problems):
        return typed(CheckedSample(sample, target, found, uses))
    template = Template(OperatorName(path, SAMPLE_NAME), statement.definition, resolution, ())
    generators = tuple(statement.generators.items())
    return typed(CheckedSample(sample, target, found, uses, None, generators), template)


def _composed(snapshot: Snapshot, path: str, typed: _Typed) -> CheckedSample:
    """A sample with what comes to light when it is composed."""
    checked, template = typed.checked, typed.template
    if template is None:
        return checked if checked.sample.invocation is None else _expecting(checked)
    session = snapshot.session()
    specialization = compose_root(session, template, {}, {})
    operation = None if specialization.body is None else next(iter(specialization.body.operations), None)
    failures = [*specialization.failures, *warnings_of_root(session, specialization, {}, {})]
    found = [*checked.problems, *_composing_problems(failures, path)]
    if operation is not None and not failures:
        found += map(SampleProblem, result_problems(checked.sample, operation))
    return _expecting(replace(checked, problems=tuple(found), operation=operation))


def _is_written(use: Use) -> bool:
    """Whether a name stands in the comment; those of arguments are made up."""
    return isinstance(use.target, OperatorName | ModuleName | AttributeName | BuiltIn)


def _typing_problems(statement: Statement, resolution: Resolution, others: Others) -> list[Problem]:
    """What is wrong with the names and types of a statement."""
    context = Context(statement.definition, resolution, others)
    declare(context)
    work = Composition(context)
    work.in_control_flow = True  # a sample may invoke graphs, too
    work.begin(statement.component)
    with context.at(Place.COMPOSE):
        type_statement(work, statement.component)
    found = (*context.problems, *check_precedence(resolution))
    return [*resolution.problems, *(each for each in found if resolution.is_clear(each.span))]


def _composing_problems(failures: Iterable[Failure], path: str) -> list[SampleProblem]:
    """Failures as problems of the sample, each with the place inside of the file where it is seen first."""
    found: dict[object, SampleProblem] = {}
    for failure in failures:
        at = len(failure.sites) - 1
        inner = next(iter(placed_problems((failure,), path)), None)
        outer = replace(failure, sites=failure.sites[at:], related=(*failure.sites[:at][::-1], *failure.related))
        for placed in placed_problems((outer,), path):
            if placed.definition != SAMPLE_NAME:
                continue
            inside = inner if inner is not None and inner.definition != SAMPLE_NAME else None
            problem = replace(placed.problem, notes=tuple(map(_own_note, placed.problem.notes)))
            found.setdefault((problem.rule, problem.span), SampleProblem(problem, inside))
    return list(found.values())


def _own_note(note: Note) -> Note:
    """A note about a place in the sample itself counts from its chunk, as the sample does."""
    elsewhere = note.elsewhere
    if elsewhere is None or elsewhere.definition != SAMPLE_NAME or elsewhere.span is None:
        return note
    return replace(note, span=elsewhere.span, elsewhere=None)


def _expecting(checked: CheckedSample) -> CheckedSample:
    """Without the failure that the sample expects."""
    error = checked.sample.error
    if error is None:
        return checked
    expected = next((each for each in checked.problems if error.matches(each.problem.message)), None)
    if expected is None or checked.sample.problems:
        return checked
    return replace(checked, problems=(), failure=expected.problem.message)


def named_sample(snapshot: Snapshot, path: str, sample: Sample) -> CheckedSample:
    """A sample with the names in its invocation, and nothing else of what is known of it."""
    call = sample.invocation
    if call is None:
        return CheckedSample(sample, None, ())
    environment = snapshot.environment(path)
    target = environment.operator(tuple(part.text for part in call.function.parts))
    statement = statement_of(call, None if target is None else snapshot.definition(target))
    uses = resolve(statement.definition, environment).uses
    return CheckedSample(sample, target, (), tuple(use for use in uses if _is_written(use)))


def sample_uses(snapshot: Snapshot, checked: CheckedSample) -> tuple[Use, ...]:
    """Every name in a sample with what it stands for: those of recorded results are outputs of what is invoked."""
    found = list(checked.uses)
    definition = None if checked.target is None else snapshot.definition(checked.target)
    if checked.target is not None and definition is not None:
        resolution = snapshot.resolution(checked.target.path, definition)
        for recorded in checked.sample.results:
            symbol = resolution.symbol(recorded.name)
            if symbol is not None and symbol.kind is SymbolKind.OUTPUT:
                found.append(Use(recorded.name_span, symbol, Role.READ))
    return tuple(found)
