"""The mistakes in samples: names, types, shapes, and recorded results that can't be right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Note, Problem, Severity
from snd_analysis.compose import (
    Failure,
    Specialization,
    Template,
    compose_root,
    placed_problems,
    warnings_of_root,
)
from snd_analysis.db import Database, incremental, query
from snd_analysis.model import Operation
from snd_analysis.skriptnd.names import (
    AttributeName,
    BuiltIn,
    ModuleName,
    OperatorName,
    PassFold,
    Resolution,
    Role,
    SymbolKind,
    Use,
    resolve,
)
from snd_analysis.skriptnd.samples import (
    SAMPLE_NAME,
    ReadSample,
    Sample,
    SampleGraph,
    SampleText,
    samples_of,
    statement_of,
)
from snd_analysis.skriptnd.syntax import Chunk
from snd_analysis.skriptnd.types import Context, Others, Stage, TypingState, declare
from snd_analysis.skriptnd.types import statement as type_statement
from snd_analysis.workspace.composing import session
from snd_analysis.workspace.files import SampleCall, SampleProblem, front_end_of, tree
from snd_analysis.workspace.names import definition, module_scope, resolution
from snd_analysis.workspace.others import OtherDefinitions, declared
from snd_analysis.workspace.sample_results import result_problems


class PlacedSample(Struct, frozen=True):
    """A sample of a file, and the offset that its spans count from."""

    start: int
    sample: Sample


class CheckedSample(Struct, frozen=True, eq=False):
    """A sample with its analysis. Spans count from the start of the sample."""

    sample: Sample
    target: OperatorName | None
    problems: tuple[SampleProblem, ...]
    uses: tuple[Use, ...] = ()
    """The names of modules, operators and attributes in the invocation."""
    operation: Operation | None = None
    """The invocation, composed; None if it could not be."""
    generators: tuple[tuple[str, str], ...] = ()
    """Inputs that a generator makes, by the names of their tensors."""
    failure: str | None = None
    """The message of a failure that is expected."""
    composed: Specialization | None = None
    """The graph of the sample, which counts for the budget of the file."""

    @property
    def has_errors(self) -> bool:
        """Return whether it can't be evaluated; readable recorded results are no reason for that."""
        broken = (each.problem.rule for each in self.problems)
        return any(rule != rules.SAMPLE_RESULT_SHAPE and rule.severity is Severity.ERROR for rule in broken)


class _Typed(Struct, frozen=True, eq=False):
    """A typed sample. ``template`` is the graph to compose, if there is no problem yet."""

    checked: CheckedSample
    template: Template | None = None


class _ReadSamples(Struct, frozen=True, eq=False):
    by_chunk: Mapping[Chunk, tuple[ReadSample, ...]]
    placed: tuple[PlacedSample, ...]


def samples(db: Database, path: str) -> tuple[PlacedSample, ...]:
    """Return the samples of a file, in order. One whose text is as it was is the same object."""
    return _read_samples(db, path).placed


@incremental
def _read_samples(db: Database, before: _ReadSamples | None, path: str) -> _ReadSamples:
    chunks = tree(db, path).chunks
    known = {} if before is None else before.by_chunk
    in_other_language = front_end_of(path) is not None
    now = {each.chunk for each in chunks}
    gone: dict[SampleText, list[Sample]] = {}
    for chunk, found in known.items():
        for read in () if chunk in now else reversed(found):
            gone.setdefault(read.text, []).append(read.sample)
    by_chunk: dict[Chunk, tuple[ReadSample, ...]] = {}
    for each in chunks:
        if each.chunk not in by_chunk:
            before_ = known.get(each.chunk)
            by_chunk[each.chunk] = samples_of(each.chunk, gone, in_other_language) if before_ is None else before_
    placed = (PlacedSample(each.start + read.start, read.sample) for each in chunks for read in by_chunk[each.chunk])
    return _ReadSamples(by_chunk, tuple(placed))


@query
def checked_sample(db: Database, path: str, sample: Sample) -> CheckedSample:
    """Return a sample of a file with its analysis."""
    typed = _typed(db, path, sample)
    checked, template = typed.checked, typed.template
    if template is None:
        return checked if checked.sample.invocation is None else _expecting(checked)
    working = session(db)
    working.reached(template)  # a known composition records no dependencies on its parts
    specialization = compose_root(working, template, {}, {})
    body = specialization.body
    operation = None if body is None else next(iter(body.operations), None)
    failures = [*specialization.failures, *warnings_of_root(working, specialization, {}, {})]
    found = [*checked.problems, *_composing_problems(failures, path)]
    if operation is not None and not failures:
        found += map(SampleProblem, result_problems(checked.sample, operation))
    return _expecting(replace(checked, problems=tuple(found), operation=operation, composed=specialization))


@query
def _typed(db: Database, path: str, sample: Sample) -> _Typed:
    seen = module_scope(db, path)
    invoked, target = _call(db, path, sample), sample_target(db, path, sample)
    if invoked is None:
        return _Typed(CheckedSample(sample, None, tuple(map(SampleProblem, sample.problems))))
    statement = statement_of(invoked.call, None if target is None else declared(db, target))
    resolution = resolve(statement.definition, seen)
    uses = tuple(use for use in resolution.uses if _is_written(use))
    problems = [*sample.problems, *statement.problems, *invoked.problems]
    if not problems and not invoked.inside and invoked.can_run:
        # The graph of a sample always is a main one.
        others = OtherDefinitions(db, path, statement.definition)
        problems = _typing_problems(statement, resolution, others)
        others.close()
    found = (*map(SampleProblem, problems), *invoked.inside)
    if not invoked.can_run or any(each.problem.rule.severity is Severity.ERROR for each in found):
        return _Typed(CheckedSample(sample, target, found, uses))
    template = Template(OperatorName(path, SAMPLE_NAME), statement.definition, resolution, ())
    generators = tuple(statement.generators.items())
    return _Typed(CheckedSample(sample, target, found, uses, None, generators), template)


def _is_written(use: Use) -> bool:
    """Return whether a name stands in the comment; names of arguments are made up."""
    return isinstance(use.target, OperatorName | ModuleName | AttributeName | BuiltIn)


def _typing_problems(statement: SampleGraph, resolution: Resolution, others: Others) -> list[Problem]:
    """Return the problems of names and types in a statement."""
    context = Context(statement.definition, resolution, others)
    declare(context, PassFold(None))
    work = TypingState(context)
    work.in_control_flow = True  # a sample may invoke graphs, too
    work.begin(statement.component)
    with context.at(Stage.COMPOSE):
        type_statement(work, statement.component)
    found = (*context.problems, *rules.problems_of(resolution))
    return [*resolution.problems, *(each for each in found if resolution.is_clear(each.span))]


def _composing_problems(failures: Iterable[Failure], path: str) -> list[SampleProblem]:
    """Return failures as problems of the sample, each with the outermost place inside the file."""
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
    """Return a note about a place in the sample itself with a span that counts from the start of the sample."""
    elsewhere = note.elsewhere
    if elsewhere is None or elsewhere.definition != SAMPLE_NAME or elsewhere.span is None:
        return note
    return replace(note, span=elsewhere.span, elsewhere=None)


def _expecting(checked: CheckedSample) -> CheckedSample:
    """Return the sample without the failure that it expects."""
    error = checked.sample.error
    if error is None:
        return checked
    expected = next((each for each in checked.problems if error.matches(each.problem.message)), None)
    if expected is None or checked.sample.problems:
        return checked
    return replace(checked, problems=(), failure=expected.problem.message)


def sample_target(db: Database, path: str, sample: Sample) -> OperatorName | None:
    """Return the operator or graph that a sample invokes; None if there is none of that name."""
    found = _call(db, path, sample)
    parts = () if found is None else tuple(part.text for part in found.call.function.parts)
    return module_scope(db, path).operator(parts) if parts else None


def _call(db: Database, path: str, sample: Sample) -> SampleCall | None:
    if front_end_of(path) is not None:
        return _call_by_front_end(db, path, sample)
    return None if sample.invocation is None else SampleCall(sample.invocation)


@query
def _call_by_front_end(db: Database, path: str, sample: Sample) -> SampleCall | None:
    front_end, call = front_end_of(path), sample.invocation
    found = None if front_end is None else front_end.sample_call(db, path, sample)
    return found if found is not None or call is None else SampleCall(call)


@query
def modules_in_sample(db: Database, path: str, sample: Sample) -> frozenset[ModuleName]:
    """Return the modules that the invocation in a sample names."""
    call, seen = sample.invocation, module_scope(db, path)
    return frozenset() if call is None else frozenset(resolve(statement_of(call, None).definition, seen).modules)


def named_sample(db: Database, path: str, sample: Sample) -> CheckedSample:
    """Return a sample with the names in its invocation, and no other analysis."""
    found, target = _call(db, path, sample), sample_target(db, path, sample)
    if found is None:
        return CheckedSample(sample, None, ())
    seen = module_scope(db, path)
    statement = statement_of(found.call, None if target is None else definition(db, target))
    uses = resolve(statement.definition, seen).uses
    return CheckedSample(sample, target, (), tuple(use for use in uses if _is_written(use)))


def sample_uses(db: Database, checked: CheckedSample) -> tuple[Use, ...]:
    """Return every name in a sample with its target; names of recorded results are outputs."""
    found = list(checked.uses)
    target = None if checked.target is None else definition(db, checked.target)
    if checked.target is not None and target is not None:
        names = resolution(db, checked.target.path, target)
        for recorded in checked.sample.results:
            symbol = names.symbol(recorded.name)
            if symbol is not None and symbol.kind is SymbolKind.OUTPUT:
                found.append(Use(recorded.name_span, symbol, Role.READ))
    return tuple(found)
