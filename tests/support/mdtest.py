"""Tests written as Markdown (tests/mdtest): prose, programs, and the diagnostics that each program gets.

A fenced block ```` ```sknd ```` or ```` ```nnef ```` is a program, annotated as ``annotations.py`` describes; lines
``# file: NAME.sknd`` divide it into several files. A program without annotations gets no diagnostics. Hints count
only in a program that announces a hint, since a program that shows one thing leaves names unused.

- ```` ```sknd lines ```` holds one program per line, each with its annotations below it.
- ```` ```sknd frame ```` surrounds each of these lines, up to the end of its section, subsections included: its line
  ``…`` is replaced by the program.
- Comments as in ``facts.py`` state facts about the composed program.
- Other fenced blocks are prose.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

from support.annotations import as_found, is_annotation
from support.facts import is_fact, with_facts


@dataclass(frozen=True)
class Frame:
    """The text around a program."""

    before: str = ""
    after: str = ""


@dataclass(frozen=True)
class Program:
    """An annotated program, which begins at a line of its Markdown file (counted from 0)."""

    line: int
    text: str
    frame: Frame

    def corrected(self) -> str | None:
        """Return the program with the annotations that it should have; None if it has them."""
        whole = f"{self.frame.before}{self.text}{self.frame.after}"
        found = with_facts(as_found(whole, optional=("hint",)) or whole)
        if found == whole:
            return None
        inner = found.removeprefix(self.frame.before).removesuffix(self.frame.after)
        assert len(found) == sum(map(len, (self.frame.before, inner, self.frame.after))), f"wrong frame:\n{found}"
        return inner


@dataclass(frozen=True)
class Section:
    """The programs below one heading, up to the next."""

    title: str
    programs: tuple[Program, ...]


def sections(path: Path) -> list[Section]:
    """Return the sections of a Markdown file that have programs; a title is the headings from the outermost on."""
    found: dict[str, list[Program]] = {}
    headings: list[tuple[int, str, Frame]] = [(0, "", Frame())]
    tokens = MarkdownIt().parse(path.read_text(encoding="utf-8"))
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            level = int(token.tag[1:])
            headings = [each for each in headings if each[0] < level]
            headings.append((level, tokens[at + 1].content, headings[-1][2]))
        elif token.type == "fence" and token.info.split()[:1] in (["sknd"], ["nnef"]):
            assert token.map is not None
            level, heading, frame = headings[-1]
            kind, start = token.info.removeprefix("sknd").removeprefix("nnef").strip(), token.map[0] + 1
            if kind == "frame":
                before, after = token.content.split("\n…\n")
                headings[-1] = (level, heading, Frame(f"{before}\n", after))
                continue
            assert kind in ("", "lines"), f"{path.name}:{start}: no block is called {token.info!r}"
            title = " > ".join(heading for _, heading, _ in headings[1:])
            whole = Program(start, token.content, Frame())
            found.setdefault(title, []).extend(_lines(whole, frame) if kind else [whole])
    return [Section(title, tuple(programs)) for title, programs in found.items()]


def _lines(block: Program, frame: Frame) -> Iterator[Program]:
    """Yield the programs of a block that has one on each line."""
    lines = block.text.splitlines(keepends=True)
    starts = [at for at, line in enumerate(lines) if line.strip() and not (is_annotation(line) or is_fact(line))]
    for at, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield Program(block.line + at, "".join(lines[at:end]), frame)


def rewrite(path: Path, title: str) -> None:
    """Correct the annotations of a section in its file."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    (section,) = (each for each in sections(path) if each.title == title)
    for program in reversed(section.programs):
        if (corrected := program.corrected()) is not None:
            lines[program.line : program.line + program.text.count("\n")] = [corrected]
    path.write_text("".join(lines), encoding="utf-8", newline="")
