"""Values of attributes, generic types and shapes of inputs as a command line gives them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from snd_analysis import rules
from snd_analysis.base import Severity
from snd_analysis.compose import InputShapes, Member, Template
from snd_analysis.skriptnd.evaluate import EvaluationError, evaluate
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import close_matches, nodes, parse_expression
from snd_analysis.skriptnd.types import ALLOWED, CONCRETE
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import NULL, UNDEFINED, Pack, Value, dtype_of, format_value
from snd_analysis.workspace import Workspace
from snd_server.limits import LONGEST_ARGUMENT, MOST_ARGUMENT_EXTENTS, MOST_ARGUMENT_ITEMS

_NULL = "~"
_WRITTEN = {"--attrib": "VALUE", "--type": "TYPE", "--input": "SHAPE"}
_EXTENT = re.compile(r"\d{1,18}")


class ArgumentError(Exception):
    """An argument of the command line that the graph does not declare, or whose form does not fit."""


class CompositionArguments(Struct, frozen=True):
    """The arguments for composing a graph."""

    attributes: dict[str, Value] = field(default_factory=dict)
    dtypes: dict[str, str] = field(default_factory=dict)
    inputs: dict[str, InputShapes] = field(default_factory=dict)


def parse_arguments(
    template: Template, attributes: Sequence[str], inputs: Sequence[str], types: Sequence[str] = ()
) -> CompositionArguments:
    """Read ``NAME=VALUE`` and ``NAME=SHAPE``, as the declarations of a graph ask for. Raise ArgumentError.

    Generic types are among ``attributes``, or apart in ``types``.
    """
    given = CompositionArguments()
    members = {member.name: member for member in template.attributes}
    generics = {generic.name.text: generic.base.text for generic in template.generics}
    pairs = [_Pair("--type", *_parted("--type", item)) for item in types]
    _demand_known(template, pairs, "generic type", generics)
    pairs += [_Pair("--attrib", *_parted("--attrib", item)) for item in attributes]
    _demand_known(template, pairs, "attribute", (*members, *generics))
    for pair in pairs:
        if pair.name in generics:
            given.dtypes[pair.name] = _dtype(pair, generics[pair.name])
    for pair in pairs:
        if pair.name in members:
            given.attributes[pair.name] = _value(pair, members[pair.name], generics, given.dtypes)
    tensors = {member.name: member for member in template.inputs}
    pairs = [_Pair("--input", *_parted("--input", item, tensors)) for item in inputs]
    _demand_known(template, pairs, "input", tensors)
    for pair in pairs:
        given.inputs[pair.name] = _shapes(pair, tensors[pair.name])
    return given


class _Pair(Struct, frozen=True):
    option: str
    name: str
    text: str

    def wrong(self, why: str) -> ArgumentError:
        return ArgumentError(f"{self.option} {self.name}={self.text}: {why}")


def named(item: str, names: Iterable[str] = ()) -> tuple[str, str]:
    """Return the name and the value of ``NAME=VALUE``; two empty texts for another form.

    ``names`` are known: names of NNEF 1.0 may have ':' and '=', and may be given in quotes as there, ``i"in:0"``.
    """
    for name in names:
        for written in (name, f'i"{name}"', f"i'{name}'"):
            if item.startswith(f"{written}="):
                return name, item[len(written) + 1 :]
    target, equals, text = item.partition("=")
    return (target.strip(), text) if equals else ("", "")


def _parted(option: str, item: str, names: Iterable[str] = ()) -> tuple[str, str]:
    name, text = named(item, names)
    if not name:
        raise ArgumentError(f"{option} {item}: write NAME={_WRITTEN[option]}")
    return name, text.strip()


def _demand_known(template: Template, pairs: Sequence[_Pair], what: str, names: Iterable[str]) -> None:
    known, seen = list(names), set[str]()
    for pair in pairs:
        if pair.name not in known:
            raise unknown_name(template, what, pair.name, known)
        if pair.name in seen:
            raise pair.wrong(f"'{pair.name}' is given twice")
        seen.add(pair.name)


def unknown_name(template: Template, what: str, name: str, known: Sequence[str]) -> ArgumentError:
    """Return the error of an attribute or input that a definition does not have. ``what`` is the wanted kind."""
    owner = f"{template.definition.kind} '{template.shown}'"
    if what == "input" and any(member.name == name for member in template.attributes):
        return ArgumentError(f"'{name}' is an attribute of the {owner}: write --attrib {name}=…")
    if what == "attribute" and any(member.name == name for member in template.inputs):
        return ArgumentError(f"'{name}' is an input of the {owner}: write --input {name}=…")
    return ArgumentError(f"the {owner} has no {what} '{name}'; {among(name, known)}")


def among(name: str, known: Sequence[str]) -> str:
    """Return the names that there are, for an unknown one:``did you mean …``, or all of them."""
    close = close_matches(name, known)
    if close:
        return f"did you mean '{close[0]}'?"
    return f"it has {', '.join(repr(each) for each in known)}" if known else "it has none"


# ---- types and attributes --------------------------------------------------------------------------------------------
def _dtype(pair: _Pair, base: str) -> str:
    allowed = [name for name in CONCRETE if name in ALLOWED[base]]
    if pair.text not in allowed:
        types = ", ".join(f"'{name}'" for name in allowed[:-1])
        raise pair.wrong(f"'{pair.name}' is a generic type of '{base}': write {types} or '{allowed[-1]}'")
    return pair.text


def _value(pair: _Pair, member: Member, generics: Mapping[str, str], dtypes: dict[str, str]) -> Value:
    """Return the value of an attribute.

    A generic type that is not given is deduced from it, as in an invocation (2.13).
    """
    node = member.node
    if pair.text == _NULL:
        if not node.optional:
            raise pair.wrong(f"'{member.name}' is not optional, so it can't be null")
        return NULL
    generic = node.type.text if node.type.text in generics else None
    wanted = dtypes.get(generic) if generic is not None else node.type.text
    if wanted == "str" and _is_bare(pair.text, node.pack is not None):
        return pair.text
    value = _evaluated(pair, _asked(member, wanted or f"{generic}: {generics[generic or '']}"))
    return _fitting(pair, member, generics, dtypes, value)


def demand_types(template: Template, attributes: Mapping[str, Value], types: Mapping[str, str]) -> None:
    """Demand that attributes and generic types that Python gives are as a graph declares them. Raise ArgumentError."""
    members = {member.name: member for member in template.attributes}
    generics = {generic.name.text: generic.base.text for generic in template.generics}
    dtypes = {name: _dtype(_Pair("type", name, str(text)), generics[name]) for name, text in types.items()}
    for name, value in attributes.items():
        pair = _Pair("attribute", name, format_value(value))
        if value is not NULL:
            _fitting(pair, members[name], generics, dtypes, value)
        elif not members[name].node.optional:
            raise pair.wrong(f"'{name}' is not optional, so it can't be null")


def _fitting(pair: _Pair, member: Member, generics: Mapping[str, str], dtypes: dict[str, str], value: Value) -> Value:
    """Return a value that fits the type of an attribute; an unbound generic type is bound to the type of the value."""
    node = member.node
    generic = node.type.text if node.type.text in generics else None
    wanted = dtypes.get(generic) if generic is not None else node.type.text
    asked = _asked(member, wanted or f"{generic}: {generics[generic or '']}")
    if isinstance(value, Pack) and node.pack is None:
        raise pair.wrong(f"'{member.name}' is a single value, {asked}, not a list")
    for item in _items(pair, value):
        found = dtype_of(item)
        if generic is not None and wanted is None and found in ALLOWED[generics[generic]]:
            wanted = dtypes[generic] = found
        elif found != wanted:
            asked = asked if wanted is None else _asked(member, wanted)
            raise pair.wrong(f"'{member.name}' is {asked}, and this is '{found}'")
    return value


def _items(pair: _Pair, value: Value) -> Iterable[Value]:
    """Return the items of a list, each once; or the single value.

    Numbers that are too large to be known are refused.
    """
    for item in value.elements if isinstance(value, Pack) else (value,):
        if isinstance(item, Integer) and item.value is None:
            raise pair.wrong("this number is larger than snd can handle")
        yield item


def _is_bare(text: str, packed: bool) -> bool:
    """Return whether a string is written without quotes, as shells like it."""
    return text[:1] not in ("'", '"') and not (packed and text[:1] in ("[", "("))


def _asked(member: Member, dtype: str) -> str:
    return f"{'a pack of' if member.node.pack is not None else 'of type'} '{dtype}'"


class _NoNames:
    """The environment of a value on the command line."""

    composing = True

    def lookup(self, node: nodes.Qualified) -> Value:
        return UNDEFINED

    def dtype(self, node: nodes.TypeName | nodes.Qualified) -> str | None:
        return None


def _evaluated(pair: _Pair, asked: str) -> Value:
    wanted = f"'{pair.name}' is {asked}"
    if len(pair.text) > LONGEST_ARGUMENT:
        raise ArgumentError(f"{pair.option} {pair.name}=…: this is longer than {LONGEST_ARGUMENT:,} characters")
    node, problems = parse_expression(pair.text)
    wrong = [problem for problem in problems if problem.rule.severity is Severity.ERROR]
    if wrong:
        # The parser reports problems of the whole at the field of a string, which is one expression, too.
        because = wrong[0].message.rpartition(": ")[2] if wrong[0].rule == rules.MALFORMED_FORMAT else wrong[0].message
        raise pair.wrong(f"{wanted}, and this is not one expression: {because}")
    for each in nodes.descendants(node):
        if isinstance(each, nodes.Qualified) and not _is_function(node, each):
            hint = ": write a string in quotes" if "str" in asked else ""
            raise pair.wrong(f"{wanted}, and there is nothing here that '{each.text}' could name{hint}")
    mistake = _typing_mistake(pair.text)
    if mistake is not None:
        raise pair.wrong(f"{wanted}, and this has no value: {mistake}")
    try:
        _count_items(pair, node)
        value = evaluate(node, _NoNames())
    except EvaluationError as error:
        raise pair.wrong(f"{wanted}, and this has no value: {error.message}") from None
    if value is UNDEFINED or value is NULL:
        raise pair.wrong(f"{wanted}, and this has no value")
    return value


class _NoFiles:
    """The reader of an analysis that is given its only text."""

    def read(self, path: str) -> str:
        raise FileNotFoundError(path)

    def exists(self, path: str) -> bool:
        return False


def _typing_mistake(text: str) -> str | None:
    """Return the type error in an expression: it is checked in a definition of its own, but not composed."""
    head, path = "graph g { @using { v = ", "value.sknd"
    workspace = Workspace(_NoFiles())
    workspace.open(path, f"{head}{text}\n; }} }}")
    problems = workspace.snapshot().definition_problems(OperatorName(path, "g"))
    inside = range(len(head), len(head) + len(text))
    wrong = (each for each in problems if each.span.start in inside and each.rule.severity is Severity.ERROR)
    return next((each.message for each in wrong), None)


def _count_items(pair: _Pair, node: nodes.Node) -> int:
    """Return the maximum number of items in ranges and repetitions of an expression without names.

    It is computed before the items are made.
    """
    count = sum(_count_items(pair, child) for child in nodes.children(node))
    if isinstance(node, nodes.Range) and node.first is not None and node.last is not None:
        first, last = _integer(node.first), _integer(node.last)
        step = 1 if node.step is None else _integer(node.step)
        count += abs(last - first) // max(abs(step), 1)
    elif isinstance(node, nodes.Expanded) and node.expansion.length is not None:
        count = max(count, 1) * max(_integer(node.expansion.length), 0)
    if count > MOST_ARGUMENT_ITEMS:
        raise pair.wrong(f"lists here have at most {MOST_ARGUMENT_ITEMS:,} items")
    return count


def _integer(node: nodes.Expression) -> int:
    value = evaluate(node, _NoNames())
    if not isinstance(value, Integer):
        return 0
    return MOST_ARGUMENT_ITEMS * MOST_ARGUMENT_ITEMS if value.value is None else value.value


def _is_function(root: nodes.Node, name: nodes.Qualified) -> bool:
    return any(isinstance(each, nodes.Call) and each.function is name for each in nodes.descendants(root))


# ---- shapes of inputs ------------------------------------------------------------------------------------------------
def _shapes(pair: _Pair, member: Member) -> InputShapes:
    node = member.node
    if pair.text == _NULL:
        if not node.optional:
            raise pair.wrong(f"'{member.name}' is not optional, so it can't be null")
        return None
    shapes = tuple(_shape(pair, each) for each in pair.text.split(";"))
    if node.pack is None and len(shapes) > 1:
        raise pair.wrong(f"'{member.name}' is a single tensor, and these are {len(shapes)} shapes")
    return shapes


def _shape(pair: _Pair, text: str) -> tuple[int, ...]:
    text = text.strip().removeprefix("[").removesuffix("]")
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    if len(parts) > MOST_ARGUMENT_EXTENTS or not all(_EXTENT.fullmatch(part) for part in parts):
        raise pair.wrong("write the extents of a shape as numbers, as in 1,3,224,224")
    return tuple(int(part) for part in parts)
