"""Random sums of products over affine indices, guarded where they may be out of bounds."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from generators.random_formulas import Program

_SHAPES = {"p": (5, 4), "q": (4, 3), "r": (6,)}
_EXTENTS = {"i": 3, "j": 2, "k": 4, "l": 1}


@st.composite
def contractions(draw: st.DrawFn) -> Program:
    axes = draw(st.lists(st.sampled_from(tuple(_EXTENTS)), unique=True, min_size=1, max_size=4))
    dtype = draw(st.sampled_from(("real", "int")))

    def access(name: str, shape: tuple[int, ...]) -> str:
        parts = [_index(draw, axes, extent) for extent in shape]
        return f"{name}[{', '.join(parts)}{',' if len(parts) == 1 else ''}]"

    names = draw(st.lists(st.sampled_from(tuple(_SHAPES)), min_size=1, max_size=3))
    value = " * ".join(access(name, _SHAPES[name]) for name in names)
    target = access("y", (8, 6))
    initial = "y[a, b] = T(a - b), a < 8, b < 6;" if draw(st.booleans()) else ""
    operator = draw(st.sampled_from(("+=", "+=", "+=", ">?=")))
    bounds = "".join(f", {axis} < {_EXTENTS[axis]}" for axis in axes)
    shapes = " ".join(f"{name}: T[{', '.join(map(str, shape))}];" for name, shape in _SHAPES.items())
    text = (
        f"operator contraction {{\n    @dtype {{ T: num; }}\n    @input {{ {shapes} }}\n"
        f"    @output {{ y: T[8, 6]; }}\n    @lower {{ {initial}\n        {target} {operator} {value}{bounds}; }}\n}}\n"
    )
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    inputs = [random.integers(-8, 9, shape) for shape in _SHAPES.values()]
    if dtype == "real":
        inputs = [each / 4 for each in inputs]
        if draw(st.booleans()):
            inputs[draw(st.integers(0, 2))].flat[draw(st.integers(0, 5))] = np.inf
    elif draw(st.integers(0, 5)) == 0:
        inputs[0] *= 1 << 33
    return Program(text, tuple(inputs))


def _index(draw: st.DrawFn, axes: list[str], extent: int) -> str:
    used = draw(st.lists(st.sampled_from(axes), unique=True, max_size=2))
    factors = {axis: draw(st.sampled_from((1, 1, 2, -1, 3))) for axis in used}
    offset = draw(st.integers(-2, 3))
    low = offset + sum(min(0, factor * (_EXTENTS[axis] - 1)) for axis, factor in factors.items())
    high = offset + sum(max(0, factor * (_EXTENTS[axis] - 1)) for axis, factor in factors.items())
    if low < 0 and high - low < extent:
        offset, low, high = offset - low, 0, high - low
    text = " + ".join([*(f"{factor} * {axis}" for axis, factor in factors.items()), str(offset)])
    return text if low >= 0 and high < extent else f"|{text}|"
