"""JUnit XML: a suite per file, a case per sample that was run, and per problem elsewhere."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from junitparser import Failure, JUnitXml, TestCase, TestSuite

from snd_analysis.base import Diagnostic, Location
from snd_server.checking.report import Report, TestedSample
from snd_server.console.visible import one_line, visible

_COMMAND = re.compile(r"(?<=##)\[|(?<=##vso)\[")
"""Texts that CI systems take for the beginning of a command, wherever they are."""
_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n'


def render(report: Report) -> str:
    """Return the document. Characters that XML cannot hold are made visible."""
    document = JUnitXml("snd")
    cases: dict[str, list[TestCase]] = {path: [] for path in report.files}
    left = list(report.diagnostics)
    for sample in report.samples or ():
        about = [each for each in left if _is_about(each, sample)]
        left = [each for each in left if each not in about]
        cases.setdefault(sample.location.path, []).append(_sample_case(sample, about, report))
    for diagnostic in left:
        cases.setdefault(diagnostic.location.path, []).append(_case(diagnostic, report))
    for path, found in cases.items():
        if not found and report.samples is not None:
            continue  # a file without samples has passed no test
        suite = TestSuite(visible(path))
        suite.add_testcases(found or [TestCase("clean", classname=visible(path))])
        document.add_testsuite(suite)
    document.update_statistics()  # type: ignore[no-untyped-call]
    ElementTree.indent(document._elem)
    text = ElementTree.tostring(document._elem, encoding="unicode")
    return f"{_DECLARATION}{_COMMAND.sub('&#91;', text)}\n"


def _is_about(diagnostic: Diagnostic, sample: TestedSample) -> bool:
    found, place = diagnostic.location, sample.location
    return found.path == place.path and place.span.start <= found.span.start <= place.span.end


def _sample_case(sample: TestedSample, about: list[Diagnostic], report: Report) -> TestCase:
    case = _placed(f"{sample.name} at {report.start(sample.location).line}", sample.location, report)
    case.time = round(sample.seconds, 3)
    case.result = [_failure(each, report) for each in about if report.fails(each)]
    if remarks := [_text(each, report) for each in about if not report.fails(each)]:
        case.system_out = "\n".join(remarks)
    return case


def _case(diagnostic: Diagnostic, report: Report) -> TestCase:
    start = report.start(diagnostic.location)
    case = _placed(f"{diagnostic.rule.name} at {start.line}:{start.column}", diagnostic.location, report)
    if report.fails(diagnostic):
        case.result = [_failure(diagnostic, report)]
    else:
        case.system_out = _text(diagnostic, report)
    return case


def _placed(name: str, location: Location, report: Report) -> TestCase:
    path = visible(location.path)
    case = TestCase(name, classname=path)
    case._elem.set("file", path)
    case._elem.set("line", str(report.start(location).line))
    return case


def _failure(diagnostic: Diagnostic, report: Report) -> Failure:
    failure = Failure(one_line(diagnostic.message), diagnostic.rule.name)
    failure.text = _text(diagnostic, report)
    return failure


def _text(diagnostic: Diagnostic, report: Report) -> str:
    start = report.start(diagnostic.location)
    place = f"{visible(diagnostic.location.path)}:{start.line}:{start.column}"
    return f"{place}: {diagnostic.severity}: {one_line(diagnostic.message)}"
