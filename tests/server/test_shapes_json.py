"""The JSON of ``snd shapes``: every example and every valid program has the form that the schema describes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from snd_server.commands.shapes import ShapesRequest, run_shapes
from support.sampling import sample
from support.server.shapes_output import VALIDATOR, read

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path for path in (ROOT / "examples").iterdir() if (path / "main.sknd").exists())
_INTERESTING = re.compile(r"^graph [^@]*(?s:.*)(\bdo\b|\bthen\b|\bunroll\b|@update|\.\.)", re.MULTILINE)
VALID = sorted(
    path
    for folder in ("valid", "listings")
    for path in (ROOT / "tests" / "fixtures" / folder).glob("*.sknd")
    if _INTERESTING.search(path.read_text(encoding="utf-8"))
)
"""Programs with control flow, packs or updates."""


def _shapes(path: Path, decompose: str = "all") -> tuple[str, int]:
    return run_shapes(ShapesRequest(str(path), None, (), (), (), decompose, "json", None))


def test_the_schema_is_one():
    Draft202012Validator.check_schema(VALIDATOR.schema)


@pytest.mark.parametrize("decompose", ["all", "none"])
@pytest.mark.parametrize("path", sample(EXAMPLES, 6), ids=lambda path: path.name)
def test_examples(path: Path, decompose: str):
    text, status = _shapes(path / "main.sknd", decompose)
    found = read(text)
    assert status == (1 if path.name == "broken" else 0)
    assert bool(found["diagnostics"]) == (path.name == "broken")


@pytest.mark.parametrize("path", VALID, ids=[path.stem for path in VALID])
def test_valid_programs(path: Path):
    text, status = _shapes(path)
    found = read(text)
    assert status == 0
    assert found["operations"] or found["outputs"]


@pytest.mark.parametrize("path", sample(EXAMPLES, 4), ids=lambda path: path.name)
def test_whole_operators_cost_what_their_parts_do(path: Path):
    totals = []
    for decompose in ("all", "none"):
        operations = read(_shapes(path / "main.sknd", decompose)[0])["operations"]
        costs = [each["macs"] if each["macs"] is not None else each["macs_bound"] for each in operations]
        totals.append(None if None in costs else sum(costs))
    assert totals[0] == totals[1]
