"""Random operators with one or two formulas: indices of all kinds, every assignment, conditions, packs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

_INPUTS = """
    @input {
        x: real[a, b];
        u: int[a, b];
        m: bool[a];
        at: int[b];
        xs: real[b]..(n);
        ys: real[..c]..(n);
        z: optional real[a];
    }
"""
_EXTENTS = {"x": ("a", "b"), "u": ("a", "b"), "m": ("a",), "at": ("b",), "xs": ("b",), "z": ("a",)}
_OPERATORS = {
    "real": ("=", "+=", "+=", "*=", "<?=", ">?=", ":="),
    "int": ("=", "+=", "*=", "<?=", ">?=", ":="),
    "bool": ("=", "&=", "|=", ":="),
}


@dataclass(frozen=True)
class Program:
    text: str
    inputs: tuple[Any, ...]


class Writer:
    """Draws expressions over the axes of one formula."""

    def __init__(self, draw: st.DrawFn, axes: dict[str, str], own: str | None) -> None:
        self._draw = draw
        self._axes = axes
        self._own = own

    def pick(self, *choices: Any) -> Any:
        return self._draw(st.sampled_from(choices))

    def choose(self, *makers: Callable[[], str]) -> str:
        return self.pick(*makers)()

    def number(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))

    # ---- indices -----------------------------------------------------------------------------------------------------
    def affine(self) -> str:
        if not self._axes:
            return str(self.number(0, 2))
        axis = self.pick(*self._axes)
        other = self.pick(*self._axes)
        offset = self.number(-2, 2)
        sign = f"+ {offset}" if offset >= 0 else f"- {-offset}"
        return self.pick(
            axis,
            f"{axis} {sign}",
            f"{self.number(2, 3)} * {axis} {sign}",
            f"{axis} + {other}",
            f"2 - {axis}",
            f"{axis} - 2 * {other} {sign}",
        )

    def index(self, extent: str, depth: int = 1) -> str:
        """Return an index of a dimension, mostly within bounds."""
        fitting = [axis for axis, bound in self._axes.items() if bound == extent]
        kind = self.number(0, 9)
        if kind <= 3 and fitting:
            return str(self.pick(*fitting))
        inner = self.affine() if kind % 2 or depth == 0 else self.integer(depth - 1)
        match kind % 5:
            case 0 | 4:
                return f"|{inner}|"
            case 1:
                return f"|{inner} <> 0 : {extent} - 1|"
            case 2:
                return f"|{inner} <> -({inner}) : {extent} - 1 - ({inner}) % 2|"
        return f"({inner}) % ({extent} >? 1)"

    def access(self, name: str, depth: int) -> str:
        indices = [self.index(extent, depth) for extent in _EXTENTS[name]]
        return f"{name}[{', '.join(indices)}{',' if len(indices) == 1 else ''}]"

    def own(self) -> str:
        return f"y[{self.pick('p', '|p - 1|', '|p - 1 <> 0 : 0|', '2')}, {self.pick('q', 'q', '3 - q', '|q + 1|')}]"

    # ---- values ------------------------------------------------------------------------------------------------------
    def integer(self, depth: int) -> str:
        inner = partial(self.integer, depth - 1)
        if depth <= 0:
            return self.choose(self.affine, lambda: self.access("at", 0), lambda: self.access("u", 0))
        return self.choose(
            lambda: f"({inner()} {self.pick('+', '-', '*', '<?', '>?')} {inner()})",
            lambda: f"({inner()}) / {self.number(1, 3)}",
            lambda: f"({inner()}) % 3",
            lambda: f"({inner()} \\ -2)",
            lambda: f"({self.boolean(depth - 1)} ? {inner()} : {inner()})",
            lambda: f"{self.pick('abs', 'sign')}({inner()})",
            lambda: f"[3, -1, {inner()}, 4][({inner()}) % 4]",
            lambda: f"[3, -1, 4][{inner()}]",
            lambda: f"int({self.real(0)})",
        )

    def real(self, depth: int) -> str:
        inner = partial(self.real, depth - 1)
        if depth <= 0:
            return self.choose(
                lambda: self.access("x", 1),
                lambda: self.access("x", 0),
                lambda: f"real({self.affine()})",
                lambda: "1.5",
                lambda: f"xs[{self.number(-3, 2)}][{self.index('b', 0)},]",
                lambda: f"(z[{self.index('a', 0)},] ?? 0.5)",
                lambda: f"xs[({self.affine()}) % 3][{self.index('b', 0)},]",
                self._of_pack,
            )
        return self.choose(
            lambda: f"({inner()} {self.pick('+', '-', '*', '<?', '>?')} {inner()})",
            lambda: f"({inner()}) * ({inner()})",
            lambda: f"{self.pick('-', '+')}({inner()})",
            lambda: f"abs({inner()})",
            lambda: f"({self.boolean(depth - 1)} ? {inner()} : {inner()})",
            lambda: f"({inner()} / 2.0)",
            lambda: f"(({inner()}) ** 2.0)",
        )

    def _of_pack(self) -> str:
        """Return an element of a pack of tensors of different shapes, whose index is a loop's."""
        axes = [axis for axis, bound in self._axes.items() if bound == "n"]
        return f"ys[{axes[0]}][|{self.affine()}|,]" if axes else "0.25"

    def boolean(self, depth: int) -> str:
        inner = partial(self.boolean, depth - 1)
        if depth <= 0:
            return self.choose(
                lambda: self.access("m", 0), lambda: f"({self.affine()} < 2)", lambda: f"({self.access('x', 0)} > 0.0)"
            )
        return self.choose(
            lambda: f"({inner()} {self.pick('&&', '||', '^', '=>')} {inner()})",
            lambda: f"!({inner()})",
            lambda: f"({self.integer(depth - 1)} {self.pick('<', '<=', '==', '!=')} {self.integer(depth - 1)})",
            lambda: f"({self.affine()} in [0, {self.integer(0)}])",
        )

    def value(self, dtype: str, depth: int) -> str:
        found = {"real": self.real, "int": self.integer, "bool": self.boolean}[dtype](depth)
        if self._own is None:
            return found
        own = self.own()
        return {"real": f"{own} + {found}", "int": f"({own} + {found}) % 7", "bool": f"({own} ^ {found})"}[dtype]


@st.composite
def programs(draw: st.DrawFn) -> Program:
    dtype = draw(st.sampled_from(("real", "real", "int", "bool")))
    operator = draw(st.sampled_from(_OPERATORS[dtype]))
    bounds = {"i": "a", "j": "b", "k": "n", "l": "2"}
    names = draw(st.lists(st.sampled_from(tuple(bounds)), unique=True, min_size=1, max_size=3))
    axes = {name: bounds[name] for name in names}
    reads_itself = operator == ":=" and draw(st.booleans())
    if reads_itself:
        axes |= {"p": "6", "q": "4"} if draw(st.booleans()) else {}
        names = draw(st.permutations(list(axes)))
        axes = {name: axes[name] for name in names}
    own = "y" if reads_itself and {"p", "q"} <= axes.keys() else None
    writer = Writer(draw, axes, own)
    target = [writer.index("6"), writer.index("4")]
    if own is not None and draw(st.booleans()):
        target = ["p", "q"]
    value = writer.value(dtype, draw(st.integers(0, 2)))
    if operator == "*=" and dtype == "int":
        value = f"({value}) % 3 - 1"
    condition = f" | {writer.boolean(1)}" if draw(st.booleans()) else ""
    bounds_text = "".join(f", {name} < {bound}" for name, bound in axes.items())
    default = {"real": "0.75", "int": "p - q", "bool": "p == q"}[dtype]
    initial = f"y[p, q] = {default}, p < 6, q < 4;" if operator == ":=" or draw(st.booleans()) else ""
    if operator == "=":
        initial = ""
    formula = f"y[{', '.join(target)}] {operator} {value}{bounds_text}{condition};"
    output = f"    @output {{ y: {dtype}[6, 4]; }}\n"
    text = f"operator random {{{_INPUTS}{output}    @lower {{ {initial}\n        {formula} }}\n}}\n"
    return Program(text, _inputs(draw))


def _inputs(draw: st.DrawFn) -> tuple[Any, ...]:
    a, b = draw(st.sampled_from((3, 2, 4, 1, 0))), draw(st.sampled_from((3, 5, 2, 0)))
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    return (
        random.integers(-8, 9, (a, b)) / 4,
        random.integers(-9, 10, (a, b)),
        random.integers(0, 2, a) == 1,
        random.integers(-2, 6, b),
        [random.integers(-8, 9, b) / 4 for _ in range(3)],
        [random.integers(-8, 9, extent) / 4 for extent in (2, 0, 3)],
        random.integers(-8, 9, a) / 4 if draw(st.booleans()) else None,
    )
