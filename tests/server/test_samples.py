"""``snd test``: samples are run, their failures shown as check shows diagnostics, and recorded if asked for."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytestmark = pytest.mark.usefixtures("evaluated_here")

OPERATORS = """\
import math;

# Multiplies by a number.
# >>> scale{factor=3.0}([[1.0, 2.0], [-1.0, 0.5]])
# y: real[2,2] = [[3.0, 6.0], [-3.0, 1.0]]
# >>> scale(random[40,40])
# y: real[40,40] n=1600 x∈[-9, 9] μ=0 σ=2 nan=0
# >>> scale{factor=3}([[1.0]])
# >>> scale([[1.0], [2.0, 3.0]])
# >>> scale([[4.0]])
# >>> math.add([1.0], [2.0])
# z: real[1] = [3.0]
operator scale {
    @attrib { factor: real = 2.0; }
    @input { x: real[m,n]; }
    @output { y: real[m,n]; }
    @lower { y[i,j] = factor * x[i,j], i < m, j < n; }
}

# >>> pick([7], [1.0, 2.0])
# >>> pick([7], [1.0, 2.0])
# error: outside of dimension 0
# >>> pick([1], [1.0, 2.0])
# error: outside of dimension 0
operator pick {
    @input { at: int[m]; x: real[n]; }
    @output { y: real[m]; }
    @lower { y[i,] = x[at[i,],], i < m; }
}
"""
RIGHT = """\
# >>> twice([1.0])
# y: real[1] = [2.0]
operator twice {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = 2.0 * x[i,], i < n; }
}
"""
FORMATS = ["full", "concise", "json", "junit", "github"]
SUFFIXES = {"json": "json", "junit": "xml"}


@pytest.fixture
def samples(project: Path) -> Path:
    (project / "operators.sknd").write_text(OPERATORS, encoding="utf-8")
    (project / "right.sknd").write_text(RIGHT)
    return project


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.usefixtures("samples")
def test_format(name, real, golden):
    outcome = real("test", "--format", name)
    assert outcome.status == 1
    assert outcome.stderr == ""
    golden(f"samples-{name}.{SUFFIXES.get(name, 'txt')}", re.sub(r' time="[\d.]+"', "", outcome.stdout))


@pytest.mark.usefixtures("samples")
def test_a_report_for_junit_has_a_case_with_its_time_for_each_sample(real):
    cases = [*ElementTree.fromstring(real("test", "--format", "junit").stdout).iter("testcase")]
    samples = [case for case in cases if case.get("time") is not None]
    assert len(samples) == sum(text.count("# >>>") for text in (OPERATORS, RIGHT))
    assert all(float(case.get("time") or "") >= 0 for case in samples)
    assert any(case.find("failure") is not None for case in samples)
    assert any(case.find("failure") is None for case in samples)


def test_a_file_without_samples_is_no_test_of_junit_that_passed(real, project):
    (project / "without.sknd").write_text(RIGHT.replace("# >>>", "# "))
    (project / "right.sknd").write_text(RIGHT)
    report = ElementTree.fromstring(real("test", "--format", "junit").stdout)
    assert report.get("tests") == "1"
    assert [suite.get("name") for suite in report] == ["right.sknd"]


def test_clean(real, samples):
    outcome = real("test", "right.sknd")
    assert (outcome.status, outcome.stderr) == (0, "")
    assert "1 sample: 1 ok" in outcome.stdout


def test_standard_input(real, project):
    outcome = real("test", "-", stdin=RIGHT.encode())
    assert (outcome.status, outcome.stderr) == (0, "")
    assert "1 sample: 1 ok" in outcome.stdout
    (project / "blocks.sknd").write_text(RIGHT)
    text = RIGHT.replace("twice", "again").replace("= [2.0]", "= [3.0]")
    beside = "import blocks;\n\n# >>> blocks.twice([2.0])\n# y: real[1] = [4.0]\n" + text
    outcome = real("test", "-", "--stdin-filename", "main.sknd", "--format", "concise", stdin=beside.encode())
    assert outcome.status == 1
    assert outcome.stdout.startswith("main.sknd:6:1: error[sample-differs]")
    assert "2 samples: 1 ok, 1 differs" in outcome.stdout
    assert real("test", "-", "--update", stdin=RIGHT.encode()).status == 2
    assert real("test", "-", "blocks.sknd", stdin=RIGHT.encode()).status == 2


def test_a_comment_suppresses_what_comes_of_one_sample(real, project):
    wrong = "# >>> twice([1.0])\n# y: real[1] = [3.0]\n"
    above = "# snd: ignore[sample-differs] it is known\n"
    rest = RIGHT.partition("operator")[1] + RIGHT.partition("operator")[2]
    (project / "blocks.sknd").write_text(wrong + above + wrong + wrong + rest)
    lines = real("test", "--format", "concise", "blocks.sknd").stdout.splitlines()
    assert [line.split(": ")[0] for line in lines if "sample-differs" in line] == ["blocks.sknd:2:1", "blocks.sknd:7:1"]
    assert real("check", "blocks.sknd").status == 0
    named = wrong.replace("([1.0])", "{no=1}([1.0])")
    (project / "blocks.sknd").write_text(named + "# snd: ignore[unknown-attribute] it is known\n" + named + rest)
    lines = real("check", "--format", "concise", "blocks.sknd").stdout.splitlines()
    assert [line.split(": ")[0] for line in lines if "unknown-attribute" in line] == ["blocks.sknd:1:13"]


def test_no_samples(real, project):
    (project / "none.sknd").write_text(RIGHT.partition("operator")[1] + RIGHT.partition("operator")[2])
    outcome = real("test")
    assert outcome.status == 0
    assert outcome.stdout == "No samples\n"


def test_mistakes_beside_samples_are_not_called_clean(real, project):
    (project / "wrong.sknd").write_text(
        RIGHT + "operator g {\n    @input { x: real[n]; }\n    @output { y: real[m]; }\n}\n"
    )
    assert real("check").status == 1
    outcome = real("test")
    assert outcome.status == 0
    assert outcome.stdout == "1 sample: 1 ok\n"


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_update_changes_results_only(real, project, line_break):
    before = "\ufeff" + OPERATORS.replace("\n", line_break)
    path = project / "operators.sknd"
    path.write_bytes(before.encode())
    outcome = real("test", "--update", "--format", "json")
    after = path.read_bytes().decode()
    assert "[[3.0, 6.0], [-3.0, 1.5]]" in after
    lines, now = before.split(line_break), after.split(line_break)
    assert [line for line in now if line not in lines] == [
        "# y: real[2,2] = [[3.0, 6.0], [-3.0, 1.5]]",
        next(line for line in now if "n=1600" in line),
        "# y: real[1,1] = [[8.0]]",
        "# y: real[1] = [2.0]",
    ]
    rules = [each["rule"] for each in json.loads(outcome.stdout)["diagnostics"]]
    assert rules == ["type-mismatch", "ragged-tensor", "sample-fails"]
    assert real("test", "--update").status == 1
    assert path.read_bytes().decode() == after


def test_a_clean_file_is_not_touched(real, samples):
    path = samples / "right.sknd"
    time = path.stat().st_mtime_ns
    assert real("test", "--update", "right.sknd").status == 0
    assert path.stat().st_mtime_ns == time


def test_a_file_that_changes_meanwhile_is_refused(real, samples, monkeypatch):
    from snd_server.commands import test_samples as testing

    path = samples / "operators.sknd"
    update = testing._update

    def change_first(tested, checker):
        path.write_text(OPERATORS + "\n", encoding="utf-8")
        return update(tested, checker)

    monkeypatch.setattr(testing, "_update", change_first)
    outcome = real("test", "--update", "operators.sknd")
    assert outcome.status == 2
    assert "changed during the run" in outcome.stderr
    assert path.read_text(encoding="utf-8") == OPERATORS + "\n"


def test_modules_are_found_as_by_check(real, project):
    (project / "main.sknd").write_text(
        "import ops.basic;\n\n# >>> main([1.0])\n# y: real[1] = [2.0]\ngraph main {\n    @input { x: real[1]; }\n"
        "    @output { y: real[1]; }\n    @compose { y = ops.basic.twice(x); }\n}\n"
    )
    (project / "ops").mkdir()
    (project / "ops/basic.sknd").write_text(RIGHT)
    outcome = real("test")
    assert outcome.status == 0, outcome.stdout
    assert "2 samples: 2 ok" in outcome.stdout


def test_excluded_files_are_left_out(real, samples):
    (samples / "snd.toml").write_text('exclude = ["operators.sknd"]\n')
    assert real("test").status == 0


def test_rules_can_be_switched_off(real, samples):
    (samples / "snd.toml").write_text('[per-file-ignores]\n"operators.sknd" = ["sample-differs", "sample-fails"]\n')
    rules = {each["rule"] for each in json.loads(real("test", "--format", "json").stdout)["diagnostics"]}
    assert rules == {"type-mismatch", "ragged-tensor", "sample-without-result"}


def test_samples_without_results_fail_if_warnings_do(real, project):
    (project / "a.sknd").write_text(RIGHT.replace("# y: real[1] = [2.0]\n", ""))
    assert real("test").status == 0
    assert real("test", "--error-on-warning").status == 1


def test_exit_zero(real, samples):
    assert real("test", "--exit-zero").status == 0


def test_unreadable(real, project):
    (project / "a.sknd").write_bytes(b"# >>> f() \xff")
    outcome = real("test")
    assert outcome.status == 1
    assert "invalid-encoding" in outcome.stdout


def test_double_precision(real, project):
    text = RIGHT.replace("2.0 * x[i,]", "x[i,] / 3.0").replace("= [2.0]", "= [0.3333333333333333] # ~1e-12")
    (project / "a.sknd").write_text(text)
    assert real("test").status == 0  # a recorded real has the precision of the run
    assert real("test", "--real", "f64").status == 0


ENDLESS = """\
import math;

# >>> endless([1.0])
# >>> twice([1.0])
# y: real[1] = [2.0]
operator endless {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { y = with z = x do..(9000000) math.add(z, 1.0); }
}

"""


@pytest.mark.worker_process
def test_an_endless_sample_costs_itself(real, project):
    (project / "a.sknd").write_text(ENDLESS + RIGHT)
    assert [real("test", "--timeout", seconds).status for seconds in ("nan", "inf", "1e300", "0")] == [2, 2, 2, 2]
    outcome = real("test", "--timeout", "0.5", "--format", "json")
    found = json.loads(outcome.stdout)["diagnostics"]
    assert [each["rule"] for each in found] == ["sample-fails"]
    assert "0.5 seconds" in found[0]["message"]


@pytest.mark.worker_process
def test_memory_is_limited(real, project):
    (project / "a.sknd").write_text(f"# >>> twice(zeros[100000000])\n{RIGHT}")
    outcome = real("test", "--memory", "100", "--format", "json")
    (found,) = json.loads(outcome.stdout)["diagnostics"]
    assert found["rule"] == "sample-fails"
    assert "limit-exceeded" in found["message"]
