"""The programs that `snd check` accepts, from the tests and the documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from support.annotations import parse_annotations
from support.mdtest import sections
from support.memory import read_program, split_files

_ROOT = Path(__file__).parents[2]
_FOLDERS = (
    _ROOT / "tests/fixtures/valid",
    _ROOT / "tests/fixtures/listings",
    _ROOT / "examples",
    _ROOT / "docs/tutorial/programs",
    _ROOT / "tests/fixtures/conformance/valid",
)
_RULES = _ROOT / "tests/fixtures/rules"


class ValidProgram(Struct, frozen=True):
    """The files of a program; the name says where it stands."""

    name: str
    files: Mapping[str, str]


def valid_programs() -> Iterator[ValidProgram]:
    """Yield the programs without errors and warnings, as their annotations say."""
    for folder in _FOLDERS:
        for path in sorted(folder.iterdir()) if folder.exists() else ():
            if path.stem == "broken" or path.stem.endswith("_wrong"):
                continue
            if path.suffix == ".sknd" or (path / "main.sknd").exists():
                yield ValidProgram(f"{folder.name}/{path.stem}", read_program(path))
    for path in sorted(each for suffix in ("sknd", "nnef") for each in _RULES.rglob(f"*.{suffix}")):
        yield from _if_valid(path.relative_to(_RULES).as_posix(), path.read_bytes().decode())
    for path in sorted((_ROOT / "tests/mdtest").rglob("*.md")):
        for section in sections(path):
            for program in section.programs:
                text = f"{program.frame.before}{program.text}{program.frame.after}"
                yield from _if_valid(f"{path.stem}:{program.line}", text)


def _if_valid(name: str, text: str) -> Iterator[ValidProgram]:
    parsed = {path: parse_annotations(each) for path, each in split_files(text).items()}
    announced = (each.severity for _, expected in parsed.values() for each in expected)
    if all(severity == "hint" for severity in announced):
        yield ValidProgram(name, {path: text for path, (text, _) in parsed.items()})
