"""The text of a module: imports, and a graph with its blocks and comments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from snd_analysis.compose import Member
from snd_analysis.convert.steps import (
    Block,
    BranchStep,
    DefinitionNames,
    GraphStep,
    InvocationStep,
    LocalStep,
    LoopStep,
    number_list,
    numbers,
    rank,
)
from snd_analysis.model import Tensor, TensorKind
from snd_analysis.skriptnd.format import format_text
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer
from snd_analysis.symbolic.values import NULL, ItemRun, Pack, Value, format_value

# ---- the attributes and generic types of an invocation that must be written, with their spelling ---------------------
_OF_WINDOWS = frozenset(["size", "stride", "dilation", "padding"])
"""Lists that are written as one number where all items are equal."""


def written_attributes(step: InvocationStep, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the attributes of an invocation that differ from their defaults, as text.

    ``names`` are names of values, by their spelling.
    """
    for member in step.template.attributes:
        value = step.attributes.get(member.name, NULL)
        named = None if value is NULL else names.get(format_value(value, quoted=True))
        if named is not None:
            yield member.name, named
        elif value is NULL or _is_default(step, member, value):
            continue
        else:
            uniform = _uniform(value) if member.name in _OF_WINDOWS and step.module == "nn" else None
            yield member.name, format_value(value if uniform is None else uniform, quoted=True)


def written_dtypes(step: InvocationStep) -> list[str]:
    """Return the generic types that neither the arguments nor the attributes imply."""
    members = (*step.template.inputs, *step.template.attributes)
    implied = {each.node.type.text for each in members if each.name in step.attributes or each in step.template.inputs}
    return [step.dtypes[each.name.text] for each in step.template.generics if each.name.text not in implied]


def _uniform(value: Value) -> Value | None:
    found = numbers(value)
    return None if not found or len(set(found)) > 1 else number_list(found[:1]).items[0]  # type: ignore[index]


def _is_default(step: InvocationStep, member: Member, value: Value) -> bool:
    default = member.node.default
    if default is None:
        return False
    match default.value:
        case nodes.Literal() | nodes.String():
            if isinstance(value, Pack):
                return bool(value.items) and all(_is_literal(default.value, each) for each in value.items or ())
            return _is_literal(default.value, value)
        case nodes.List(items=(nodes.Range(first=nodes.Literal(value=int(first)), last=nodes.Qualified(), step=None),)):
            count = rank(step.inputs[0]) if step.inputs else None
            return count is not None and numbers(value) == tuple(range(first, count))
        case nodes.List(items=items):
            found = value.items if isinstance(value, Pack) else None
            return (
                found is not None
                and len(found) == len(items)
                and all(_is_literal(node, each) for node, each in zip(items, found, strict=True))
            )
    return False


def _is_literal(node: nodes.Expression | nodes.Node, value: Value) -> bool:
    match node, value:
        case nodes.Literal(type="int", value=written), Integer(value=found):
            return written == found
        case nodes.Literal(type="real", value=written), float():
            return written == value
        case nodes.Literal(type="bool", value=written), _:
            return value is (TRUE if written else FALSE)
        case nodes.String(parts=(nodes.Text(value=written),)), str():
            return written == value
        case nodes.String(parts=()), str():
            return not value
    return False


# ---- the text of a module --------------------------------------------------------------------------------------------
_MARKS = re.compile(r"(>>>|\.\.\. |snd:|\bnoqa\b)")
"""Marks with a meaning in comments of SkriptND."""


NO_NAMES: Mapping[str, str] = {}


class StoredTensor(Struct, frozen=True):
    """A variable of the model, and the file of the source that its values are in."""

    name: str
    source: str
    """The name of the variable in the source."""
    shape: tuple[int, ...]
    dtype: str


class Lines(Struct):
    """Entries of a block, with the comments above and behind them."""

    items: list[str] = field(default_factory=list)

    def add(self, text: str, comments: Sequence[str] = (), behind: str = "") -> None:
        """Add an entry."""
        self.items += map(comment, comments)
        self.items.append(f"{text}  {comment(behind)}" if behind else text)


class GraphText(Struct):
    """The text of a graph."""

    name: str
    documentation: list[str] = field(default_factory=list)
    blocks: dict[str, Lines] = field(default_factory=dict)
    modules: set[str] = field(default_factory=set)

    def block(self, name: str) -> Lines:
        """Return the lines of a block."""
        return self.blocks.setdefault(name, Lines())


_ORDER = ("attrib", "input", "using", "output", "constant", "variable", "assert", "compose", "update", "quantize")


def module_text(head: Iterable[str], graphs: Sequence[GraphText], width: int) -> str:
    """Return a module with these definitions, in the one style."""
    modules = sorted({module for graph in graphs for module in graph.modules if module})
    lines = [*map(comment, head)]
    if modules:
        lines.append(f"import {', '.join(modules)};")
    for graph in graphs:
        lines += ["", *map(comment, graph.documentation), f"{graph.name} {{"]
        for name in _ORDER:
            if name in graph.blocks and graph.blocks[name].items:
                lines += [f"@{name} {{", *graph.blocks[name].items, "}"]
        lines.append("}")
    return format_text("\n".join(lines) + "\n", width)


def comment(text: str) -> str:
    """Return a comment with this text, which says nothing to snd."""
    plain = "".join(each if each.isprintable() else " " for each in text).rstrip()
    return f"# {_MARKS.sub(_harmless, plain)}".rstrip()


def _harmless(match: re.Match[str]) -> str:
    return f"'{match[0]}'"


class Writer:
    """The text of steps and declarations, with the names that tensors have in the text."""

    def __init__(self, names: DefinitionNames) -> None:
        self._names = names
        self._named: dict[Tensor, str] = {}
        self._packs: set[Tensor] = set()
        """Tensors that represent all tensors of a pack."""

    def name(self, tensor: Tensor, wanted: str | None = None) -> str:
        """Return the name of a tensor; the first call decides it."""
        found = self._named.get(tensor)
        if found is None:
            found = self._named[tensor] = self._names.new(wanted or tensor.name)
        return found

    def known(self, tensor: Tensor) -> str | None:
        """Return the name of a tensor; None if it is not written anywhere."""
        return self._named.get(tensor)

    def same(self, tensor: Tensor, other: Tensor) -> None:
        """Give a tensor the name of another one, which it replaces."""
        self._named[tensor] = self.name(other)

    def statement(self, step: GraphStep, names: Mapping[str, str] = NO_NAMES) -> str:
        """Return the statement that makes the results of a step.

        ``names`` are names of attribute values, by their spelling.
        """
        results = ", ".join(self._result(each, isinstance(step, InvocationStep)) for each in step.outputs)
        match step:
            case BranchStep():
                value = f"if {self.argument(step.condition)} then {self._block(step.then, names)}"
                return f"{results} = {value} else {self._block(step.otherwise, names)};"
            case LoopStep():
                return f"{results} = {self._loop(step, names)};"
        # Declarations inside are in the scope of the result; several results give no scope without a label.
        first = step.outputs[0] if isinstance(step, LocalStep) and len(step.outputs) > 1 else None
        label = f"{self.name(first)}: " if isinstance(first, Tensor) else ""
        return f"{results} = {label}{self.invocation(step, names)};"

    def _block(self, block: Block, names: Mapping[str, str]) -> str:
        statements = "\n".join(self.statement(each, names) for each in block.steps)
        results = ", ".join(map(self.argument, block.results))
        return f"{{\n{statements}\nyield {results};\n}}"

    def _loop(self, step: LoopStep, names: Mapping[str, str]) -> str:
        parts = []
        if step.carried:
            locals_ = (f"{self._typed(local, initial)} = {self.argument(initial)}" for local, initial in step.carried)
            parts.append(f"with {', '.join(locals_)}")
        if step.scanned:
            pairs = (f"{self.name(item)} : {self.argument(pack)}" for item, pack in step.scanned)
            parts.append(f"for {', '.join(pairs)}")
        if step.condition is not None:
            parts.append(f"while {self.name(step.condition)}")
        index = "" if step.index is None else f"{self.name(step.index)} -> "
        count = "" if step.count is None else self.argument(step.count)
        times = f"..({index}{count})" if index or count else ""
        return f"{' '.join(parts)} do{times} {self._block(step.body, names)}"

    def _typed(self, local: Tensor, initial: Tensor) -> str:
        """Return the name of a carried tensor; with its type if its initial value is a number for all elements."""
        if not initial.shape and initial.kind is TensorKind.CONSTANT and local.shape:
            return declaration(self.name(local), local).removesuffix(";")
        return self.name(local)

    def invocation(self, step: InvocationStep | LocalStep, names: Mapping[str, str] = NO_NAMES) -> str:
        """Return an invocation: operator, types, attributes, arguments."""
        inputs = [*step.inputs]
        while inputs and inputs[-1] is NULL:
            inputs.pop()
        return f"{self.operator(step, names)}({', '.join(self.argument(each, names) for each in inputs)})"

    def operator(self, step: InvocationStep | LocalStep, names: Mapping[str, str] = NO_NAMES) -> str:
        """Return the operator of an invocation with its types and attributes."""
        if isinstance(step, LocalStep):
            given, dtypes = [*step.attributes.items()], []
        else:
            given, dtypes = [*written_attributes(step, names)], written_dtypes(step)
        attributes = ", ".join(f"{name}={value}" for name, value in given)
        generics = f"<{', '.join(dtypes)}>" if dtypes else ""
        return f"{step.operator}{generics}{f'{{{attributes}}}' if attributes else ''}"

    def argument(self, value: Value, names: Mapping[str, str] = NO_NAMES) -> str:
        """Return an argument: a tensor, a number, or a list of them."""
        match value:
            case Tensor():
                if value.kind is TensorKind.CONSTANT and value.shape == () and value.value is not None:
                    written = format_value(value.value, quoted=True)
                    return names.get(written, written)
                return self.name(value)
            case Pack():
                named = _named_pack(value)
                if named is not None and named in self._packs:
                    return self.name(named)
                return f"[{', '.join(self.argument(each, names) for each in value.items or ())}]"
            case _:
                return "~"

    def _result(self, value: Value, with_length: bool) -> str:
        """Return a result; if ``with_length``, a pack has its length even if that is no number."""
        match value:
            case Tensor():
                return self.name(value)
            case Pack():
                named = _named_pack(value)
                # A tensor that an invocation gives in a list of one is taken by itself.
                if named is not None and not (with_length and value.segments == (named,)):
                    self._packs.add(named)
                    is_named = value.length.value is None and not with_length
                    return self.name(named) if is_named else f"{self.name(named)}..({format_value(value.length)})"
                return f"[{', '.join(self._result(each, with_length) for each in value.items or ())}]"
            case _:
                return "~"


def _named_pack(pack: Pack) -> Tensor | None:
    """Return the tensor for all tensors of a result that is a pack with a name, as loops return."""
    first = pack.segments[0] if pack.segments else None
    if isinstance(first, ItemRun):
        return first.element if isinstance(first.element, Tensor) else None
    return first if isinstance(first, Tensor) and all(each is first for each in pack.segments) else None


def declaration(
    name: str,
    tensor: Tensor,
    bounds: Mapping[str, int] | None = None,
    bound: set[str] | None = None,
    unnamed: Callable[[Integer], int | None] = lambda extent: None,
) -> str:
    """Return the declaration of a tensor. Symbols in ``bounds`` are bounded where they first occur alone.

    ``unnamed`` tells the bound of an extent that depends on data, so that nothing in the module has a name for it.
    """
    parts = []
    for extent in tensor.shape or ():
        text = format_value(extent) if isinstance(extent, Integer) else "?"
        most = unnamed(extent) if isinstance(extent, Integer) else None
        if most is not None:
            text = f"~|{most}"
        if bounds is not None and bound is not None and text in bounds and text not in bound:
            bound.add(text)
            text = f"{text}|{bounds[text]}"
        parts.append(text)
    return f"{name}: {tensor.dtype}[{', '.join(parts)}];"
