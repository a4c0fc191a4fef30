"""Classes that differ in numbers only become one class whose constructor takes these numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

_MARKED = re.compile("\x00(-?\\d+)\x01")
_CALLED = re.compile("\x02(\\d+)\x03")


def number(value: int) -> str:
    """Return an int as a mark, which may become a parameter of a constructor."""
    return f"\x00{value}\x01"


def plain_text(text: str) -> str:
    """Return a text with its marks as numbers."""
    return _MARKED.sub(r"\1", text)


class Definition(Struct, eq=False):
    """A class or function as text: ints in it are marked, and so are constructors of other definitions."""

    wanted: str
    """The name that it should have."""
    is_module: bool
    init: list[str] = field(default_factory=list)
    signature: str = ""
    forward: list[str] = field(default_factory=list)
    symbols: Mapping[str, int] = field(default_factory=dict)
    """Names of the operator for numbers."""

    @property
    def text(self) -> str:
        """Everything that must be equal but for numbers."""
        return "\n".join([self.signature, *self.init, "\f", *self.forward])


class Merged(Struct, frozen=True, eq=False):
    """The definitions of a file in order, and the constructor or name of each original one."""

    definitions: list[str]
    calls: list[str]


def construct(number_of: int) -> str:
    """Return the mark of a definition: the call of a class, the name of a function."""
    return f"\x02{number_of}\x03"


def merged(definitions: Sequence[Definition], taken: set[str]) -> Merged:
    """Return the texts of definitions; those that differ in numbers are one."""
    groups: dict[tuple[str, bool, str], list[int]] = {}
    texts: dict[int, str] = {}
    calls: list[str] = [""] * len(definitions)
    written: list[str] = []
    # A definition comes after all that it calls, so these have their names.
    for level in _levels(definitions):
        for at in level:
            each = definitions[at]
            texts[at] = _CALLED.sub(lambda match: calls[int(match[1])], each.text)
            code = _without_comments(texts[at])
            # A function that has other numbers has another name.
            skeleton = _MARKED.sub("\x00", code) if each.is_module else code
            groups.setdefault((each.wanted, each.is_module, skeleton), []).append(at)
        mine = [group for group in groups.values() if group[0] in level]
        for group in mine:
            name = _fresh(definitions[group[0]].wanted, taken)
            text, arguments = _one(name, [definitions[at] for at in group], [texts[at] for at in group])
            written.append(text)
            for at, given in zip(group, arguments, strict=True):
                calls[at] = f"{name}({given})" if definitions[at].is_module else name
    return Merged(written, calls)


def _levels(definitions: Sequence[Definition]) -> list[list[int]]:
    """Return the definitions by how deeply they call others."""
    depth: list[int] = []
    for each in definitions:
        inner = [depth[int(called)] for called in _CALLED.findall(each.text)]
        depth.append(max(inner, default=-1) + 1)
    return [[at for at, each in enumerate(depth) if each == level] for level in range(max(depth, default=-1) + 1)]


def _without_comments(text: str) -> str:
    return re.sub(r"  # .*", "", text)


def _fresh(wanted: str, taken: set[str]) -> str:
    name, count = wanted, 1
    while name in taken:
        count += 1
        name = f"{wanted}{count}" if wanted[:1].isupper() else f"{wanted}_{count}"
    taken.add(name)
    return name


def _one(name: str, group: Sequence[Definition], texts: Sequence[str]) -> tuple[str, list[str]]:
    """Return the text of definitions that differ in numbers, and the arguments for each."""
    first = group[0]
    codes = [_without_comments(each) if len(texts) > 1 else each for each in texts]
    columns = list(zip(*([int(each) for each in _MARKED.findall(code)] for code in codes), strict=True))
    parameters: dict[tuple[int, ...], str] = {}
    for column in columns:
        if len(set(column)) > 1 and column not in parameters:
            parameters[column] = _parameter(column, group, set(parameters.values()))
    values = iter(columns)
    code = codes[0]
    init, _, forward = code.partition("\f")
    init = _MARKED.sub(lambda match: parameters.get(next(values), match[1]), init)
    used: dict[str, None] = {}

    def in_forward(match: re.Match[str]) -> str:
        parameter = parameters.get(next(values))
        if parameter is None:
            return match[1]
        used[parameter] = None
        return f"self.{parameter}" if first.is_module else parameter

    forward = _MARKED.sub(in_forward, forward)
    signature, *init_lines = init.strip("\n").split("\n")
    lines = [line for line in forward.strip("\n").split("\n") if line]
    stored = [f"self.{each} = {each}" for each in used]
    arguments = [", ".join(f"{each}={column[at]}" for column, each in parameters.items()) for at in range(len(group))]
    if not first.is_module:
        return _function(name, signature, lines), arguments
    return _class(name, signature, list(parameters.values()), [*stored, *init_lines], lines), arguments


def _parameter(column: tuple[int, ...], group: Sequence[Definition], taken: set[str]) -> str:
    known = [
        name
        for name in group[0].symbols
        if all(each.symbols.get(name) == value for each, value in zip(group, column, strict=True))
    ]
    name = next((each for each in known if each not in taken), "n")
    return _fresh(name, set(taken))


def _class(name: str, signature: str, parameters: Sequence[str], init: Sequence[str], lines: Sequence[str]) -> str:
    given = "".join(f", {each}: int" for each in parameters)
    head = [f"class {name}(nn.Module):", f"    def __init__(self{given}) -> None:", "        super().__init__()"]
    head += [f"        {each}" for each in init if each]
    head += ["", f"    def forward(self{signature}):"]
    return "\n".join([*head, *(f"        {each}" for each in lines)])


def _function(name: str, signature: str, lines: Sequence[str]) -> str:
    return "\n".join([f"def {name}({signature.removeprefix(', ')}):", *(f"    {each}" for each in lines)])
