"""Programs whose verdict is known: those of the conformance suite, our own, and the library.

A program is checked as the main module in a folder of its own. Valid ones are silent, invalid ones give exactly one
diagnostic, an error at the line that is wrong.

Invariants 7 and 8 of ARCHITECTURE.md.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from snd_analysis.base import Diagnostic, Severity
from support.memory import check, read_program, shown
from support.sampling import tries

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
SUITE = FIXTURES / "conformance"
_MARK = re.compile(r"# <-- (error|warning)\b")

NOT_YET_FILE = Path(__file__).parent / "not_yet.json"
NOT_YET: dict[str, list[str]] = json.loads(NOT_YET_FILE.read_text(encoding="utf-8"))
"""Programs whose mistake no rule finds yet, by collection: they wait for the rules of types (issue 3) or
for composing (issue 4). A program that is judged rightly has to leave its list, or its test fails: the lists only get
shorter. ``pytest --update-goldens`` takes such programs out."""


def _suite() -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads((SUITE / "index.json").read_text(encoding="utf-8"))
    return found


def test_the_suite_is_there():
    assert len(_suite()) > 100


def _programs(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir() or path.suffix == ".sknd")


def _ids(programs: list[Path]) -> list[str]:
    return [path.stem for path in programs]


# ---- valid programs --------------------------------------------------------------------------------------------------
def _assert_silent(path: Path, hints_allowed: bool) -> None:
    files = read_program(path)
    found = check(files)
    loud = [item for diagnostics in found.values() for item in diagnostics if not (hints_allowed and _is_unused(item))]
    assert not loud, shown(found, files)


def _is_unused(item: Diagnostic) -> bool:
    return item.severity is Severity.HINT and item.rule.name.startswith("unused-")


VALID = [SUITE / str(entry["program"]) for entry in _suite() if str(entry["program"]).startswith("valid/")]


@pytest.mark.parametrize("path", VALID, ids=_ids(VALID))
def test_valid_program_of_the_suite(path: Path):
    _assert_silent(path, hints_allowed=True)


OWN_VALID = _programs(FIXTURES / "valid")


@pytest.mark.parametrize("path", OWN_VALID, ids=_ids(OWN_VALID))
def test_valid_program(path: Path):
    _assert_silent(path, hints_allowed=True)


LISTINGS = _programs(FIXTURES / "listings")


@pytest.mark.parametrize("path", LISTINGS, ids=_ids(LISTINGS))
def test_listing_of_chapter_2(path: Path):
    _assert_silent(path, hints_allowed=True)


def test_the_example():
    _assert_silent(ROOT / "examples" / "alexnet", hints_allowed=False)


LIBRARY = sorted((ROOT / "analysis" / "snd_analysis" / "libraries").glob("*/*.sknd"))


@pytest.mark.parametrize("path", LIBRARY, ids=_ids(LIBRARY))
def test_module_of_the_library(path: Path):
    """The library has no problems, as the library's own module and as an open file.

    In `make test`, one module of the library is opened as a file.
    """
    text = path.read_text(encoding="utf-8")
    names = [f"snd:{path.stem}", path.name]
    for name in names if path.stem == "linalg" else names[: tries(1, 2)]:
        found = check({name: text})
        assert found == {name: []}, shown(found, {name: text})


# ---- invalid programs ------------------------------------------------------------------------------------------------
Place = tuple[str, int | None]
"""A file and a line, or any line."""

INVALID = [entry for entry in _suite() if str(entry["program"]).startswith("invalid/")]


@pytest.mark.parametrize("entry", INVALID, ids=[Path(str(entry["program"])).stem for entry in INVALID])
def test_invalid_program_of_the_suite(entry: dict[str, object], request: pytest.FixtureRequest):
    program = SUITE / str(entry["program"])
    line = entry["line"]
    place = f"{entry['module'] or 'main'}.sknd", line if isinstance(line, int) else None
    _assert_one("suite", program, read_program(program), place, Severity.ERROR, request)


OWN_INVALID = [path for path in _programs(FIXTURES / "invalid") if path.name != "compose"]
COMPOSED = _programs(FIXTURES / "invalid" / "compose")
"""Programs whose mistake shows only when a graph invokes the operators with known shapes."""


@pytest.mark.parametrize("path", OWN_INVALID, ids=_ids(OWN_INVALID))
def test_invalid_program(path: Path, request: pytest.FixtureRequest):
    _assert_marked("fixtures", path, request)


@pytest.mark.parametrize("path", COMPOSED, ids=_ids(COMPOSED))
def test_program_that_cannot_be_composed(path: Path, request: pytest.FixtureRequest):
    _assert_marked("compose", path, request)


def _assert_marked(collection: str, path: Path, request: pytest.FixtureRequest) -> None:
    """The mistake is marked by a comment ``# <-- error`` or ``# <-- warning`` on its line."""
    files = read_program(path)
    marks = [
        (name, number, Severity(mark[1]))
        for name, text in files.items()
        for number, line in enumerate(text.split("\n"), 1)
        if (mark := _MARK.search(line))
    ]
    assert len(marks) == 1, "one mistake per program"
    module, line, severity = marks[0]
    _assert_one(collection, path, files, (module, line), severity, request)


def _assert_one(
    collection: str,
    path: Path,
    files: dict[str, str],
    place: Place,
    severity: Severity,
    request: pytest.FixtureRequest,
) -> None:
    """Exactly one diagnostic, hints apart."""
    found = check(files)
    module, line = place
    judged = [
        (name, files[name].count("\n", 0, item.location.span.start) + 1, item.severity)
        for name, diagnostics in found.items()
        for item in diagnostics
        if item.severity in (Severity.ERROR, Severity.WARNING)
    ]
    right = len(judged) == 1 and judged[0] == (module, line or judged[0][1], severity)
    if path.stem in NOT_YET[collection]:
        if right and request.config.getoption("--update-goldens"):
            _forget(collection, path.stem)
        assert not right, f"{path.stem} is judged rightly now: take it out of {NOT_YET_FILE.name} (--update-goldens)"
        pytest.xfail("no rule finds it yet")
    assert right, f"expected one {severity} at {module}:{line or 'any'}, found:\n{shown(found, files) or 'nothing'}"


def _forget(collection: str, program: str) -> None:
    NOT_YET[collection].remove(program)
    NOT_YET_FILE.write_text(json.dumps(NOT_YET, indent=2) + "\n", encoding="utf-8")


def test_every_program_that_is_not_judged_yet_exists():
    known = {
        "suite": {Path(str(entry["program"])).stem for entry in INVALID},
        "fixtures": set(_ids(OWN_INVALID)),
        "compose": set(_ids(COMPOSED)),
    }
    for collection, programs in NOT_YET.items():
        assert sorted(set(programs)) == programs
        assert (collection == "suite" and not INVALID) or set(programs) <= known[collection]
