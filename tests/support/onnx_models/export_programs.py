"""Random graphs of a few statements over operators with variables, branches and loops, for ``snd export``.

Names are few, and ones that nodes, functions and their tensors have too, so that they collide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import strategies as st

OPERATORS = """
import layer, layout, math, nn, quant;

operator dense { @input { x: real[b, d]; } @output { y: real[b, d]; } @variable { weight: real[d, d]; }
    @compose { y = nn.linear(x, weight); } }
operator wrapped { @input { x: real[b, d]; } @output { y: real[b, d]; } @compose { y = dense(x); } }
operator deep { @input { x: real[b, d]; } @output { y: real[b, d]; } @compose { y = wrapped(x); } }
operator labelled { @input { x: real[b, d]; } @output { y: real[b, d]; } @compose { y = gemm: dense(x); } }
operator layered { @input { x: real[b, d]; } @output { y: real[b, d]; }
    @compose { t = layer.linear{channels=d}(x); y = math.tanh(t); } }
operator normed { @input { x: real[b, d]; } @output { y: real[b, d]; }
    @compose { t = layer.linear{channels=d, use_bias=true}(x); u = nn.sigmoid(t); y = math.add(u, x); } }
operator fixed { @input { x: real[b, d]; } @output { y: real[b, d]; } @constant { weight: real[1] = [0.5]; }
    @compose { y = math.mul(x, weight); } }
operator holding { @input { x: real[b, d]; } @output { y: real[b, d]; } @compose { y = fixed(x); } }
operator half { @input { x: real[b, d]; } @output { y: real[b, d]; } @lower { y[i, j] = x[i, j] / 2.0, i < b, j < d; } }
operator scaled { @input { x: real[b, d]; } @output { y: real[b, d]; } @variable { weight: real[d]; }
    @lower { y[i, j] = x[i, j] * weight[j,], i < b, j < d; } }
operator same { @input { x: real[b, d]; } @output { y: real[b, d]; } @compose { y = x; } }
operator stored { @input { x: real[b, d]; } @output { y: real[b, d]; z: real[d]; } @variable { weight: real[d]; }
    @compose { y = math.mul(x, weight); z = weight; } }
operator both { @input { x: real[b, d]; } @output { y: real[b, d]; z: real[b, d]; } @variable { weight: real[d]; }
    @compose { y = math.mul(x, weight); z = dense(y); } }
operator twice { @input { x: real[b, d]; } @output { y: real[b, d]; z: real[b, d]; }
    @compose { y = math.neg(x); z = y; } }
operator pair { @input { x: real[b, d]; } @output { ys: real[b, d]..(2); } @variable { ws: real[d]..(2); }
    @compose { [w, v] = ws; s = math.mul(x, w); t = math.mul(x, v); ys = [s, t]; } }
operator joined { @input { xs: real[b, d]..(n); } @output { y: real[b, d]; } @compose { y = math.sum_n(xs); } }
operator is_large { @input { x: real[b, d]; } @output { y: bool[]; }
    @compose { s = math.sum_reduce{axes=[0, 1], squeeze=true}(x); y = math.gt(s, 0.25); } }
operator chosen { @input { x: real[b, d]; } @output { y: real[b, d]; }
    @compose { c = is_large(x); y = if c then dense(x) else layered(x); } }
operator repeated { @input { x: real[b, d]; } @output { y: real[b, d]; }
    @compose { y = with t = x unroll..(2) { u = dense(t); v = math.tanh(u); yield v; }; } }
operator moving { @input { x: real[b, d]; } @output { y: real[b, d]; } @variable { state: real[b, d]; }
    @compose { y = math.add(x, state); } @update { state = y; } }
operator counting { @input { x: real[b, d]; } @output { y: real[b, d]; } @variable { state: real[b, d]; }
    @lower { y[i, j] = x[i, j] + state[i, j], i < b, j < d; } @update { state = y; } }
operator shifting { @input { x: real[b, d]; } @output { y: real[b, d]; } @variable { states: real[b, d]..(2); }
    @compose { [u, v] = states; s = math.add(x, u); y = math.mul(s, v); } @update { states = [v, s]; } }
operator keeping { @input { x: real[b, d]; } @output { y: real[b, d]; } @compose { y = shifting(x); } }
"""
_UNARY = (
    "dense({})", "wrapped({})", "deep({})", "labelled({})", "layered({})", "normed({})", "fixed({})", "holding({})",
    "half({})", "scaled({})", "same({})", "chosen({})", "repeated({})", "layer.linear{{channels=4}}({})",
    "nn.relu({})", "nn.softmax{{axes=[1]}}({})", "math.tanh({})", "math.neg({})", "math.mul({}, 0.5)",
    "layout.transpose{{perm=[0, 1]}}({})", "nn.linear({}, matrix)", "math.mul({}, vector)",
)  # fmt: skip
_BINARY = ("math.add({}, {})", "math.max({}, {})", "math.sub({}, {})")
_QUANTIZERS = (
    "quant.min_max_linear_quantize{min=-2.0, max=2.0, bits=8}",
    "quant.min_max_linear_quantize{min=0.0, max=2.55, bits=8, signed=false}",
    "quant.zero_point_linear_quantize{zero_point=0, scale=0.05, bits=4}",
    "quant.zero_point_linear_quantize{zero_point=3, scale=0.001, bits=16}",
)
_TWO = ("both({})", "twice({})")
_NAMES = (
    "weight", "matrix_2", "gemm", "add", "identity", "constant", "iteration", "condition", "collected", "body", "part",
    "x_2", "dense", "state", "t", "u", "y",
)  # fmt: skip


@dataclass
class _Names:
    """The names of a program that are free, and the tensors, packs and conditions that are there."""

    free: list[str]
    tensors: list[str] = field(default_factory=list)
    packs: list[str] = field(default_factory=list)
    is_static: bool = True
    """True if all extents are numbers, as variables of the same shape need."""

    def fresh(self) -> str:
        return self.free.pop(0)

    def inner(self) -> _Names:
        """Return the names inside a block, which sees the surrounding ones."""
        return _Names(self.free, list(self.tensors), list(self.packs), self.is_static)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Draw a module whose graph ``main`` has inputs ``x``, ``z``, ``ps``, ``c``, ``n`` and ``k`` (with a default)."""
    free = list(draw(st.permutations(_NAMES))) + [f"v{number}" for number in range(40)]
    rows = draw(st.sampled_from(["2", "2", "rows"]))
    names = _Names(free, ["x", "z", *(["k"] if rows == "2" else [])], ["ps"], rows == "2")
    lines = [_statement(draw, names, depth=2) for _ in range(draw(st.integers(1, 6)))]
    outputs, last = _outputs(draw, names)
    quantized = dict.fromkeys(draw(st.lists(st.sampled_from([*names.tensors, "matrix", "vector"]), max_size=3)))
    rules = "".join(f"{each}: {draw(st.sampled_from(_QUANTIZERS))}; " for each in quantized)
    bounded = rows if rows == "2" else f"{rows}|8"
    return f"""{OPERATORS}
graph main {{
    @input {{ x: real[{bounded}, 4]; z: real[{rows}, 4]; ps: real[{rows}, 4]..(2);
        c: bool[]; n: int[]; k: real[2, 4] = 1.5; }}
    @output {{ {outputs} }}
    @variable {{ matrix: real[4, 4]; vector: real[4]; }}
    @compose {{
        {chr(10).join(f"        {line}" for line in [*lines, *last]).strip()}
    }}
    {f"@quantize {{ {rules}}}" if rules else ""}
}}
"""


def _outputs(draw: st.DrawFn, names: _Names) -> tuple[str, list[str]]:
    """Return the declarations of the outputs, and the statements that assign them."""
    declared, last = [], []
    for number in range(draw(st.integers(1, 3))):
        name = f"out{number}"
        kind = draw(st.sampled_from(["newest", "newest", "newest", "any", "any", "pack", "vector", "number"]))
        if kind in ("newest", "any"):
            chosen = names.tensors[-1] if kind == "newest" else draw(st.sampled_from(names.tensors))
            declared.append(f"{name}: real[~, 4];")
            last.append(f"{name} = {chosen};")
        elif kind == "pack":
            declared.append(f"{name}: real[~, 4]..(2);")
            last.append(f"{name} = {draw(st.sampled_from(names.packs))};")
        elif kind == "vector":
            declared.append(f"{name}: real[4];")
            last.append(f"{name} = vector;")
        else:
            declared.append(f"{name}: real[];")
            last.append(f"{name} = 2.5;")
    return " ".join(declared), last


def _statement(draw: st.DrawFn, names: _Names, depth: int) -> str:
    kinds = ["unary"] * 4 + ["binary", "two", "pair", "join", "same", "list"]
    if depth:
        kinds += ["if", "if block", "loop", "unroll", "while", "scan"]
    if depth == 2 and names.is_static:
        kinds.append("state")
    return _KINDS[draw(st.sampled_from(kinds))](draw, names, depth)


def _tensor(draw: st.DrawFn, names: _Names) -> str:
    return draw(st.sampled_from(names.tensors[-3:] + names.tensors[:1]))


def _call(draw: st.DrawFn, argument: str) -> str:
    return draw(st.sampled_from(_UNARY)).format(argument)


def _unary(draw: st.DrawFn, names: _Names, depth: int) -> str:
    text = _call(draw, _tensor(draw, names))
    label = f"{names.fresh()}: " if draw(st.integers(0, 5)) == 0 else ""
    name = names.fresh()
    names.tensors.append(name)
    return f"{name} = {label}{text};"


def _binary(draw: st.DrawFn, names: _Names, depth: int) -> str:
    text = draw(st.sampled_from(_BINARY)).format(_tensor(draw, names), _tensor(draw, names))
    name = names.fresh()
    names.tensors.append(name)
    return f"{name} = {text};"


def _two(draw: st.DrawFn, names: _Names, depth: int) -> str:
    text = draw(st.sampled_from(_TWO)).format(_tensor(draw, names))
    one, other = names.fresh(), names.fresh()
    names.tensors += [one, other]
    return f"{one}, {other} = {text};"


def _pair(draw: st.DrawFn, names: _Names, depth: int) -> str:
    argument = _tensor(draw, names)
    if draw(st.booleans()):
        name = names.fresh()
        names.packs.append(name)
        return f"{name}..(2) = pair({argument});"
    one, other = names.fresh(), names.fresh()
    names.tensors += [one, other]
    return f"[{one}, {other}] = pair({argument});"


def _join(draw: st.DrawFn, names: _Names, depth: int) -> str:
    text, name = f"joined({draw(st.sampled_from(names.packs))})", names.fresh()
    names.tensors.append(name)
    return f"{name} = {text};"


def _same(draw: st.DrawFn, names: _Names, depth: int) -> str:
    text, name = _tensor(draw, names), names.fresh()
    names.tensors.append(name)
    return f"{name} = {text};"


def _list(draw: st.DrawFn, names: _Names, depth: int) -> str:
    text, name = f"[{_tensor(draw, names)}, {_tensor(draw, names)}]", names.fresh()
    names.packs.append(name)
    return f"{name}..(2) = {text};"


def _condition(draw: st.DrawFn, names: _Names) -> str:
    return draw(st.sampled_from(["c", f"is_large({_tensor(draw, names)})", "math.gt(n, 1)"]))


def _block(draw: st.DrawFn, names: _Names, depth: int) -> str:
    inner = names.inner()
    lines = [_statement(draw, inner, depth - 1) for _ in range(draw(st.integers(1, 2)))]
    return f"{{ {' '.join(lines)} yield {_tensor(draw, inner)}; }}"


def _if(draw: st.DrawFn, names: _Names, depth: int) -> str:
    cases = [f"if {_condition(draw, names)} then {_call(draw, _tensor(draw, names))}"]
    if draw(st.booleans()):
        cases.append(f"elif {_condition(draw, names)} then {_call(draw, _tensor(draw, names))}")
    otherwise = draw(st.sampled_from([_call(draw, _tensor(draw, names)), _tensor(draw, names)]))
    name = names.fresh()
    names.tensors.append(name)
    return f"{name} = {' '.join(cases)} else {otherwise};"


def _if_block(draw: st.DrawFn, names: _Names, depth: int) -> str:
    condition, then, other = _condition(draw, names), _block(draw, names, depth), _block(draw, names, depth)
    name = names.fresh()
    names.tensors.append(name)
    return f"{name} = if {condition} then {then} else {other};"


def _loop(draw: st.DrawFn, names: _Names, depth: int) -> str:
    start, local = _tensor(draw, names), names.fresh()
    keyword = "unroll" if depth == 1 else "do"
    count = draw(st.sampled_from(["0", "1", "3"] if keyword == "unroll" else ["n", "2", "1"]))
    inner = names.inner()
    inner.tensors.append(local)
    lines = [_statement(draw, inner, depth - 1) for _ in range(draw(st.integers(0, 2)))]
    bounded = names.fresh()
    lines.append(f"{bounded} = math.tanh({_tensor(draw, inner)}); yield {bounded};")
    name = names.fresh()
    names.tensors.append(name)
    return f"{name} = with {local} = {start} {keyword}..({count}) {{ {' '.join(lines)} }};"


def _unroll(draw: st.DrawFn, names: _Names, depth: int) -> str:
    start, local = _tensor(draw, names), names.fresh()
    body = _call(draw, local)
    name = names.fresh()
    names.tensors.append(name)
    return f"{name} = with {local} = {start} unroll..({draw(st.integers(1, 3))}) {body};"


def _while(draw: st.DrawFn, names: _Names, depth: int) -> str:
    start, local, number = _tensor(draw, names), names.fresh(), names.fresh()
    inner, most = names.inner(), draw(st.integers(0, 2))
    inner.tensors.append(local)
    call = _call(draw, local)
    next_, following = names.fresh(), names.fresh()
    body = f"{{ {next_} = {call}; {following} = math.add({number}, 1); yield {next_}, {following}; }}"
    condition = f"while math.lt({number}, {most})"
    loop = f"do {body} {condition}" if draw(st.booleans()) else f"{condition} do {body}"
    name = names.fresh()
    names.tensors.append(name)
    return f"{name}, ~ = with {local} = {start}, {number} = 0 {loop};"


def _scan(draw: st.DrawFn, names: _Names, depth: int) -> str:
    source, local = draw(st.sampled_from(names.packs)), names.fresh()
    text = _call(draw, local)
    name = names.fresh()
    names.packs.append(name)
    return f"{name}..(2) = for {local} : {source} {draw(st.sampled_from(['do', 'unroll']))} {text};"


def _state(draw: st.DrawFn, names: _Names, depth: int) -> str:
    operator = draw(st.sampled_from(["moving", "counting", "shifting", "keeping"]))
    text, name = f"{operator}({_tensor(draw, names)})", names.fresh()
    names.tensors.append(name)
    return f"{name} = {text};"


_KINDS: dict[str, Callable[[st.DrawFn, _Names, int], str]] = {
    "unary": _unary, "binary": _binary, "two": _two, "pair": _pair, "join": _join, "same": _same, "list": _list,
    "if": _if, "if block": _if_block, "loop": _loop, "unroll": _unroll, "while": _while, "scan": _scan, "state": _state,
}  # fmt: skip
