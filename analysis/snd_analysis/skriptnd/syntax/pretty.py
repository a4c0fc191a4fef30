"""Expressions and shapes as their author would write them, for messages."""

from __future__ import annotations

from snd_analysis.skriptnd.limits import LONGEST_SHOWN_PACK
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import Integer


def element_of(node: nodes.Node, rank: Integer | None) -> str:
    """Return how an element of a tensor of this rank is written, for messages: ``x[i,]``."""
    name = written(node) if isinstance(node, nodes.Name | nodes.Qualified | nodes.Subscript) else "x"
    indices = {0: "", 1: "i,"}.get(-1 if rank is None or rank.value is None else rank.value, "i, j")
    return f"{name}[{indices}]"


def shown_pack(node: nodes.Node) -> str:
    """Return a pack in a message: its text, if that is short."""
    text = written(node)
    return f"'{text}'" if len(text) <= LONGEST_SHOWN_PACK else "the pack"


def naming_pack(message: str, node: nodes.Node) -> str:
    """Return a message about "the pack" that a node takes items of, or replaces items of, with that pack named."""
    if isinstance(node, nodes.Subscript | nodes.Substitution):
        return message.replace("the pack,", f"{shown_pack(node.target)},")
    return message


def written(node: nodes.Node) -> str:
    """Return an expression, list item, extent or shape on one line, spaced as usual."""
    match node:
        case nodes.Name(text=text) | nodes.TypeName(text=text) | nodes.Operator(text=text):
            return text
        case nodes.Qualified():
            return node.text
        case nodes.Tilde():
            return "~"
        case nodes.Literal():
            return _literal(node)
        case nodes.String():
            return '"' + "".join(_string_part(part) for part in node.parts) + '"'
        case nodes.List(items=items) | nodes.Index(items=items):
            comma = "," if isinstance(node, nodes.Index) and node.trailing_comma else ""
            return f"[{_joined(items)}{comma}]"
        case nodes.Zip(items=items):
            return f"({_joined(items)})"
        case nodes.Range(first=first, last=last, step=step):
            return f"{_part(first)}:{_part(last)}" + (f":{written(step)}" if step is not None else "")
        case nodes.Expanded(item=item, expansion=expansion):
            return _expanded(written(item), item, expansion)
        case nodes.Subscript(target=target, index=index):
            return written(target) + written(index)
        case nodes.Substitution(target=target, index=index, value=value):
            return f"{written(target)}{written(index)} <- {written(value)}"
        case nodes.Unary(operator=operator, operand=operand):
            return operator.text + written(operand)
        case nodes.Binary(left=left, operator=operator, right=right):
            return f"{written(left)} {operator.text} {written(right)}"
        case nodes.Fold(operand=operand, operator=operator, cumulative=cumulative):
            return f"{written(operand)} {operator.text} {'...' if cumulative else '..'}"
        case nodes.Select(condition=condition, consequent=consequent, alternative=alternative):
            otherwise = "" if alternative is None else f" : {written(alternative)}"
            return f"{written(condition)} ? {written(consequent)}{otherwise}"
        case nodes.Coalesce(value=value, fallback=fallback):
            return f"{written(value)} ?? {written(fallback)}"
        case nodes.Call(function=function, arguments=arguments):
            generics = "" if node.generics is None else f"<{_joined(node.generics.items)}>"
            attributes = "" if node.attributes is None else f"{{{_joined(node.attributes.items)}}}"
            return f"{function.text}{generics}{attributes}({_joined(arguments)})"
        case nodes.Attribute(name=name, value=value):
            return f"{name.text}={written(value)}"
        case nodes.Cast(type=type_, value=value):
            return f"{type_.text}({_part(value)})"
        case nodes.Parenthesized(inner=inner):
            return f"({written(inner)})"
        case nodes.Bounded(value=value, below=below, above=above):
            remap = "" if below is None else f" <> {written(below)} : {_part(above)}"
            return f"|{written(value)}{remap}|"
        case nodes.Shape(extents=extents):
            return ",".join(written(extent) for extent in extents)
        case nodes.Extent():
            return _extent(node)
    return "…"


def _literal(node: nodes.Literal) -> str:
    if node.type == "bool":
        return "true" if node.value else "false"
    return repr(node.value)


def _string_part(part: nodes.Text | nodes.Field) -> str:
    return part.value if isinstance(part, nodes.Text) else "{" + written(part.value) + "}"


def _joined(items: tuple[nodes.Node, ...]) -> str:
    return ", ".join(written(item) for item in items)


def _part(node: nodes.Node | None) -> str:
    return "" if node is None else written(node)


def _expanded(text: str, item: nodes.Node, expansion: nodes.Expansion) -> str:
    # `1..` would read as the real number `1.` and a dot.
    space = " " if isinstance(item, nodes.Literal) else ""
    length = "" if expansion.length is None else f"({written(expansion.length)})"
    return f"{text}{space}..{length}"


def _extent(node: nodes.Extent) -> str:
    text = ("static " if node.static else "") + (".." if node.spread else "") + written(node.value)
    last: nodes.Node = node.value
    if node.bound is not None:
        text, last = f"{text}|{written(node.bound)}", node.bound
    return text if node.expansion is None else _expanded(text, last, node.expansion)
