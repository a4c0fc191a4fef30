"""A graph in the language of Graphviz: open operators are clusters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from snd_server.limits import ALL_LEVELS, LONGEST_DOT_LABEL, MOST_DOT_ATTRIBUTES, MOST_DOT_NODES

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_SHAPES = {
    "input": ("ellipse", "#e3f0e4"), "capture": ("ellipse", "#ffffff"), "output": ("ellipse", "#fbe9d3"),
    "update": ("ellipse", "#fbe9d3"), "variable": ("box", "#eef0f3"), "constant": ("box", "#f6f1dc"),
    "operation": ("box", "#e8eef6"), "branch": ("box", "#efe6f5"), "loop": ("box", "#efe6f5"),
    "part": ("box", "#ffffff"),
}  # fmt: skip
_COMPOSED = "#dde9e4"


def graph_dot(content: Mapping[str, Any], levels: int) -> str:
    """Return the drawing of a graph view (``docs/graph.schema.json``), with so many levels of operators open."""
    return "\n".join(_Writer(content).lines(levels)) + "\n"


class _Writer:
    def __init__(self, content: Mapping[str, Any]) -> None:
        self._content = content
        self._bodies: Sequence[Mapping[str, Any]] = content["bodies"]
        self._quantized: Mapping[str, str] = content["quantizations"]
        self._written = 0
        self._opens_library = False

    def lines(self, levels: int) -> Iterator[str]:
        yield f"digraph {_quoted(self._content['graph'])} {{"
        yield '  graph [fontname="Helvetica", compound=true, ranksep=0.35, nodesep=0.3];'
        yield '  node [fontname="Helvetica", fontsize=11, style="filled,rounded", color="#c3cad4", margin="0.12,0.06"];'
        yield '  edge [fontname="Helvetica", fontsize=9, color="#8c98a8", fontcolor="#667284", arrowsize=0.6];'
        self._opens_library = levels >= ALL_LEVELS
        yield from self._body(0, "n", levels, "  ")
        yield "}"

    def _body(self, number: int, prefix: str, levels: int, indent: str) -> Iterator[str]:
        body = self._bodies[number]
        self._written += len(body["nodes"])
        opened: dict[int, Mapping[str, Any]] = {}
        for at, node in enumerate(body["nodes"]):
            name = f"{prefix}_{at}"
            inner = node.get("body")
            inside = (levels > 0 and (self._opens_library or not node.get("library"))) or node["kind"] == "part"
            if inner is None or not inside or self._written + len(self._bodies[inner]["nodes"]) > MOST_DOT_NODES:
                yield f"{indent}{name} [{_attributes(node, body, self._quantizations(node, body, number))}];"
                continue
            opened[at] = self._bodies[inner]
            deeper = levels if node["kind"] in ("part", "branch", "loop") else levels - 1
            yield f"{indent}subgraph cluster_{name} {{"
            title = f"{node['title']} {node.get('label') or ''}".strip()
            yield f'{indent}  label={_quoted(title)}; color="#c3cad4"; style="rounded,filled"; fillcolor="#f7f8fa";'
            yield from self._body(inner, name, deeper, indent + "  ")
            yield f"{indent}}}"
        for edge in body["edges"]:
            source = _end(prefix, edge["source"], body, opened, "output")
            target = _end(prefix, edge["target"], body, opened, "input")
            label = _edge_label(edge, body)
            yield f"{indent}{source} -> {target} [label={_quoted(label)}];"

    def _quantizations(self, node: Mapping[str, Any], body: Mapping[str, Any], number: int) -> Iterator[str]:
        """Yield the quantizations of the tensors that a node of the graph itself makes, and of tensors inside it."""
        if number:
            return
        ports = node["inputs"] if node["kind"] in ("output", "update") else node["outputs"]
        names = {body["tensors"][each]["name"].partition("[")[0] for port in ports for each in port["tensors"]}
        scope = f"{node.get('scope') or ''}."
        for name, operator in self._quantized.items():
            if name in names or (scope != "." and name.startswith(scope)):
                yield f"{name} is quantized by {operator.partition('{')[0]}"


def _end(prefix: str, end: Sequence[int], body: Mapping[str, Any], opened: Mapping[int, Any], door: str) -> str:
    """Return the node at the end of an edge.

    For an open node, it is the inner node of the argument or result.
    """
    number, at = end
    name = f"{prefix}_{number}"
    inner = opened.get(number)
    if inner is None:
        return name
    node = body["nodes"][number]
    if door == "output":
        doors = [place for place, each in enumerate(inner["nodes"]) if each["kind"] == "output"]
        return f"{name}_{doors[at]}" if at < len(doors) else f"{name}_0"
    doors = [place for place, each in enumerate(inner["nodes"]) if each["kind"] in ("input", "capture")]
    if node["kind"] in ("branch", "loop"):
        at = sum(1 for port in node["inputs"][:at] if port["tensors"])
        return f"{name}_{doors[at]}" if at < len(doors) else f"{name}_0"
    wanted = node["inputs"][at]["name"]
    return next((f"{name}_{place}" for place in doors if inner["nodes"][place]["title"] == wanted), f"{name}_0")


def _attributes(node: Mapping[str, Any], body: Mapping[str, Any], quantized: Iterable[str]) -> str:
    shape, colour = _SHAPES[node["kind"]]
    if node["kind"] == "operation" and ("body" in node or node.get("cut")):
        colour = _COMPOSED
    lines = [" ".join(filter(None, (node["title"], node.get("label"))))]
    given = [each for each in node.get("attributes", ()) if not each["default"] and each["value"] is not None]
    lines += [f"{each['name']} = {each['text']}" for each in given[:MOST_DOT_ATTRIBUTES]]
    if len(given) > MOST_DOT_ATTRIBUTES:
        lines.append(f"{len(given) - MOST_DOT_ATTRIBUTES} more")
    if node["kind"] not in ("operation", "branch", "loop", "part"):
        port = (node["outputs"] or node["inputs"])[0]
        if port["tensors"]:
            lines.append(_type(body["tensors"][port["tensors"][0]], len(port["tensors"])))
    lines += quantized
    return f'label={_quoted(*lines)}, shape={shape}, fillcolor="{colour}"'


def _edge_label(edge: Mapping[str, Any], body: Mapping[str, Any]) -> str:
    tensors = [body["tensors"][each] for each in edge["tensors"]]
    return f"{tensors[0]['name']}: {_type(tensors[0], len(tensors))}"


def _type(tensor: Mapping[str, Any], count: int) -> str:
    many = tensor.get("count", count)
    shape = "?" if tensor["shape"] is None else ",".join(map(str, tensor["shape"]))
    return f"{tensor['dtype'] or '?'}[{shape}]{'' if many == 1 else f' x {many}'}"


def _quoted(*lines: str) -> str:
    """Return lines as a string of DOT, with all special characters escaped."""
    return '"' + "\\n".join(_escaped(line) for line in lines) + '"'


def _escaped(text: str) -> str:
    text = _CONTROL.sub("\ufffd", text)
    if len(text) > LONGEST_DOT_LABEL:
        text = text[: LONGEST_DOT_LABEL - 1] + "…"
    # '&' begins the name of a character.
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
