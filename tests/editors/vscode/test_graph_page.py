"""The page that ``snd graph -o x.html`` writes, in a browser: it opens operators, finds, selects and exports."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.server.processes import ROOT, environment

playwright = pytest.importorskip("playwright.sync_api")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "lenet.html"
    command = [sys.executable, "-m", "snd_server", "graph", str(ROOT / "examples" / "lenet"), "-o", str(path)]
    subprocess.run(command, env=environment(), check=True, timeout=120)
    return path


@pytest.fixture
def page(browser: playwright.Browser, file: Path) -> Iterator[playwright.Page]:
    page = browser.new_page(viewport={"width": 1000, "height": 700})
    page.set_default_timeout(60_000)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "request", lambda request: wrong.append(request.url) if not request.url.startswith(("file:", "blob:")) else None
    )
    page.goto(file.as_uri())
    page.wait_for_selector(".snd .node")
    yield page
    page.close()
    assert not wrong


def test_an_operator_opens_and_closes_where_it_is(page: playwright.Page):
    head = page.locator('[data-path="conv1"]')
    before = head.bounding_box()
    page.click('[data-path="conv1"] .toggle')
    page.wait_for_selector('[data-path="conv1/output"]')
    after = head.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(before["y"] - after["y"]) < 2
    page.click('[data-path="conv1"] .toggle')
    page.wait_for_selector('[data-path="conv1/output"]', state="detached")


def test_what_is_closed_is_found_and_shown(page: playwright.Page):
    page.keyboard.press("/")
    page.keyboard.type("nn.conv")
    playwright.expect(page.locator(".count")).to_have_text("2 found")
    page.keyboard.press("Enter")
    page.wait_for_selector('[data-path="conv1/output"]')
    playwright.expect(page.locator(".mark.selected")).to_have_count(1)
    playwright.expect(page.locator(".detail h2")).to_have_text("nn.conv")
    playwright.expect(page.locator(".detail")).to_contain_text("real[1,6,28,28]")


def test_keys_move_the_selection_along_edges(page: playwright.Page):
    page.click('[data-path="tanh1"]')
    page.keyboard.press("ArrowDown")
    playwright.expect(page.locator(".detail h2")).to_have_text("nn.avg_pool")
    page.keyboard.press("ArrowUp")
    playwright.expect(page.locator(".detail h2")).to_have_text("math.tanh")
    page.keyboard.press("Escape")
    playwright.expect(page.locator(".detail")).to_be_hidden()


def test_exports(page: playwright.Page, tmp_path: Path):
    files = {}
    for kind in ("SVG", "PNG"):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Export as {kind}").click()
        files[kind] = tmp_path / download.value.suggested_filename
        download.value.save_as(files[kind])
    assert "LeNet5" in (ElementTree.parse(files["SVG"]).getroot().get("aria-label") or "")
    assert files["PNG"].read_bytes().startswith(b"\x89PNG")
    assert files["PNG"].stat().st_size > 20_000


def test_two_thousand_operations_in_a_row(browser: playwright.Browser, tmp_path: Path):
    """More than the stack of a worker has room for, if anything recurses from one to the next."""
    lines = "\n".join(f"t{at} = nn.relu({f't{at - 1}' if at else 'x'});" for at in range(2000))
    head = "import nn;\ngraph g { @input { x: real[3]; } @output { y: real[3]; } @compose {"
    graph = f"{head} {lines} y = nn.relu(t1999); }} }}"
    (tmp_path / "main.sknd").write_text(graph)
    command = [sys.executable, "-m", "snd_server", "graph", str(tmp_path), "-o", str(tmp_path / "long.html")]
    subprocess.run(command, env=environment(), check=True, timeout=120)
    page = browser.new_page(viewport={"width": 1000, "height": 700})
    page.goto((tmp_path / "long.html").as_uri())
    page.wait_for_selector('[data-path="t0"]', timeout=120_000)
    assert page.locator(".snd .node").count() < 200, "only what is in sight is in the document"
    page.close()
