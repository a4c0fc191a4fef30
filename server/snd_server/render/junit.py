"""JUnit XML: a suite per file, a case per diagnostic; what fails the run is a failure, the rest is output."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from junitparser import Failure, JUnitXml, TestCase, TestSuite

from snd_analysis.base import Diagnostic
from snd_server.render.visible import one_line, visible
from snd_server.report import Report

_COMMAND = re.compile(r"(?<=##)\[|(?<=##vso)\[")
"""What CI systems take for the beginning of a command, wherever it stands."""
_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n'


def render(report: Report) -> str:
    """Return the document. Characters that XML cannot hold are made visible."""
    document = JUnitXml("snd")
    cases: dict[str, list[TestCase]] = {path: [] for path in report.files}
    for diagnostic in report.diagnostics:
        cases.setdefault(diagnostic.location.path, []).append(_case(diagnostic, report))
    for path, found in cases.items():
        suite = TestSuite(visible(path))
        suite.add_testcases(found or [TestCase("clean", classname=visible(path))])
        document.add_testsuite(suite)
    document.update_statistics()  # type: ignore[no-untyped-call]
    ElementTree.indent(document._elem)
    text = ElementTree.tostring(document._elem, encoding="unicode")
    return f"{_DECLARATION}{_COMMAND.sub('&#91;', text)}\n"


def _case(diagnostic: Diagnostic, report: Report) -> TestCase:
    start = report.start(diagnostic.location)
    path = visible(diagnostic.location.path)
    place = f"{path}:{start.line}:{start.column}"
    case = TestCase(f"{diagnostic.rule.name} at {start.line}:{start.column}", classname=path)
    case._elem.set("file", path)
    case._elem.set("line", str(start.line))
    text = f"{place}: {diagnostic.severity}: {one_line(diagnostic.message)}"
    if report.fails(diagnostic):
        failure = Failure(one_line(diagnostic.message), diagnostic.rule.name)
        failure.text = text
        case.result = [failure]
    else:
        case.system_out = text
    return case
