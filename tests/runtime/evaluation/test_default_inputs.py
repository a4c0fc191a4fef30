"""Defaults of inputs, constant ones and those that depend on what other inputs determine (2.6)."""

from __future__ import annotations

from typing import Any

import pytest

from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.evaluation import EvaluationRequest, InputValue, LiteralInput
from snd_runtime.evaluation.handler import evaluate
from support.memory import check, snapshot_of

POSITIVE = """
operator positive { @input { x: real[n]; } @output { y: real[k | n]; }
    @lower { y[k,] = x[i,], i < n | x[i,] > 0.0; } }
"""
X = LiteralInput([1.0, -2.0, 3.0])


def outputs(text: str, operator: str = "net", **given: InputValue) -> dict[str, Any]:
    """Return the outputs as lists; a program with problems fails."""
    files = {"main.sknd": text}
    assert not [each for each in check(files)["main.sknd"] if each.severity != "hint"]
    request = EvaluationRequest(OperatorName("main.sknd", operator), inputs=given, keep=True)
    answer = evaluate(snapshot_of(files), request, lambda _: None)
    assert answer.failures == ()
    assert answer.arrays is not None
    return {name: _plain(value) for name, value in answer.arrays.items()}


def _plain(value: Any) -> Any:
    return [_plain(each) for each in value] if isinstance(value, tuple | list) else value.tolist()


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("int[] = n", 3),
        ("int[] = n * n - 1", 8),
        ("bool[] = n > 2", True),
        ("real[] = 1.5 / real(n)", 0.5),
        ("int[n] = n", [3, 3, 3]),
        ("int[x.rank] = x.rank", [1]),
        ("int[] = x.shape[0]", 3),
        ("int[]..(2) = [n, n + 1]", [3, 4]),
        ("int[n]..(2) = [n, 7]", [[3, 3, 3], [7, 7, 7]]),
        ("real[n]..(2) = [2.0, 3.0]", [[2.0] * 3, [3.0] * 3]),
        ("int[]..(k) = [n, n, n]", [3, 3, 3]),
        ("int[] = a", 6),
        ("int[] = m ?? 4", 4),
        ("real[] = a > 0 ? 0.5 : 0.25", 0.5),
    ],
)
def test_a_default_of_other_inputs(declared: str, expected: Any):
    type_ = declared.split(" = ")[0]
    packed = ".." in type_
    length = type_[type_.index("..") + 2 :] if packed else ""
    text = f"""
    operator op {{
        @attrib {{ a: int = 2 * n; }}
        @input {{ x: real[n]; p: {declared}; o: optional real[m]; }}
        @output {{ y: {type_}; }}
        @compose {{ y{".." + length if packed else ""} = p; }}
    }}
    graph net {{ @input {{ x: real[1]; }} @output {{ y: real[1]; }} @compose {{ y = x; }} }}
    """
    assert outputs(text, "op", x=X) == {"y": expected}


def test_a_default_that_comes_before_what_determines_it():
    text = "graph net { @input { k: int[] = n; x: real[n|8]; } @output { y: int[]; } @compose { y = k; } }"
    assert outputs(text, x=X) == {"y": 3}
    assert outputs(text, x=X, k=LiteralInput(5)) == {"y": 5}


def test_a_default_of_a_dynamic_extent():
    text = f"""{POSITIVE}
    operator op {{ @input {{ x: real[n]; k: int[] = n; u: real[n] = 1.0 / real(n + 1); }}
        @output {{ y: int[n]; z: real[n]; }} @lower {{ y[i,] = k[], i < n; z[i,] = 3.0 * u[i,], i < n; }} }}
    operator outer {{ @input {{ x: real[n]; k: int[] = n; u: real[n] = 1.0 / real(n + 1); }}
        @output {{ y: int[n]; z: real[n]; }} @compose {{ y, z = op(x, k, u); }} }}
    graph net {{ @input {{ x: real[n|8]; }} @output {{ y: int[~|8]; z: real[~|8]; v: int[~|8]; }}
        @compose {{ t = positive(x); y, ~ = op(t); v, z = outer(t); }} }}
    """
    assert outputs(text, x=X) == {"y": [2, 2], "z": [1.0, 1.0], "v": [2, 2]}


def test_a_default_that_has_no_value_is_not_evaluated_where_the_input_is_given():
    text = """
    operator op { @input { x: real[n]; k: int[] = 10 / (n - 3); } @output { y: int[n]; }
        @lower { y[i,] = k[], i < n; } }
    graph net { @input { x: real[3]; } @output { y: int[3]; } @compose { y = op(x, 7); } }
    """
    assert outputs(text, x=X) == {"y": [7, 7, 7]}


def test_an_attribute_whose_default_needs_an_input_that_is_null():
    text = """
    operator op { @attrib { a: int = n ?? 3; } @input { x: optional real[n]; } @output { y: int[]; }
        @lower { y[] = a; } }
    graph net { @input { x: real[3]; } @output { y: int[]; z: int[]; } @compose { y = op(x); z = op(); } }
    """
    assert outputs(text, x=X) == {"y": 3, "z": 3}


@pytest.mark.parametrize("declared", ["int[] = a + 1", "int[2] = -a - 2", "int[]..(2) = [1, a * 2]"])
def test_a_default_beyond_64_bits_is_an_error_at_its_place(declared: str):
    text = f"""operator op {{
    @attrib {{ a: int = 9223372036854775807; }}
    @input {{ x: real[n]; k: {declared}; }}
    @output {{ y: real[n]; }}
    @compose {{ y = x; }}
}}
"""
    request = EvaluationRequest(OperatorName("main.sknd", "op"), inputs={"x": X})
    (failure,) = evaluate(snapshot_of({"main.sknd": text}), request, lambda _: None).failures
    assert failure.rule.name == "int-overflow"
    assert failure.message.endswith("does not fit into 64 bits")
