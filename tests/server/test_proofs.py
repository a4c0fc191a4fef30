"""``snd check --proofs``: what holds for all sizes is proved, what does not is refuted by sizes that fail when run."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from support import sampling

pytest.importorskip("z3", reason="proofs need z3-solver, the extra snd[proofs]")

from snd_analysis.proofs import Verdict
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.evaluation import Texts
from snd_server.checking import proving
from snd_server.checking.proving import ProofOrder

HERE = Path(__file__).parent / "proofs"
RIGHT, PLANTED = ((HERE / name).read_text() for name in ("right.sknd", "planted.sknd"))
REFUSED = {"assertion-fails", "argument-shape", "argument-rank", "sample-without-result"}
"""Rules about samples whose arguments are not allowed, or that have no problem."""
ASSERTION = "the assertion"
WINDOW = """
operator window {
    @attrib { size: int; stride: int = 1; mode: str = 'A'; f: real = 1.0; q: optional int; }
    @input { x: real[n]; }
    @output { y: real[(n - size) / stride + 1]; }
    @assert {
        size > 0; stride > 0; stride != 0; n >= size; n > 0; mode in ['A', 'B']; size + n >= 1; f > 0.5; q > 0; q >= 0;
    }
    @lower { y[i,] >?= x[stride * i + j,], i < (n - size) / stride + 1, j < size; }
}
"""


def proofs_in(real: Any, name: str, *more: str) -> list[dict[str, Any]]:
    outcome = real("check", "--proofs", "--format", "json", "--no-cache", *more, name)
    found: list[dict[str, Any]] = json.loads(outcome.stdout)["proofs"]
    return [each for each in found if not each["condition"].startswith(ASSERTION)]


def problems_of(real: Any, project: Path, text: str, samples: list[str]) -> dict[int, set[str]]:
    """The rules that samples break, by their numbers, but those that say that arguments are not allowed."""
    lines = [line for sample in samples for line in (f"# >>> {sample}", "#")]
    (project / "tried.sknd").write_text("\n".join([*lines, "", text]))
    found = json.loads(real("test", "--format", "json", "tried.sknd").stdout)["diagnostics"]
    broken: dict[int, set[str]] = {}
    for each in found:
        line = each["range"]["start"]["line"]
        if line <= len(lines):
            broken.setdefault((line - 1) // 2, set()).add(each["rule"])
    return broken


def test_what_is_right_is_proved(real, project):
    (project / "right.sknd").write_text(RIGHT)
    found = proofs_in(real, "right.sknd")
    assert [each for each in found if each["verdict"] != "proved"] == []
    assert {each["operator"] for each in found} == set(re.findall(r"^operator (\w+)", RIGHT, re.M))


def test_what_is_right_in_other_forms_is_not_refuted(real, project):
    decided, undecided = (HERE / "varied.sknd").read_text().split("# ----")
    (project / "varied.sknd").write_text(decided + undecided)
    found = proofs_in(real, "varied.sknd")
    assert [each for each in found if each["verdict"] == "refuted"] == []
    names = set(re.findall(r"^operator (\w+)", decided, re.M))
    assert [each for each in found if each["operator"] in names and each["verdict"] != "proved"] == []


def test_each_planted_mistake_is_refuted_by_a_sample_that_fails(real, project):
    operators = dict(re.findall(r"^(?=operator (\w+))(.*?^\}$)", PLANTED, re.M | re.S))
    assert len(operators) > 140
    names = sampling.sample([*operators], 10)
    planted = "\n\n".join(operators[name] for name in names) + "\n"
    (project / "planted.sknd").write_text(planted)
    refuted = {
        each["operator"]: each["counterexample"].removeprefix("# >>> ")
        for each in proofs_in(real, "planted.sknd")
        if each["verdict"] == "refuted"
    }
    assert [name for name in names if name not in refuted] == []
    samples = [refuted[name] for name in names]
    broken = problems_of(real, project, planted, samples)
    assert [each for number, each in enumerate(samples) if not broken.get(number, set()) - REFUSED] == []


ASKING = """
import sys
from time import thread_time
from snd_analysis.proofs import proofs_of_operator, solver
from snd_analysis.skriptnd.names import OperatorName
from support.memory import snapshot_of

script = solver._script
solver._script = lambda question: print(text := script(question)) or text
snapshot = snapshot_of({"m.sknd": sys.stdin.read()})
for each in proofs_of_operator(snapshot, OperatorName("m.sknd", "radix3"), thread_time):
    print(each.condition, each.verdict)
"""


def test_the_questions_are_the_same_for_every_seed_of_hashes():
    text, answers = (HERE / "varied.sknd").read_text(), set()
    for seed in "01":
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(HERE.parent.parent)}
        command = [sys.executable, "-c", ASKING]
        answers.add(
            subprocess.run(command, input=text, env=environment, capture_output=True, text=True, check=True).stdout
        )
    (answer,) = answers
    assert "assert" in answer


def test_what_is_proved_holds_for_all_small_sizes(real, project):
    """Every operator is evaluated with sizes from 0 and numbers from -1 on: allowed arguments do not fail."""
    rng = random.Random(19)
    samples: list[str] = []
    for name, attributes, inputs in re.findall(
        r"^operator (\w+) \{\s*(?:@attrib \{(.*?)\}\s*)?@input \{(.*?)\}", RIGHT, re.M | re.S
    ):
        named = re.findall(r"(\w+): int", attributes)
        shapes = [re.findall(r"\w+", shape) for shape in re.findall(r"real\[(.*?)\]", inputs)]
        symbols = sorted({symbol for shape in shapes for symbol in shape})
        if "s" in symbols:
            shapes, symbols = [["m", "n"]] * len(shapes), ["m", "n"]
        every = list(product(product(range(-1, 3), repeat=len(named)), product(range(3), repeat=len(symbols))))
        for numbers, sizes in rng.sample(every, min(len(every), sampling.tries(24, 400))):
            values = dict(zip(symbols, sizes, strict=True))
            given = ", ".join(f"{key}={value}" for key, value in zip(named, numbers, strict=True))
            arguments = ", ".join(f"random[{','.join(str(values[each]) for each in shape)}]" for shape in shapes)
            samples.append(f"{name}{'{' + given + '}' if given else ''}({arguments})")
    broken = problems_of(real, project, RIGHT, samples)
    wrong = {samples[number]: rules for number, rules in broken.items() if not rules & REFUSED}
    assert wrong == {}
    allowed = sum("sample-without-result" in rules for rules in broken.values())
    assert allowed > len(samples) / 5


ROWS = """operator add_to_rows {
    @input { x: real[m,n]; bias: real[k]; }
    @output { y: real[m,n]; }
    @lower { y[i,j] = x[i,j] + bias[j,], i < m, j < n; }
}
"""


def test_json_lists_the_conditions_of_all_files(real, project):
    (project / "a.sknd").write_text(ROWS)
    (project / "b.sknd").write_text(
        "\n\n" + ROWS.replace("add_to_rows", "again").replace("bias: real[k]", "bias: real[n]")
    )
    (project / "model").mkdir()
    (project / "model" / "graph.nnef").write_text(
        "version 1.0;\n\ngraph net(x) -> (y)\n{\n    x = external(shape = [2]);\n    y = relu(x);\n}\n"
    )
    outcome = real("check", "--proofs", "--format", "json", "--no-cache", ".")
    assert outcome.status == 0
    document = json.loads(outcome.stdout)
    proofs = document["proofs"]
    paths = [each["path"] for each in proofs]
    assert paths == sorted(paths)
    assert {*paths} == {"a.sknd", "b.sknd"}
    (refuted,) = [each for each in proofs if each["verdict"] != "proved"]
    assert refuted["line"] == 4
    assert refuted == {
        "path": "a.sknd",
        "operator": "add_to_rows",
        "line": 4,
        "column": 32,
        "condition": "the index 'j' of 'bias' is in bounds",
        "text": "bias[j,]",
        "verdict": "refuted",
        "reason": refuted["reason"],
        "counterexample": "# >>> add_to_rows(random[1,1], random[0])",
        "assertion": "n <= k",
    }
    assert {each["line"] for each in proofs if each["path"] == "b.sknd"} <= {5, 6}
    assert [each["rule"] for each in document["diagnostics"]] == ["not-for-all-sizes"]
    for strict in (["--error-on-warning"], ["--error", "not-for-all-sizes"]):
        assert real("check", "--proofs", "--no-cache", *strict, "a.sknd").status == 1
    assert real("check", "--proofs", "--no-cache", "--error-on-warning", "b.sknd").status == 0


DIVISORS = """operator divisors {
    @attrib { a: int; b: int; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @assert { a > 0; }
    @lower { y[i,] = real(i / a + i / b), i < n; }
}
"""


def test_equal_conditions_of_one_line_are_told_apart(real, project):
    (project / "a.sknd").write_text(DIVISORS)
    found = [each for each in proofs_in(real, "a.sknd") if each["condition"] == "no divisor is zero"]
    assert [(each["line"], each["column"], each["text"], each["verdict"]) for each in found] == [
        (6, 27, "i / a", "proved"),
        (6, 35, "i / b", "refuted"),
    ]
    lines = real("check", "--proofs", "--no-cache", "a.sknd").stdout.splitlines()
    shown = [" ".join(each.split()) for each in lines]
    assert "a.sknd:6:27 divisors proved no divisor is zero (in 'i / a')" in shown
    assert "a.sknd:6:35 divisors refuted no divisor is zero (in 'i / b'): divisors{a=1, b=0}(random[1])" in shown


def test_without_z3_it_is_said_what_to_install(real, project, monkeypatch):
    monkeypatch.setattr("snd_server.checking.proving.is_available", lambda: False)
    (project / "a.sknd").write_text(ROWS)
    outcome = real("check", "--proofs", "a.sknd")
    assert outcome.status == 2
    assert "pip install z3-solver" in " ".join(outcome.stderr.split())


def test_assertions_are_implied_by_the_others_or_refuse_something_by_themselves(real, project):
    (project / "window.sknd").write_text(WINDOW)
    proofs = json.loads(real("check", "--proofs", "--format", "json", "--no-cache", "window.sknd").stdout)["proofs"]
    found = {each["condition"]: each for each in proofs if each["condition"].startswith(ASSERTION)}
    implied = [text for text, each in found.items() if each["verdict"] == "implied"]
    assert implied == [f"{ASSERTION} '{each}'" for each in ("stride != 0", "n > 0", "size + n >= 1", "q >= 0")]
    others = [each for each in found.values() if each["verdict"] != "implied"]
    assert {each["verdict"] for each in others} == {"not implied"}
    samples = [each["counterexample"].removeprefix("# >>> ") for each in others]
    assert problems_of(real, project, WINDOW, samples) == {
        number: {"assertion-fails"} for number in range(len(samples))
    }
    # Without one that is implied the same is refused; without another one something is allowed that was not.
    weaker = WINDOW.replace("n >= size; n > 0;", "n > 0;")
    assert not any("assertion-fails" in each for each in problems_of(real, project, weaker, samples[2:3]).values())


SPLIT = """operator starts {
    @attrib { sizes: int..(k); }
    @input { x: real[n]; }
    @output { y: real[k]; }
    @assert { sizes >= 0; (sizes + ..) == n; }
    @using { ends = sizes + ...; }
    @lower { y[j,] = x[ends[j] - 1,], j < k; }
}

operator slices {
    @input { x: bool[s..(d)]; v: bool[t..(e)]; }
    @using { r = d - e; }
    @output { y: bool[s..]; }
    @assert { r >= 0; s[r:] == t || t is 1; }
    @lower { y[i..] = x[i..] && v[t is 1 ? 0 : i[r:r + e - (e > 1 ? 1 : 0)]..], i < s; }
}
"""


def test_no_assertion_is_proposed_that_fails_itself(real, project):
    """``sizes[0] > 0`` would mend the index, but there may be no sizes: ``ends > 0`` is about all items, if any."""
    (project / "split.sknd").write_text(SPLIT)
    (refuted,) = [each for each in proofs_in(real, "split.sknd") if each["condition"].startswith("the index 'ends")]
    assert (refuted["verdict"], refuted["assertion"]) == ("refuted", "ends > 0")


def test_what_extents_of_1_keep_from_failing_is_refuted_with_greater_ones(real, project):
    (project / "split.sknd").write_text(SPLIT)
    found = [each for each in proofs_in(real, "split.sknd") if each["operator"] == "slices"]
    refuted = [each["counterexample"].removeprefix("# >>> ") for each in found if each["verdict"] == "refuted"]
    assert refuted
    broken = problems_of(real, project, SPLIT, refuted)
    assert all(broken.get(at, set()) - REFUSED for at in range(len(refuted)))


def test_the_assertion_that_is_proposed_mends_the_operator(real, project):
    operators = dict(re.findall(r"^(?=operator (\w+))(.*?^\}$)", PLANTED, re.M | re.S))
    names = sampling.sample([*operators], 3)
    (project / "planted.sknd").write_text("\n\n".join(operators[name] for name in names) + "\n")
    proposed = {
        (each["operator"], each["condition"]): each["assertion"]
        for each in proofs_in(real, "planted.sknd")
        if each["verdict"] == "refuted" and each["assertion"]
    }
    assert proposed
    real("check", "--proofs", "--fix", "--unsafe-fixes", "--no-cache", "planted.sknd")
    left = [each for each in proofs_in(real, "planted.sknd") if (each["operator"], each["condition"]) in proposed]
    assert {each["verdict"] for each in left} == {"proved"}


def test_verdicts_for_an_editor_do_not_wait_for_the_search_for_assertions():
    text = "operator last {\n@input { x: real[n]; }\n@output { y: real[1]; }\n@lower { y[0,] = x[n - 1,]; }\n}\n"
    handle, texts = proving.make(), Texts({"m.sknd": text}, frozenset({"m.sknd"}))
    for is_mending, expected in ((False, ()), (True, ("n > 0",))):
        found = handle(ProofOrder(texts, OperatorName("m.sknd", "last"), is_mending), print)
        (refuted,) = [each for each in found if each.verdict is Verdict.REFUTED]
        assert refuted.candidates
        assert refuted.assertions == expected
