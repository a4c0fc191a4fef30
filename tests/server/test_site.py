"""The documents as a site: all pages are in its navigation, links lead somewhere, references are those of the code."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from snd_analysis.rules import catalogue
from snd_server import rule_url
from support import reference
from support.server.processes import ROOT, environment

yaml = pytest.importorskip("yaml")

DOCS = ROOT / "docs"
PAGES = {path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in sorted(DOCS.rglob("*.md"))}
_CODE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!\\)\]\((?!https?:)([^)\s]+)\)")


def site() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    return loaded


def in_navigation(entries: list[Any]) -> Iterator[str]:
    for entry in entries:
        for value in entry.values() if isinstance(entry, dict) else (entry,):
            yield from in_navigation(value) if isinstance(value, list) else (value,)


def test_every_page_is_in_the_navigation_once():
    assert sorted(in_navigation(site()["nav"])) == sorted(PAGES)


def test_evidence_is_in_its_own_section():
    (evidence,) = (each["Evidence"] for each in site()["nav"] if "Evidence" in each)
    assert {"evidence.md", "requirements.md", "decisions.md", "onnx.md", "formats.md", "intrinsics.md"} == set(evidence)
    index = PAGES["evidence.md"]
    assert set(re.findall(r"\((\S+\.md)\)", index)) == {*evidence} - {"evidence.md"}
    for name in PAGES.keys() - {*evidence}:
        assert not re.search(r"`?tests/\w|--exhaustive|pytest", PAGES[name]), f"{name} contains evidence"


@cache
def anchors(text: str) -> set[str]:
    """Return the anchors of the headings of a page, as Python-Markdown makes them."""
    titles = re.findall(r"^#+ (.+)$", _CODE.sub("", text), re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title) for title in titles)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in plain}


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str):
    for link in _LINK.findall(re.sub(r"`[^`\n]+`", "", _CODE.sub("", PAGES[name]))):
        path, _, anchor = link.partition("#")
        target = (DOCS / name).parent / path if path else DOCS / name
        assert target.is_file(), link
        assert target.resolve().is_relative_to(DOCS), f"{link}: the site has no such page"
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), link


def test_every_rule_has_its_page_on_the_site(monkeypatch):
    monkeypatch.delenv("SND_DOCS_URL", raising=False)
    assert rule_url("type-mismatch") == "docs/rules.md#type-mismatch"
    monkeypatch.setenv("SND_DOCS_URL", "https://docs.example/snd/")
    assert rule_url("type-mismatch") == "https://docs.example/snd/rules/#type-mismatch"
    assert set(catalogue.names()) <= anchors(PAGES["rules.md"])


def test_every_decision_has_tests():
    """They are not in the page of the decisions itself: a reader of the language needs no tests."""
    decisions = PAGES["language.md"].partition("\n## The standard library")[0]
    titles = re.findall(r"^### (.+)$", decisions, re.MULTILINE)
    rows = re.findall(r"^\| (.+?) \| (`.+`) \|$", PAGES["decisions.md"], re.MULTILINE)
    assert [title for title, _ in rows[: len(titles)]] == titles
    for title, tests in rows:
        for path in re.findall(r"`([^`]+)`", tests):
            assert (ROOT / path).exists(), (title, path)


@pytest.mark.parametrize("name", reference.pages())
def test_reference_pages_are_those_of_the_code(name: str, request: pytest.FixtureRequest):
    """``make docs`` and ``pytest --update-goldens`` write them."""
    text = reference.pages()[name]
    if request.config.getoption("--update-goldens"):
        (DOCS / name).write_text(text, encoding="utf-8", newline="")
    assert (DOCS / name).read_text(encoding="utf-8") == text


def test_formulas_are_mathml_on_the_site():
    """Browsers show MathML without a script, so the site needs no network."""
    pytest.importorskip("latex2mathml", reason="the development package latex2mathml is not installed")
    hooks = runpy.run_path(str(ROOT / "mkdocs_hooks.py"))
    page = hooks["on_page_markdown"](PAGES["library/nn.md"])
    assert "```math" not in page
    assert page.count("<math ") == PAGES["library/nn.md"].count("```math") > 10


@pytest.mark.exhaustive
def test_the_site_is_built_without_a_warning(tmp_path):
    pytest.importorskip("material", reason="the development package mkdocs-material is not installed")
    pytest.importorskip("latex2mathml", reason="the development package latex2mathml is not installed")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env={**environment(), "NO_MKDOCS_2_WARNING": "1"}, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    rules = (tmp_path / "rules" / "index.html").read_text(encoding="utf-8")
    assert all(f'id="{name}"' in rules for name in catalogue.names())
    pages = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.html")]
    assert not any(re.search(r'(?:src|rel="stylesheet" href)="https?://', page) for page in pages), "nothing is loaded"
