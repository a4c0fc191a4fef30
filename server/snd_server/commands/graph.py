"""One run of ``snd graph``: compose a graph, draw it."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from msgspec import Struct

from snd_analysis.base import Location, Severity
from snd_analysis.ide.graph_view import graph_content, graph_view
from snd_server.checking.checker import Checker
from snd_server.checking.plain_report import plain_report
from snd_server.checking.report import Report
from snd_server.console.terminal import json_text
from snd_server.render.drawings.graph_dot import graph_dot
from snd_server.render.drawings.graph_page import graph_page
from snd_server.render.drawings.graph_png import demand_png, graph_png
from snd_server.render.drawings.graph_svg import graph_svg
from snd_server.render.reports.records import record
from snd_server.running.chosen_graph import chosen_graph, compose_chosen
from snd_server.settings.config import Configurations
from snd_server.settings.rule_selection import RuleSettings


class GraphFormat(StrEnum):
    """Format of a drawing."""

    SVG = "svg"
    PNG = "png"
    HTML = "html"
    DOT = "dot"
    JSON = "json"


class GraphRequest(Struct, frozen=True):
    """The request. ``levels`` of operators within operators are open; ``seconds`` limit a picture."""

    path: str
    graph: str | None
    attributes: tuple[str, ...]
    types: tuple[str, ...]
    inputs: tuple[str, ...]
    format: GraphFormat
    levels: int
    theme: str
    seconds: float
    config: str | None


class Drawing(Struct, frozen=True):
    """A drawing, and the problems of the graph; a graph with mistakes is drawn in part."""

    content: bytes
    report: Report

    @property
    def has_errors(self) -> bool:
        """Return whether the graph has mistakes."""
        return any(each.severity is Severity.ERROR for each in self.report.diagnostics)


def draw(request: GraphRequest) -> Drawing:
    """Draw a graph. Raise ShapesError, ConfigError and DrawingError."""
    checker = Checker(Configurations(request.config), RuleSettings())
    snapshot, name, template = chosen_graph(checker, request.path, request.graph)
    composition, diagnostics = compose_chosen(
        checker, snapshot, template, request.attributes, request.inputs, request.types
    )
    report = plain_report(checker, request.path, diagnostics)

    def locate(location: Location) -> dict[str, Any]:
        source = snapshot.source(location.path)
        ends = {"start": source.position(location.span.start), "end": source.position(location.span.end)}
        return {
            "path": location.path,
            "range": {end: {"line": at.line, "column": at.column} for end, at in ends.items()},
        }

    records = [record(each, report) for each in diagnostics if each.severity is not Severity.HINT]
    content = graph_content(graph_view(snapshot, name, composition.graph), composition.attributes, locate, records)
    return Drawing(_written(content, request), report)


def _written(content: dict[str, Any], request: GraphRequest) -> bytes:
    if request.format is GraphFormat.PNG:
        demand_png()
        theme = "light" if request.theme == "auto" else request.theme
        return graph_png(graph_svg(content, request.levels, theme, request.seconds))
    return _text(content, request).encode()


def _text(content: dict[str, Any], request: GraphRequest) -> str:
    match request.format:
        case GraphFormat.JSON:
            return json_text(content, 1)
        case GraphFormat.DOT:
            return graph_dot(content, request.levels)
        case GraphFormat.HTML:
            return graph_page(content)
        case _:
            return graph_svg(content, request.levels, request.theme, request.seconds)
