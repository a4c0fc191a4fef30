"""The pages of `tosa`, `cvm` and `tennis` are made of the libraries, and the libraries cost nothing to others."""

from __future__ import annotations

import subprocess
import sys

import pytest

from snd_analysis.ide.completion import Completion, completions
from snd_analysis.skriptnd.names import library_names
from support.formats.pages import EVIDENCE, ROOT, evidence, page
from support.memory import snapshot_of


@pytest.mark.parametrize("module", ["tosa", "cvm", "tennis"])
def test_the_page_of_a_library_is_current(module: str, request: pytest.FixtureRequest):
    """``pytest --update-goldens`` and ``make docs`` write it."""
    path = ROOT / "docs" / f"{module}.md"
    if request.config.getoption("--update-goldens"):
        path.write_text(page(module), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == page(module)


def test_the_page_about_verification_is_current(request: pytest.FixtureRequest):
    path = ROOT / "docs" / EVIDENCE
    if request.config.getoption("--update-goldens"):
        path.write_text(evidence(), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == evidence()


@pytest.mark.parametrize("module", ["tosa", "cvm", "tennis"])
def test_every_operator_is_in_the_page_and_verified_with_samples(module: str):
    text, verified = page(module), evidence()
    for name in library_names(module).definitions:
        if not name.startswith("_"):
            assert text.count(f"| `{module}.{name}` |") == 1
            (row,) = [line for line in verified.splitlines() if line.startswith(f"| `{module}.{name}` |")]
            samples = int(row.rpartition(", ")[2].split()[0])
            assert samples >= 2, name


PROGRAM = """
import sys
opened = []
sys.addaudithook(lambda event, arguments: opened.append(str(arguments[0])) if event == "open" else None)
sys.path[:0] = ["analysis", "runtime", "server", "tests"]
from support.memory import check
assert check({"main.sknd": sys.argv[1]}) == {"main.sknd": []}
libraries = [path for path in opened if path.endswith(("tosa.sknd", "cvm.sknd", "tennis.sknd"))]
loaded = [name for name in sys.modules if name.startswith(("snd_analysis.formats.", "snd_runtime.conditions"))]
assert any(path.endswith("math.sknd") for path in opened)
print(libraries, loaded)
"""


def test_who_does_not_import_a_library_loads_nothing_of_it():
    block = "@input { x: real[2]; }\n    @output { y: real[2]; }\n    @compose { y = math.exp(x); }"
    graph = f"import math;\ngraph g {{\n    {block}\n}}\n"
    command = [sys.executable, "-c", PROGRAM, graph]
    outcome = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout == "[] ['snd_analysis.formats.reached']\n"


def test_completion_says_the_module_and_proposes_only_what_is_imported():
    def proposed(imports: str) -> list[Completion]:
        text = f"import {imports};\ngraph g {{\n    @compose {{\n        y = conv\n    }}\n}}\n"
        return [*completions(snapshot_of({"main.sknd": text}), "main.sknd", text.index("conv\n") + 4).items]

    without, having = proposed("nn"), proposed("nn, tosa")
    assert any(item.label.startswith("nn.conv") for item in without)
    formats = ("tosa", "cvm", "tennis", "nnef1")
    assert not any(item.label.split(".")[0] in formats for item in without)
    assert "tosa.conv2d" in [item.label for item in having]
