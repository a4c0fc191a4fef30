"""Suggestions for a word that does not exist."""

from __future__ import annotations

import pytest

from snd_analysis.skriptnd.syntax import close_matches

CHOICES = ("tan", "tanh", "sqr", "sqrt", "rsqrt", "relu", "Conv", "conv", "matmul")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("tahn", "tanh"), ("sqtr", "sqrt"), ("rleu", "relu"), ("mtamul", "matmul"), ("taan", "tan"), ("CONV", "Conv"),
        ("sqrtt", "sqrt"), ("matmlu", "matmul"),
    ],
)  # fmt: skip
def test_the_nearest_stands_first(word: str, meant: str):
    assert close_matches(word, CHOICES)[0] == meant


@pytest.mark.parametrize("word", ["softmax", "q", "tensor"])
def test_nothing_is_said_where_nothing_is_near(word: str):
    assert close_matches(word, CHOICES) == []
