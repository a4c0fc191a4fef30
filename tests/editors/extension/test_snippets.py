"""Snippets insert what can be read, laid out as the formatter would."""

from __future__ import annotations

import json
import textwrap

import pytest

from snd_analysis.skriptnd.format import format_text
from snd_analysis.skriptnd.samples import samples_of
from snd_analysis.skriptnd.syntax import parse_file
from support.editors.packaged_extension import SOURCES
from support.editors.snippets import expanded
from support.memory import check, shown

SNIPPETS = json.loads((SOURCES / "snippets/skriptnd.json").read_text("utf-8"))
# Surroundings of a partial definition; the block of a statement.
BLOCKS = {"assert-positive": "assert", "with-locals": "lower"}


def _body(name: str) -> str:
    body: str | list[str] = SNIPPETS[name]["body"]
    return body if isinstance(body, str) else "\n".join(body)


def _program(name: str) -> str:
    prefix, text = SNIPPETS[name]["prefix"], expanded(_body(name)).rstrip("\n")
    if text.startswith(("operator ", "graph ", "import ", "#")):
        return f"{text}\n"
    if not text.startswith("@"):
        text = f"@{BLOCKS.get(prefix, 'compose')} {{\n{textwrap.indent(text, '    ')}\n}}"
    return f"operator around {{\n{textwrap.indent(text, '    ')}\n}}\n"


@pytest.mark.parametrize("name", SNIPPETS)
def test_it_has_no_mistake_of_syntax(name: str):
    program = _program(name)
    assert not [*parse_file(program).problems], program


@pytest.mark.parametrize("name", SNIPPETS)
def test_it_is_laid_out_as_by_the_formatter(name: str):
    program = _program(name)
    assert format_text(program) == program


@pytest.mark.parametrize("name", [name for name in SNIPPETS if expanded(_body(name)).startswith("#")])
def test_samples_are_samples(name: str):
    program = _program(name)
    samples = [read.sample for placed in parse_file(program).chunks for read in samples_of(placed.chunk, {})]
    assert len(samples) == program.count("# >>>")
    assert not [problem for sample in samples for problem in sample.problems]


@pytest.mark.parametrize("name", [name for name in SNIPPETS if "{\n    @" in expanded(_body(name))])
def test_whole_definitions_have_no_mistake_at_all(name: str):
    program = _program(name)
    files = {"net.sknd": f"import layer, nn;\n\n{program}"}
    wrong = {
        path: [each for each in found if each.rule.name != "unused-import"] for path, found in check(files).items()
    }
    assert not any(wrong.values()), shown(wrong, files)


def test_names_and_prefixes_are_unique():
    prefixes = [each["prefix"] for each in SNIPPETS.values()]
    assert len(set(prefixes)) == len(prefixes)
    assert all(each["description"] for each in SNIPPETS.values())


def test_places_are_expanded():
    assert expanded("${1:a} $1 ${2|x,y|} ${3:f(${1:b})}\\} \\$ $0") == "a a x f(a)} $ "
