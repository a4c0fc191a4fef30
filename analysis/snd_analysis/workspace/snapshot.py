"""One state of all files, and every problem in it as a diagnostic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from snd_analysis import rules
from snd_analysis.base.diagnostics import Diagnostic, Fix, Location, Related, TextEdit
from snd_analysis.base.problem import Note, Problem
from snd_analysis.base.rule import Rule, Severity
from snd_analysis.base.text import BYTE_ORDER_MARK, HEAD, Edit, Span
from snd_analysis.skriptnd import lints
from snd_analysis.skriptnd.lints import check_definitions, check_imports, check_items
from snd_analysis.skriptnd.names import import_of, library_modules
from snd_analysis.skriptnd.samples import Sample
from snd_analysis.skriptnd.syntax import SyntaxTree, nodes
from snd_analysis.workspace.composing import Composing
from snd_analysis.workspace.samples import CheckedSample, PlacedSample

_COMMENT_BEHIND = re.compile(r"[ \t]*#[^\r\n]*")


class Snapshot(Composing):
    """One state of all files. Every question about them is asked of one snapshot."""

    def diagnostics(self, path: str) -> tuple[Diagnostic, ...]:
        """Everything that is wrong in a file, in order of its places; nothing is suppressed."""
        file = self.file(path)
        if file is None:
            return ()
        if file.unreadable is not None:
            problem = Problem(
                file.unreadable.rule, Span(file.unreadable.offset, file.unreadable.offset), file.unreadable.message
            )
            return (self._diagnostic(path, problem),)
        found = [self._diagnostic(path, problem) for problem in self._problems(path, self.whole_tree(path))]
        found.sort(key=lambda diagnostic: (diagnostic.location.span, diagnostic.rule.name))
        return tuple(found)

    def _problems(self, path: str, tree: SyntaxTree) -> list[Problem]:
        problems = [*tree.problems, *check_items(tree), *check_definitions(path, tree)]
        named: set[object] = set()
        for placed in tree.chunks:
            for definition in placed.chunk.definitions:
                self.checkpoint()
                named.update(self.resolution(path, definition).modules)
                syntax_is_right = not placed.chunk.problems
                found = self._check(path, definition, syntax_is_right)
                problems.extend(self._importable(path, problem.shifted(placed.start)) for problem in found)
        composed = [*self._composing_problems(path)]
        problems = [*_without_hints(problems, composed, tree), *composed]
        samples = [*self.checked_samples(path)]
        problems.extend([*self._sample_problems(path, samples, problems)])
        named.update(use.target for _, checked in samples for use in checked.uses)
        used = self._modules_in(path, named)
        known = (*library_modules(),)
        complete = all(problem.rule == rules.INVALID_ESCAPE for problem in tree.problems)
        problems.extend(
            problem for problem in check_imports(self.imports(path), frozenset(used), known)
            if complete or problem.rule != lints.UNUSED_IMPORT
        )  # fmt: skip
        return problems

    # ---- samples -----------------------------------------------------------------------------------------------------
    def samples(self, path: str) -> tuple[PlacedSample, ...]:
        """The samples in the comments of a file, in order."""
        return self._known.samples.of(path, self.tree(path))

    def checked_samples(self, path: str) -> Iterator[tuple[PlacedSample, CheckedSample]]:
        """The samples of a file with what is known of each."""
        for placed in self.samples(path):
            yield placed, self.checked_sample(path, placed.sample)

    def checked_sample(self, path: str, sample: Sample) -> CheckedSample:
        """What is known of a sample of a file."""
        return self._known.samples.checked(self, path, sample)

    def _sample_problems(
        self, path: str, samples: Iterable[tuple[PlacedSample, CheckedSample]], found: Sequence[Problem]
    ) -> Iterator[Problem]:
        """What is wrong with samples, and does not come from what is reported of the definitions themselves.

        An invocation of a definition that has a mistake may be right when that is mended.
        """
        reported = {(problem.rule, problem.span) for problem in found}
        definitions = self.definitions(path)
        errors = [problem.span.start for problem in found if problem.rule.severity is Severity.ERROR]
        for placed, checked in samples:
            target = checked.target
            if target is not None and target.path == path and target.name in definitions:
                start, definition = definitions[target.name][:2]
                if any(start + definition.start <= error <= start + definition.end for error in errors):
                    continue
            for each in checked.problems:
                inside = each.inside
                if inside is not None and inside.definition in definitions:
                    start = definitions[inside.definition].start
                    if (inside.problem.rule, inside.problem.span.shifted(start)) in reported:
                        continue
                yield self._importable(path, each.problem.shifted(placed.start))

    # ---- diagnostics -------------------------------------------------------------------------------------------------
    def as_diagnostics(self, path: str, problems: Iterable[Problem]) -> tuple[Diagnostic, ...]:
        """Problems of a file as diagnostics, in order of their places; what is told twice, once."""
        told: dict[tuple[Rule, Span], Problem] = {}
        for problem in problems:
            told.setdefault((problem.rule, problem.span), problem)
        found = [self._diagnostic(path, problem) for problem in told.values()]
        return tuple(sorted(found, key=lambda diagnostic: (diagnostic.location.span, diagnostic.rule.name)))

    def _diagnostic(self, path: str, problem: Problem) -> Diagnostic:
        repair = problem.repair
        fix = None
        if repair is not None:
            edits = tuple(self._text_edit(path, edit) for edit in repair.edits)
            fix = Fix(repair.title, edits, repair.safe)
        return Diagnostic(
            problem.rule, problem.rule.severity, problem.message, Location(path, problem.span),
            tuple(self._related(path, note) for note in problem.notes), fix,
            unnecessary=problem.rule in (lints.UNUSED_IMPORT, lints.UNUSED_SYMBOL),
        )  # fmt: skip

    def import_edit(self, path: str, module: str) -> TextEdit:
        """The edit that imports a module, where its imports stand."""
        return self._text_edit(path, import_of(module).edits[0])

    def _text_edit(self, path: str, edit: Edit) -> TextEdit:
        if edit.span != HEAD:
            return TextEdit(Location(path, edit.span), edit.text)
        ends = [
            placed.start + item.end
            for placed in self.tree(path).chunks
            for item in placed.chunk.document.items
            if isinstance(item, nodes.Version | nodes.Extension | nodes.Import)
        ]
        text = self.source(path).text
        line_break = "\r\n" if "\r\n" in text else "\n"
        if not ends:
            head = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0
            between = line_break if text[head : head + 1] in ("", "\r", "\n") else 2 * line_break
            return TextEdit(Location(path, Span(head, head)), f"{edit.text}{between}")
        comment = _COMMENT_BEHIND.match(text, ends[-1])
        end = comment.end() if comment else ends[-1]
        return TextEdit(Location(path, Span(end, end)), f"{line_break}{edit.text}")

    def _related(self, path: str, note: Note) -> Related:
        if note.elsewhere is None:
            return Related(Location(path, note.span), note.message)
        return Related(self.locate(note.elsewhere), note.message)


def _without_hints(problems: list[Problem], composed: list[Problem], tree: SyntaxTree) -> list[Problem]:
    """What was found without composing, but of names that nothing uses in what can't be composed."""
    errors = [problem.span.start for problem in composed if problem.rule.severity is Severity.ERROR]
    if not errors:
        return problems
    broken = [
        Span(placed.start + definition.start, placed.start + definition.end)
        for placed in tree.chunks
        for definition in placed.chunk.definitions
        if any(placed.start + definition.start <= error < placed.start + definition.end for error in errors)
    ]
    return [
        problem
        for problem in problems
        if problem.rule != lints.UNUSED_SYMBOL
        or not any(span.start <= problem.span.start < span.end for span in broken)
    ]
