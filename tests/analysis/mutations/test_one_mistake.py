"""What the mutations found once: illegal programs that passed, and single mistakes that gave several errors."""

from __future__ import annotations

import pytest

from snd_analysis.base.diagnostics import Severity
from support.memory import check

_HEAD = "operator op {\n    @attrib { keep: bool; axis: int; f: str; p: optional int..(2 * d); o: optional int; }\n"
_INPUTS = "    @input { x: real[s..(d)]; v: real[n]; w: optional real[n]; }\n"
_BODY = "    @output { y: real[n]; }\n    @lower { y[i,] = v[i,], i < n; }\n}\n"


def _errors(text: str) -> list[str]:
    found = check({"operators.sknd": text})["operators.sknd"]
    return [item.rule for item in found if item.severity is Severity.ERROR]


def _with_using(using: str) -> str:
    return f"{_HEAD}{_INPUTS}    @using {{ {using} }}\n{_BODY}"


def _with_formulas(formulas: str) -> str:
    return f"{_HEAD}{_INPUTS}    @output {{ y: real[n]; z: real[n, 1 ..(keep)]; }}\n    @lower {{ {formulas} }}\n}}\n"


_Z = "z[i, 0 ..(keep)] = v[i,], i < n;"


@pytest.mark.parametrize(
    ("using", "rules"),
    [
        pytest.param("a = p[:d] + zz[d:];", ["undefined-name"], id="a slice of something unknown"),
        pytest.param("a = 1.5; b = a + 1; c = a * 2;", ["type-mismatch"], id="a helper of a wrong type"),
        pytest.param("a = o + 1; b = [0:d] ?? [a]; c = o ?? a; e = o ?? a;", 2, id="a helper that may be null"),
        pytest.param("a = axis < 0 ? 1 : 2; b = [1 ..(a)] + [1 ..(a + 1)];", ["length-mismatch"], id="chosen lengths"),
        pytest.param("a = [1 ..(keep)] + [1 ..(keep), 1];", ["length-mismatch"], id="lengths by a condition"),
        pytest.param(
            "t = f == 'a'; a = [1 ..(-t)]; b = [1 ..(-t)];", ["operand-type"], id="a length that is no number"
        ),
    ],
)
def test_helper_symbols(using: str, rules: list[str] | int):
    found = _errors(_with_using(using))
    assert len(found) == rules if isinstance(rules, int) else found == rules


@pytest.mark.parametrize(
    ("formulas", "rules"),
    [
        pytest.param(f"y[i,] = w[i,] ?? v, i < n; {_Z}", ["tensor-not-accessed"], id="a fallback not accessed"),
        pytest.param(f"y[i,] = keep ? v : v[i,], i < n; {_Z}", ["tensor-not-accessed"], id="a branch not accessed"),
        pytest.param(f"q[i,] = v[i,], i < n; {_Z}", ["undefined-name"], id="a left side that is not there"),
        pytest.param(f"v[i,] = v[i,], i < n; {_Z}", ["left-side"], id="a left side that is an input"),
        pytest.param(
            f"q[i,] = v[i,], i < n; y[i,] := v[i,], i < n; {_Z}", ["undefined-name"], id="an initialization astray"
        ),
        pytest.param(
            f"y[i,] = 0.0, i < n; y[i,] == v[i,], i < n; {_Z}", ["assignment-operator"], id="== for an assignment"
        ),
        pytest.param(f"y[i,] = 0.0, i < n; y[i,] = y[i,], i < n; {_Z}", ["too-many-formulas"], id="= for an update"),
        pytest.param(
            "y[i,] = v[i,], i < n; z[i, 0 ..(keep), 0] = v[i,], i < n;", ["index-count"], id="an index too many"
        ),
    ],
)
def test_formulas(formulas: str, rules: list[str]):
    assert _errors(_with_formulas(formulas)) == rules


_COMPOSED = """
operator step { @attrib { a: int; } @input { x: real[n]; y: real[n]; z: bool[n]; } @output { r: real[n]; }
    @lower { r[i,] = z[i,] ? x[i,] : y[i,], i < n; } }
operator op { @input { x: real[n]; c: bool[n]; } @output { r: real[n]; q: real[n]; } @compose { BODY } }
"""


@pytest.mark.parametrize(
    ("body", "rules"),
    [
        pytest.param("r = step{a=1}(x, c); q = x;", ["missing-argument"], id="an argument left out in the middle"),
        pytest.param("r = step{a=1}(1, x, x, c); q = x;", ["too-many-arguments"], id="an argument inserted"),
        pytest.param("r = step{zz=1}(x, x, c); q = x;", ["unknown-attribute"], id="an attribute of another name"),
        pytest.param("r = step<int>{a=1}(x, x, c); q = x;", ["generic-count"], id="a type too many"),
        pytest.param("r = c; q = step{a=1}(r, r, c);", ["output-type"], id="an output of a wrong type, used"),
        pytest.param("r = with s = c do..(2) step{a=1}(s, x, c); q = x;", ["type-mismatch"], id="a carried variable"),
    ],
)
def test_compositions(body: str, rules: list[str]):
    assert _errors(_COMPOSED.replace("BODY", body)) == rules
