"""Arguments of samples that do not fit their tensor."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pytest

from snd_runtime.samples import SampleOutcome, SampleRequest, Status, evaluate_samples

REAL = "operator f { @input { x: real[s..]; } @output { y: real[s..]; } @lower { y[i..] = x[i..] * 1e300, i < s; } }"
INT = "operator f { @input { x: int[s..]; } @output { y: int[s..]; } @lower { y[i..] = x[i..], i < s; } }"


@pytest.fixture(autouse=True)
def _nothing_is_warned_about() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def outcome(invocation: str, definition: str, real: type[np.floating] = np.float32) -> SampleOutcome:
    text = f"# >>> f({invocation})\n{definition}\n"
    (found,) = evaluate_samples(SampleRequest("model.sknd", {"model.sknd": text}, real=np.dtype(real)))
    return found


@pytest.mark.parametrize(
    ("invocation", "definition", "rule", "message"),
    [
        ("1e300", REAL, "real-overflow", "1e+300 does not fit into a real of 32 bits"),
        ("[1.0, -1e39, inf]", REAL, "real-overflow", "-1e+39 does not fit into a real of 32 bits"),
        (
            f"ones[{','.join('1' * 33)}]",
            REAL,
            "limit-exceeded",
            "would have 33 dimensions, but snd computes with 32 at most",
        ),
    ],
)
def test_what_does_not_fit(invocation: str, definition: str, rule: str, message: str):
    found = outcome(invocation, definition)
    assert found.status is Status.FAILED
    assert found.rule.name == rule
    assert message in (found.message or "")


@pytest.mark.parametrize("invocation", ["9223372036854775808", "[1, 9223372036854775808]"])
def test_an_int_that_does_not_fit_is_found_when_composing(invocation: str):
    assert outcome(invocation, INT).status is Status.INVALID


@pytest.mark.parametrize("invocation", ["1e38", "[inf, -inf]", "1e-300", "inf"])
def test_what_fits(invocation: str):
    assert outcome(invocation, REAL).status is Status.UNRECORDED


def test_larger_reals_have_room_for_more():
    assert outcome("1e300", REAL, np.float64).status is Status.UNRECORDED
