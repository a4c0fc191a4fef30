"""Formulas as mathematics: in plain text here, in LaTeX in docs/library (`tests/server/test_first_minutes.py`)."""

from __future__ import annotations

import re

import pytest

from snd_analysis.ide import operator_names
from snd_analysis.ide.mathematics import LATEX, PLAIN, mathematics_of
from snd_analysis.skriptnd.names import LIBRARY_PREFIX, OperatorName, library_modules
from snd_analysis.skriptnd.syntax.nodes import Block, BlockKind, Definition
from support.memory import snapshot_of

LIBRARY = snapshot_of({})
FRAME = """operator f {{
    @dtype {{ T: num; }}
    @attrib {{ k: int; a: real; order: str = 'CX'; mode: str = 'ZERO'; }}
    @input {{ x: real[c, s..(d)]; w: real[n]; b: optional real[]; t: T[n]; i: int[n]; }}
    @output {{ y: real[n]; }}
    @using {{ h = n / 2; half = a / 2.0; }}
    @lower {{ {} }}
}}
"""


def definition_of(formulas: str) -> Definition:
    snapshot = snapshot_of({"f.sknd": FRAME.format(formulas)})
    found = snapshot.definition(OperatorName("f.sknd", "f"))
    assert found is not None
    return found


def plain(formulas: str) -> str:
    found = mathematics_of(definition_of(formulas), PLAIN)
    assert found is not None
    return found.equations


@pytest.mark.parametrize(
    ("code", "equations"),
    [
        ("y[i,] = w[i,] * 2.0, i < n;", "y[i] = w[i]·2  for i < n"),
        ("y[i,] += w[i + j,] * w[j,], i < n, j < 3;", "y[i] = Σ_{j < 3} w[i + j]·w[j]  for i < n"),
        ("y[i,] += w[i,] - w[j,], i < n, j < 3;", "y[i] = Σ_{j < 3} (w[i] − w[j])  for i < n"),
        ("y[i,] >?= w[j,], i < n, j < n;", "y[i] = max_{j < n} w[j]  for i < n"),
        ("y[i,] *= w[j,], i < n, j < n;", "y[i] = Π_{j < n} w[j]  for i < n"),
        (
            "y[i,] = b[] ?? 0.0, i < n; y[i,] += w[j,], i < n, j < n;",
            "y[i] = (b or 0) + Σ_{j < n} w[j]  for i < n",
        ),
        (
            "y[i,] = 1.0, i < n; y[i + 1,] += w[j,], i < n - 1, j < n;",
            "y[i] = 1  for i < n\ny[i + 1] += Σ_{j < n} w[j]  for i < n − 1",
        ),
        ("y[|i + j|] += w[i,], i < n, j < n;", "y[i + j] += w[i]  for i < n, j < n"),
        ("y[i,] := w[i,], i < n | w[i,] > 0.0;", "y[i] ← w[i]  for i < n in this order, if w[i] > 0"),
        ("y[i,] = w[i,] / (a * 2.0), i < n;", "y[i] = w[i] / (a·2)  for i < n"),
        ("y[i,] = w[i,] / a * 2.0, i < n;", "y[i] = (w[i] / a)·2  for i < n"),
        ("y[i,] = (w[i,] + a) / a ** 2.0, i < n;", "y[i] = (w[i] + a) / a^2  for i < n"),
        ("y[i / 2,] = w[i \\ 2,], i < n;", "y[⌊i / 2⌋] = w[⌈i / 2⌉]  for i < n"),
        ("y[i,] = T(1) / t[i,], i < n;", "y[i] = 1 / t[i]  for i < n"),
        ("y[i,] = sqrt(abs(w[i,])), i < n;", "y[i] = √(|w[i]|)  for i < n"),
        ("y[i,] = real(floor(w[i,])) <? 1.0 <? inf, i < n;", "y[i] = min(⌊w[i]⌋, 1, ∞)  for i < n"),
        (
            "y[i,] = w[i,] < 0.0 ? -w[i,] : w[i,] > 1.0 ? 1.0 : w[i,], i < n;",
            "y[i] = { −w[i] if w[i] < 0; 1 if w[i] > 1; w[i] otherwise }  for i < n",
        ),
        (
            "with z = w[i,] * 2.0: y[i,] = z * z, i < n;",
            "y[i] = z·z  for i < n\n  where z = w[i]·2",
        ),
        ("y[i,] = half * real(h), i < n;", "y[i] = half·h  for i < n\n  with h = ⌊n / 2⌋\n  with half = a / 2"),
        (
            "with ii = order == 'CX' ? [i, j..] : [j.., i]: y[i,] += x[ii..], i < c, j < s;",
            "y[i] = Σ_{j < s} x[i, j]  for i < c",
        ),
        (
            "y[i,] = mode == 'ZERO' ? 0.0 : w[i,], i < n;",
            "y[i] = { 0 if mode = 'ZERO'; w[i] otherwise }  for i < n",
        ),
        ("y[i,] = w[|i - 1 <> 0 : n - 1|,], i < n;", "y[i] = w[clamp(i − 1, 0, n − 1)]  for i < n"),
    ],
)
def test_formulas_are_equations(code: str, equations: str):
    assert plain(code) == equations


def test_notes_say_what_the_equations_leave_out():
    found = mathematics_of(
        definition_of("with ii = order == 'CX' ? [i, |j|..] : [|j|.., i]: y[i,] += x[ii..], i < c, j < s;"), PLAIN
    )
    assert found is not None
    assert found.notes == (
        "These are the equations for `order='CX'`.",
        "What has an index outside of its tensor is left out.",
    )


def _lowered() -> dict[str, Definition]:
    names = [name for module in library_modules() for name in operator_names(LIBRARY, module)]
    found = {name: LIBRARY.definition(name) for name in names}
    return {
        f"{name.path.removeprefix(LIBRARY_PREFIX)}.{name.name}": each
        for name, each in found.items()
        if each is not None and any(isinstance(b, Block) and b.kind is BlockKind.LOWER for b in each.blocks)
    }


def test_every_lowering_of_the_library_is_written_in_both_notations():
    converter = pytest.importorskip("latex2mathml.converter")
    lowered = _lowered()
    assert len(lowered) > 80
    for name, definition in lowered.items():
        latex, text = mathematics_of(definition, LATEX), mathematics_of(definition, PLAIN)
        assert latex is not None, name
        assert text is not None, name
        assert latex.notes == text.notes, name
        for written in (latex.equations, text.equations):
            assert not re.search(r"…|\?|&&|\|\||<-|:=", written), (name, written)
        mathml = converter.convert(latex.equations, display="block")
        assert not re.search(r">\\|merror", mathml), (name, mathml)
