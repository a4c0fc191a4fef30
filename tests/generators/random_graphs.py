"""Random graphs over vectors, as text and as computations in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from hypothesis import strategies as st

Array: TypeAlias = "np.ndarray[Any, Any]"
Values: TypeAlias = "dict[str, Array]"
Statement: TypeAlias = Callable[[Values], None]

_UNARY: dict[str, Callable[[Array], Array]] = {
    "math.neg({})": np.negative,
    "math.abs({})": np.abs,
    "math.tanh({})": np.tanh,
    "math.mul({}, 0.5)": lambda a: a * 0.5,
    "layout.slice{{axes=[0], begin=0, end=1}}({})": lambda a: a[:1],
    "math.sum_reduce{{axes=[0]}}({})": lambda a: a.sum(keepdims=True),
}
_BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "math.add({}, {})": np.add,
    "math.sub({}, {})": np.subtract,
    "math.mul({}, {})": np.multiply,
    "math.max({}, {})": np.maximum,
    "layout.concat{{axis=0}}([{}, {}])": lambda a, b: np.concatenate([a, b]),
}


@dataclass
class Block:
    """Statements, the tensors that they define with their lengths, and the names that were used."""

    lines: list[str] = field(default_factory=list)
    steps: list[Statement] = field(default_factory=list)
    lengths: dict[str, int] = field(default_factory=dict)

    def run(self, values: Values) -> Values:
        """Return the values of all tensors, given the surrounding ones."""
        own = dict(values)
        for step in self.steps:
            step(own)
        return own


@st.composite
def graphs(draw: st.DrawFn) -> tuple[str, str, Block, dict[str, Array]]:
    """Draw the statements as text, the name of the last result, the block, and the inputs."""
    lengths = {"x": draw(st.integers(1, 4)), "z": draw(st.integers(1, 4))}
    block = _block(draw, lengths, "t", depth=2)
    inputs = {
        name: np.array(draw(st.lists(st.integers(-8, 8), min_size=length, max_size=length))) / 4
        for name, length in lengths.items()
    }
    return "\n        ".join(block.lines), list(block.lengths)[-1], block, inputs


def _block(draw: st.DrawFn, around: dict[str, int], prefix: str, depth: int) -> Block:
    block = Block(lengths=dict(around))
    for number in range(draw(st.integers(1, 5 if depth == 2 else 2))):
        name = f"{prefix}{number}"
        kinds = ["unary", "binary", "binary"] + (["if", "fold", "while", "scan"] if depth else [])
        _KINDS[draw(st.sampled_from(kinds))](draw, block, name, depth)
    return block


def _add(block: Block, name: str, line: str, step: Statement, length: int) -> None:
    block.lines.append(f"{name} = {line};")
    block.steps.append(step)
    block.lengths[name] = length


def _unary(draw: st.DrawFn, block: Block, name: str, _: int) -> None:
    text, function = draw(st.sampled_from(sorted(_UNARY.items(), key=lambda item: item[0])))
    a = draw(st.sampled_from(sorted(block.lengths)))
    length = 1 if "slice" in text or "reduce" in text else block.lengths[a]
    _add(block, name, text.format(a), lambda own: own.update({name: function(own[a])}), length)


def _binary(draw: st.DrawFn, block: Block, name: str, _: int) -> None:
    text, function = draw(st.sampled_from(sorted(_BINARY.items(), key=lambda item: item[0])))
    a = draw(st.sampled_from(sorted(block.lengths)))
    if "concat" in text:
        b = draw(st.sampled_from(sorted(block.lengths)))
        length = min(block.lengths[a] + block.lengths[b], 1 << 20)
    else:
        fitting = [each for each, size in block.lengths.items() if size == block.lengths[a]]
        b = draw(st.sampled_from(sorted(fitting)))
        length = block.lengths[a]
    _add(block, name, text.format(a, b), lambda own: own.update({name: function(own[a], own[b])}), length)


def _condition(draw: st.DrawFn, block: Block, name: str) -> tuple[str, str, Statement]:
    """Draw a statement that defines a bool of rank 0, its name, and a function that computes it."""
    a = draw(st.sampled_from(sorted(block.lengths)))
    line = f"{name}s = math.sum_reduce{{axes=[0], squeeze=true}}({a}); {name}c = math.gt({name}s, 0.25);"
    return line, f"{name}c", lambda own: own.update({f"{name}c": own[a].sum() > 0.25})


def _if(draw: st.DrawFn, block: Block, name: str, depth: int) -> None:
    line, condition, step = _condition(draw, block, name)
    then, other = (_block(draw, block.lengths, f"{name}{part}", depth - 1) for part in "ab")
    first = list(then.lengths)[-1]
    fitting = [each for each, size in other.lengths.items() if size == then.lengths[first]]
    if not fitting:
        return _unary(draw, block, name, depth)
    second = draw(st.sampled_from(sorted(fitting)))
    block.lines.append(line)
    block.steps.append(step)

    def run(own: Values) -> None:
        own[name] = then.run(own)[first] if own[condition] else other.run(own)[second]

    parts = [f"{{ {' '.join(part.lines)} yield {result}; }}" for part, result in ((then, first), (other, second))]
    return _add(block, name, f"if {condition} then {parts[0]} else {parts[1]}", run, then.lengths[first])


def _fold(draw: st.DrawFn, block: Block, name: str, depth: int) -> None:
    count = draw(st.integers(0, 3))
    keyword = draw(st.sampled_from(["do", "unroll"]))
    a = draw(st.sampled_from(sorted(block.lengths)))
    local = f"{name}v"
    body = _block(draw, {**block.lengths, local: block.lengths[a]}, f"{name}a", depth - 1)
    fitting = sorted(each for each, size in body.lengths.items() if size == block.lengths[a])
    result = draw(st.sampled_from(fitting))

    def run(own: Values) -> None:
        value = own[a]
        for _ in range(count):
            value = body.run({**own, local: value})[result]
        own[name] = value

    text = f"with {local} = {a} {keyword}..({count}) {{ {' '.join(body.lines)} yield {result}; }}"
    _add(block, name, text, run, block.lengths[a])


def _while(draw: st.DrawFn, block: Block, name: str, depth: int) -> None:
    a = draw(st.sampled_from(sorted(block.lengths)))
    local, number = f"{name}v", f"{name}n"
    most = draw(st.integers(0, 3))
    post = draw(st.booleans())

    def run(own: Values) -> None:
        value, at = own[a], 0
        while at < most or (post and at == 0):
            value, at = np.tanh(value), at + 1
        own[name] = value

    body = f"{{ {name}p = math.tanh({local}); {name}q = math.add({number}, 1); yield {name}p, {name}q; }}"
    condition = f"while math.lt({number}, {most})"
    loop = f"do {body} {condition}" if post else f"{condition} do {body}"
    block.lines.append(f"{name}, ~ = with {local} = {a}, {number} = 0 {loop};")
    block.steps.append(run)
    block.lengths[name] = block.lengths[a]


def _scan(draw: st.DrawFn, block: Block, name: str, depth: int) -> None:
    a = draw(st.sampled_from(sorted(block.lengths)))
    fitting = sorted(each for each, size in block.lengths.items() if size == block.lengths[a])
    items = draw(st.lists(st.sampled_from(fitting), min_size=1, max_size=3))
    local = f"{name}v"
    body = _block(draw, {**block.lengths, local: block.lengths[a]}, f"{name}a", depth - 1)
    result = list(body.lengths)[-1]
    keyword = draw(st.sampled_from(["do", "unroll"]))

    def run(own: Values) -> None:
        own[name] = np.concatenate([body.run({**own, local: own[item]})[result] for item in items])

    packed = f"{name}w..({len(items)})"
    block.lines.append(
        f"{packed} = for {local} : [{', '.join(items)}] {keyword} {{ {' '.join(body.lines)} yield {result}; }};"
    )
    block.lines.append(f"{name} = layout.concat{{axis=0}}({name}w);")
    block.steps.append(run)
    block.lengths[name] = body.lengths[result] * len(items)


_KINDS: dict[str, Callable[[st.DrawFn, Block, str, int], None]] = {
    "unary": _unary, "binary": _binary, "if": _if, "fold": _fold, "while": _while, "scan": _scan,
}  # fmt: skip
