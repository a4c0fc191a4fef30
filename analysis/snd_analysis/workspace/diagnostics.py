"""Every problem in a file as a diagnostic."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import zip_longest

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import (
    BYTE_ORDER_MARK,
    HEAD,
    Diagnostic,
    Edit,
    Fix,
    Location,
    Note,
    Problem,
    Related,
    Repair,
    Rule,
    Severity,
    Span,
    TextEdit,
)
from snd_analysis.compose import (
    FileBudget,
    Specialization,
    Template,
    UnstatedEquality,
    specialization_of,
    without_implied,
)
from snd_analysis.db import Database, query
from snd_analysis.skriptnd import lints
from snd_analysis.skriptnd.lints import Imports, Module
from snd_analysis.skriptnd.names import ModuleName, OperatorName, import_of, library_modules
from snd_analysis.skriptnd.samples import Sample
from snd_analysis.skriptnd.syntax import Chunk, SyntaxTree, nodes
from snd_analysis.workspace.checks import checked, explained, importable
from snd_analysis.workspace.composing import (
    ComposedDefinition,
    beyond_budget,
    composed_definition,
    composed_definitions,
    composing_problems,
)
from snd_analysis.workspace.files import file, front_end_of, source, tree, whole_tree
from snd_analysis.workspace.limits import MOST_MESSAGE_CHARACTERS
from snd_analysis.workspace.names import definitions, groups, imports, locate, modules_in, resolution
from snd_analysis.workspace.samples import (
    CheckedSample,
    PlacedSample,
    checked_sample,
    modules_in_sample,
    sample_target,
    samples,
)

_IMPORT = re.compile(r"[ \t]*(import|from)\b")
_WORD = re.compile(r"\w+")
_FAILED_INVOCATIONS = frozenset({
    rules.ASSERTION_FAILS, rules.ARGUMENT_RANK, rules.ARGUMENT_SHAPE, rules.LENGTH_MISMATCH, rules.INDEX_OUT_OF_RANGE,
})  # fmt: skip
"""Rules that an invocation breaks. Nothing is known of its results then."""
_COMMENT_BEHIND = re.compile(r"[ \t]*#[^\r\n]*")


@query(is_root=True)
def diagnostics(db: Database, path: str, with_counterexamples: bool = True) -> tuple[Diagnostic, ...]:
    """Everything that is wrong in a file, in order of its places; nothing is suppressed."""
    read = file(db, path)
    if read is None:
        return ()
    unreadable = read.unreadable
    if unreadable is not None:
        problem = Problem(unreadable.rule, Span(unreadable.offset, unreadable.offset), unreadable.message)
        return (_diagnostic(db, path, problem),)
    found = [_diagnostic(db, path, problem) for problem in _problems(db, path, with_counterexamples)]
    found.sort(key=lambda diagnostic: (diagnostic.location.span, diagnostic.rule.name))
    return tuple(found)


class _InChunk(Struct, frozen=True):
    """The problems of the definitions of a chunk, and the modules that they name. Spans count from its start."""

    problems: tuple[Problem, ...]
    modules: frozenset[ModuleName]


@query
def _in_chunk(db: Database, path: str, chunk: Chunk) -> _InChunk:
    problems = [*rules.problems_of(chunk)]
    modules: set[ModuleName] = set()
    for definition in chunk.definitions:
        modules |= resolution(db, path, definition).modules
        problems += checked(db, path, definition, chunk.problems)
    return _InChunk(tuple(problems), frozenset(modules))


@query
def _in_chunks(db: Database, path: str, chunks: tuple[Chunk, ...]) -> tuple[_InChunk, ...]:
    return tuple(_in_chunk(db, path, each) for each in chunks)


def _problems(db: Database, path: str, with_counterexamples: bool) -> list[Problem]:
    tree = whole_tree(db, path)
    syntax = (explained(db, path, each) for each in tree.problems)
    problems = [*syntax, *rules.problems_of(tree), *rules.problems_of(Module(path, tree))]
    named: set[object] = set()
    for group in groups([placed for placed in tree.chunks if placed.chunk.document.items]):
        of_each = _in_chunks(db, path, tuple(placed.chunk for placed in group))
        for placed, own in zip(group, of_each, strict=True):
            named |= own.modules
            problems.extend(importable(db, path, problem.shifted(placed.start)) for problem in own.problems)
    budget = FileBudget()
    composed = composing_problems(db, path, budget, with_counterexamples)
    problems = [*_without_consequences(_without_unused_names(problems, composed, tree), composed, tree), *composed]
    problems.extend([*_sample_problems(db, path, problems, budget, with_counterexamples)])
    used = modules_in(db, path, named)
    if any(item.node.text not in used for item in imports(db, path)):  # only samples can still name it
        named.update(*(modules_in_sample(db, path, each.sample) for each in samples(db, path)))
        used = modules_in(db, path, named)
    known = (*library_modules(),)
    complete = all(problem.rule == rules.INVALID_ESCAPE for problem in tree.problems)
    problems.extend(
        problem for problem in rules.problems_of(Imports(imports(db, path), frozenset(used), known))
        if complete or problem.rule != lints.UNUSED_IMPORT
    )  # fmt: skip
    return _without_lost_imports(problems, tree, source(db, path).text)


def _without_consequences(found: list[Problem], composed: Sequence[Problem], tree: SyntaxTree) -> list[Problem]:
    """Return the problems without wrong shapes of outputs in definitions where an invocation fails."""
    failing = sorted(problem.span.start for problem in composed if problem.rule in _FAILED_INVOCATIONS)
    if not failing or all(problem.rule is not rules.OUTPUT_SHAPE for problem in found):
        return found
    spans = [(start + each.start, start + each.end) for start, each in tree.definitions]
    broken = [span for span in spans if bisect_left(failing, span[0]) < bisect_right(failing, span[1])]
    return [
        problem for problem in found
        if problem.rule is not rules.OUTPUT_SHAPE
        or all(not start <= problem.span.start < end for start, end in broken)
    ]  # fmt: skip


def _sample_problems(
    db: Database, path: str, found: Sequence[Problem], budget: FileBudget, with_counterexamples: bool
) -> Iterator[Problem]:
    """Yield the problems of samples that do not follow from reported problems of the definitions.

    An invocation of a definition with a mistake may be right after the mistake is fixed: it is not checked until then.
    """
    reported = {(problem.rule, problem.span) for problem in found}
    own = definitions(db, path)
    errors = sorted(problem.span.start for problem in found if problem.rule.severity is Severity.ERROR)
    broken = {
        OperatorName(path, name)
        for name, (start, definition, _) in (own.items() if errors else ())
        if bisect_left(errors, start + definition.start) < bisect_right(errors, start + definition.end)
    }
    by_target: dict[OperatorName, list[Specialization]] = {}
    for placed, checked_before in _checked_samples(db, path, broken, budget):
        sample = placed.sample
        if budget.is_spent:
            yield beyond_budget(sample.span.shifted(placed.start))
            break
        known = checked_before or checked_sample(db, path, sample)
        if known.composed is not None:
            budget.count(known.composed)
        bound = _bound_by(known)
        if bound is not None and bound.template.name.path == path:
            by_target.setdefault(bound.template.name, []).append(bound)
        for each in known.problems:
            inside = each.inside
            if inside is not None:
                start = own[inside.definition].start if inside.definition in own else 0
                if (inside.problem.rule, inside.problem.span.shifted(start)) in reported:
                    continue
            yield importable(db, path, each.problem.shifted(placed.start))
    composed = dict(composed_definitions(db, path, budget, with_counterexamples))
    for name, bound_by_samples in by_target.items():
        whole = composed.get(name) or composed_definition(db, name, with_counterexamples)
        yield from _equal_by_accident(db, whole, bound_by_samples)


def _checked_samples(
    db: Database, path: str, broken: Collection[OperatorName], budget: FileBudget
) -> Iterator[tuple[PlacedSample, CheckedSample | None]]:
    """Yield the samples of definitions that are not broken; checked as long as the budget allows."""
    is_own = front_end_of(path) is None
    names = {each.name for each in broken}

    def is_due(sample: Sample) -> bool:
        call = sample.invocation
        if is_own and (call is None or call.function.parts[-1].text not in names):
            return True  # without the scope of the file
        return not broken or sample_target(db, path, sample) not in broken

    for group in groups(samples(db, path)):
        due = [each for each in group if is_due(each.sample)]
        found = () if budget.is_spent else _checked_together(db, path, tuple(each.sample for each in due))
        yield from zip_longest(due, found)


@query
def _checked_together(db: Database, path: str, of: tuple[Sample, ...]) -> tuple[CheckedSample, ...]:
    """Return the checked samples; those after one that uses up the budget of a whole file are left out."""
    budget, found = FileBudget(), list[CheckedSample]()
    for each in of:
        if budget.is_spent:
            break
        known = checked_sample(db, path, each)
        found.append(known)
        if known.composed is not None:
            budget.count(known.composed)
    return tuple(found)


def _bound_by(known: CheckedSample) -> Specialization | None:
    """Return the specialization that a sample invokes, if it has no problems."""
    if known.operation is None or known.has_errors or known.failure is not None:
        return None
    bound = specialization_of(known.operation)
    return bound if bound is not None and bound.valid else None


def _equal_by_accident(db: Database, whole: ComposedDefinition, samples: Sequence[Specialization]) -> Iterator[Problem]:
    """Yield a problem for each invocation in an operator that has the sizes it needs only in the samples."""
    found: dict[int, dict[UnstatedEquality, int]] = {}
    for unstated in whole.unstated:
        number = unstated.number_in(samples)
        if number is not None:
            found.setdefault(id(unstated.operation), {})[unstated] = number
    if whole.specialization is not None:
        for numbers in found.values():
            equalities = [(each, numbers[each]) for each in without_implied([*numbers])]
            yield _unstated_problem(db, whole.specialization.template, equalities)


def _unstated_problem(db: Database, of: Template, found: Sequence[tuple[UnstatedEquality, int]]) -> Problem:
    from snd_analysis.skriptnd.format import new_assertion

    path = of.name.path
    start, definition, _ = definitions(db, path)[of.name.name]
    assertions = [each.condition for each, _ in found]
    edit = new_assertion(source(db, path).text, start, definition, *assertions)
    shown_assertions = " and ".join(f"'{each}'" for each in assertions)
    repair = None if edit is None else Repair(f"assert {shown_assertions}", (edit,), safe=False)
    (first, number), *_ = found
    called = first.operation.operator
    shown = called.name if called is not None else "this"
    equalities = [
        (each.first.name, each.second if isinstance(each.second, int) else each.second.name) for each, _ in found
    ]
    message = rules.samples.accidental_equality(shown, equalities, number)
    span = of.moved(first.operation.place).span.shifted(start)
    return Problem(rules.EQUAL_BY_ACCIDENT, span, message, repair=repair)


_UNUSED_NAMES = (lints.DEAD_OPERATION, lints.UNUSED_SYMBOL, lints.UNUSED_VARIABLE)
_ABOUT_VALUES = (lints.NEGATIVE_STACK_AXIS,)
_UNNECESSARY = (*_UNUSED_NAMES, lints.UNUSED_IMPORT)


def as_diagnostics(db: Database, path: str, problems: Iterable[Problem]) -> tuple[Diagnostic, ...]:
    """Return problems of a file as diagnostics, in order of their places, without duplicates."""
    told: dict[tuple[Rule, Span], Problem] = {}
    for problem in problems:
        told.setdefault((problem.rule, problem.span), problem)
    found = [_diagnostic(db, path, problem) for problem in told.values()]
    return tuple(sorted(found, key=lambda diagnostic: (diagnostic.location.span, diagnostic.rule.name)))


def _diagnostic(db: Database, path: str, problem: Problem) -> Diagnostic:
    repair = problem.repair
    fix = None
    if repair is not None:
        needed = [edit for edit in repair.edits if not _is_import_there(db, path, edit)]
        edits = tuple(_text_edit(db, path, edit) for edit in needed)
        fix = Fix(repair.title, edits, repair.safe)
    return Diagnostic(
        problem.rule, problem.rule.severity, _short(problem.message), Location(path, problem.span),
        tuple(_related(db, path, note) for note in problem.notes), fix,
        unnecessary=problem.rule in _UNNECESSARY,
    )  # fmt: skip


def _short(message: str) -> str:
    """Return a message without the middle of overlong parts: names and labels may be of any length."""
    if len(message) <= MOST_MESSAGE_CHARACTERS:
        return message
    half = MOST_MESSAGE_CHARACTERS // 2
    return f"{message[:half]}…{message[-half:]}"


def _is_import_there(db: Database, path: str, edit: Edit) -> bool:
    """Return whether an edit imports a module, beside others, that is imported."""
    if edit.span != HEAD:
        return False
    items = (item for placed in tree(db, path).chunks for item in placed.chunk.document.items)
    imported = (name for item in items if isinstance(item, nodes.Import) for name in item.modules)
    return any(edit.text == f"import {name.text};" for name in imported)


def import_edit(db: Database, path: str, module: str) -> TextEdit:
    """Return the edit that imports a module, where its imports stand."""
    return _text_edit(db, path, import_of(module).edits[0])


def _text_edit(db: Database, path: str, edit: Edit) -> TextEdit:
    if edit.span != HEAD:
        return TextEdit(Location(path, edit.span), edit.text)
    ends = [
        placed.start + item.end
        for placed in tree(db, path).chunks
        for item in placed.chunk.document.items
        if isinstance(item, nodes.Version | nodes.Extension | nodes.Import)
    ]
    text = source(db, path).text
    line_break = "\r\n" if "\r\n" in text else "\n"
    if not ends:
        head = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0
        between = line_break if text[head : head + 1] in ("", "\r", "\n") else 2 * line_break
        return TextEdit(Location(path, Span(head, head)), f"{edit.text}{between}")
    comment = _COMMENT_BEHIND.match(text, ends[-1])
    end = comment.end() if comment else ends[-1]
    return TextEdit(Location(path, Span(end, end)), f"{line_break}{edit.text}")


def _related(db: Database, path: str, note: Note) -> Related:
    if note.elsewhere is None:
        return Related(Location(path, note.span), note.message)
    return Related(locate(db, note.elsewhere), note.message)


def _without_lost_imports(problems: list[Problem], tree: SyntaxTree, text: str) -> list[Problem]:
    """Return the problems except for modules and operators that a wrong import may have meant."""

    def words(start: int) -> list[str]:
        line = text[text.rfind("\n", 0, start) + 1 :].partition("\n")[0]
        return _WORD.findall(line) if _IMPORT.match(line) else []

    broken = {word for each in tree.problems for word in words(each.span.start)}
    missing = [each for each in problems if each.rule == lints.MODULE_NOT_FOUND]
    lost = broken.union(word for each in missing for word in words(each.span.start))

    def is_lost(problem: Problem) -> bool:
        names = broken if problem.rule == lints.MODULE_NOT_FOUND else lost
        found = text[problem.span.start : problem.span.end].partition(".")[0] in names
        return found and problem.rule in (lints.MODULE_NOT_FOUND, rules.UNKNOWN_MODULE, rules.UNKNOWN_OPERATOR)

    return [problem for problem in problems if not is_lost(problem)] if lost else problems


def _without_unused_names(problems: list[Problem], composed: list[Problem], tree: SyntaxTree) -> list[Problem]:
    """Return the problems found without composing, except those that a failed composition makes doubtful.

    These are unused names in a definition that can't be composed, and wrong values.
    """
    wrong = [problem.span for problem in composed if problem.rule.severity is Severity.ERROR]
    if not wrong:
        return problems
    errors = sorted(span.start for span in wrong)
    broken = [
        Span(placed.start + definition.start, placed.start + definition.end)
        for placed in tree.chunks
        for definition in placed.chunk.definitions
        if bisect_left(errors, placed.start + definition.start) < bisect_left(errors, placed.start + definition.end)
    ]
    return [
        problem
        for problem in problems
        if not any(
            span.start <= problem.span.start < span.end
            for span in (broken if problem.rule in _UNUSED_NAMES else wrong if problem.rule in _ABOUT_VALUES else ())
        )
    ]
