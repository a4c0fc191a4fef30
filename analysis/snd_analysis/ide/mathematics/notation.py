"""Notation of mathematical terms: in LaTeX, or in one line of plain text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

_GREEK = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "theta": "θ", "lambda": "λ", "pi": "π"}


_BREAK = r" \\ "


_LATEX_SYMBOLS = {
    "·": r"\cdot ", "−": "-", "∧": r"\wedge ", "∨": r"\vee ", "¬": r"\neg ", "≤": r"\le ", "≥": r"\ge ",
    "≠": r"\ne ", "⊻": r"\veebar ",
    "∈": r"\in ", "∞": r"\infty ", "π": r"\pi ", "←": r"\leftarrow ", "↦": r"\mapsto ", "<": "<", ">": ">",
    "∑": r"\sum ", "∏": r"\prod ", "⋀": r"\bigwedge ", "⋁": r"\bigvee ", "max": r"\max ", "min": r"\min ",
    "mod": r"\bmod ", "⌊": r"\left\lfloor ", "⌋": r"\right\rfloor ", "⌈": r"\left\lceil ", "⌉": r"\right\rceil ",
    "(": r"\left(", ")": r"\right)", "[": r"\left[", "]": r"\right]",
    "+=": r"\text{ += }", "*=": r"\text{ *= }",
}  # fmt: skip


class Notation(Protocol):
    """A notation. Arguments are in this notation already, except for names, words and symbols."""

    def name(self, name: str) -> str:
        """Return an identifier."""

    def words(self, text: str) -> str:
        """Return plain words in a formula, with the blanks around them."""

    def symbol(self, plain: str) -> str:
        """Return an operator or a sign, given as the character of it."""

    def access(self, base: str, item: str | None, indices: str) -> str:
        """Return an element of a tensor; ``item`` is the number of the tensor in a pack."""

    def fraction(self, above: str, below: str) -> str:
        """Return a quotient; both are without parentheses around them."""

    def product(self, left: str, right: str) -> str:
        """Return a product, with its quotients set apart."""

    def power(self, base: str, exponent: str) -> str:
        """Return a power."""

    def fenced(self, left: str, inner: str, right: str) -> str:
        """Return an expression between parentheses, bars or the like."""

    def root(self, inner: str) -> str:
        """Return a square root."""

    def over(self, symbol: str, below: str, inner: str) -> str:
        """Return a sum, a product, a greatest or least value over indices."""

    def cases(self, rows: Sequence[tuple[str, str | None]]) -> str:
        """Return values with their conditions, the last one without."""

    def rows(self, rows: Sequence[str]) -> str:
        """Return equations below each other."""


class _Latex:
    def name(self, name: str) -> str:
        if name in _GREEK:
            return f"\\{name} "
        if len(name) == 1:
            return name
        return r"\_".join(rf"\text{{{part}}}" if part else "" for part in name.split("_"))

    def words(self, text: str) -> str:
        gap = r"\quad " if text.startswith("  ") else ""
        return gap + r"\_".join(rf"\text{{{part}}}" if part else "" for part in text.replace("  ", "").split("_"))

    def symbol(self, plain: str) -> str:
        return _LATEX_SYMBOLS.get(plain, plain)

    def access(self, base: str, item: str | None, indices: str) -> str:
        above = "" if item is None else f"^{{({item})}}"
        return f"{base.strip()}{above}" + (f"_{{{indices}}}" if indices else "")

    def fraction(self, above: str, below: str) -> str:
        return rf"\frac{{{above}}}{{{below}}}"

    def product(self, left: str, right: str) -> str:
        return rf"{left} \cdot {right}"

    def power(self, base: str, exponent: str) -> str:
        return f"{{{base}}}^{{{exponent}}}"

    def fenced(self, left: str, inner: str, right: str) -> str:
        if left == right == "|":
            return rf"\left| {inner} \right|"
        return f"{self.symbol(left)}{inner}{self.symbol(right)}"

    def root(self, inner: str) -> str:
        return rf"\sqrt{{{inner}}}"

    def over(self, symbol: str, below: str, inner: str) -> str:
        return f"{self.symbol(symbol).strip()}" + (f"_{{{below}}} " if below else " ") + inner

    def cases(self, rows: Sequence[tuple[str, str | None]]) -> str:
        lines = [rf"{value} & \text{{{'otherwise' if when is None else 'if '}}}{when or ''}" for value, when in rows]
        return rf"\begin{{cases}}{_BREAK.join(lines)}\end{{cases}}"

    def rows(self, rows: Sequence[str]) -> str:
        lines = " \\\\\n".join(rows)
        return f"\\begin{{array}}{{l}}\n{lines}\n\\end{{array}}"


class _Plain:
    def name(self, name: str) -> str:
        return name

    def words(self, text: str) -> str:
        return text

    def symbol(self, plain: str) -> str:
        return plain

    def access(self, base: str, item: str | None, indices: str) -> str:
        return base + ("" if item is None else f"[{item}]") + (f"[{indices}]" if indices else "")

    def fraction(self, above: str, below: str) -> str:
        return f"{_closed(above, ' ')} / {_closed(below)}"

    def product(self, left: str, right: str) -> str:
        return f"{_closed(left, '/')}·{_closed(right, '/')}"

    def power(self, base: str, exponent: str) -> str:
        return f"{_closed(base)}^{_closed(exponent)}"

    def fenced(self, left: str, inner: str, right: str) -> str:
        return f"{left}{inner}{right}"

    def root(self, inner: str) -> str:
        return f"√({inner})"

    def over(self, symbol: str, below: str, inner: str) -> str:
        return (
            f"{'Σ' if symbol == '∑' else 'Π' if symbol == '∏' else symbol}"
            + (f"_{{{below}}} " if below else " ")
            + inner
        )

    def cases(self, rows: Sequence[tuple[str, str | None]]) -> str:
        return (
            "{ "
            + "; ".join(f"{value} otherwise" if when is None else f"{value} if {when}" for value, when in rows)
            + " }"
        )

    def rows(self, rows: Sequence[str]) -> str:
        return "\n".join(rows)


def _closed(text: str, signs: str = " ·") -> str:
    """Return an operand in parentheses, if one of these signs is in it outside of brackets."""
    depth = 0
    for letter in text:
        depth += (letter in "([{⌊⌈") - (letter in ")]}⌋⌉")
        if letter in signs and depth == 0:
            return f"({text})"
    return text


LATEX: Notation = _Latex()
PLAIN: Notation = _Plain()
