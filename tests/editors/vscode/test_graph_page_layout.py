"""The page of a drawing at all widths and in all themes: nothing covers anything, and selections stay in sight."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.server.processes import ROOT, environment

playwright = pytest.importorskip("playwright.sync_api")

# As in a panel of VS Code; what it is told is kept.
EDITOR = """
window.told = [];
const editor = { postMessage: (each) => told.push(each), getState: () => window.state, setState() {} };
window.acquireVsCodeApi = () => editor;
"""
# Counts workers, which may be made silent.
WORKERS = """
window.workers = { started: 0, ended: 0 };
const Real = window.Worker;
window.Worker = class extends Real {
  constructor(address) { super(address); workers.started++; }
  postMessage(work) { if (!window.silent) super.postMessage(work); }
  terminate() { workers.ended++; super.terminate(); }
};
"""
NOTICE = "main.sknd:3:4: the shape of the second operand is not that of the first, which it is to be added to " * 2
OpenPage = Callable[..., "playwright.Page"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


def written(folder: Path, name: str, source: Path, suffix: str = "html") -> Path:
    path = folder / f"{name}.{suffix}"
    if not path.exists():
        command = [sys.executable, "-m", "snd_server", "graph", str(source), "-o", str(path)]
        subprocess.run(command, env=environment(), check=True, timeout=120)
    return path


@pytest.fixture(scope="module")
def lenet(folder: Path) -> Path:
    return written(folder, "lenet", ROOT / "examples" / "lenet")


@pytest.fixture(scope="module")
def shared(folder: Path) -> Path:
    """Three hundred operations that all read one mask."""
    lines = "\n".join(f"t{at} = math.add({f't{at - 1}' if at else 'x'}, m);" for at in range(300))
    head = "import math;\ngraph g { @input { x: real[3]; m: real[3]; } @output { y: real[3]; } @compose {"
    (folder / "shared.sknd").write_text(f"{head}\n{lines}\ny = math.exp(t299); }} }}")
    return folder / "shared.sknd"


@pytest.fixture
def open_page(browser: playwright.Browser) -> Iterator[OpenPage]:
    pages = []

    def open_page(file: Path, width: int = 1000, scripts: tuple[str, ...] = (), **options: str) -> playwright.Page:
        page = browser.new_page(viewport={"width": width, "height": 700}, **options)
        pages.append(page)
        page.set_default_timeout(60_000)
        for script in scripts:
            page.add_init_script(script)
        page.goto(file.as_uri())
        return page

    yield open_page
    for page in pages:
        page.close()


def box(page: playwright.Page, selector: str) -> tuple[float, float, float, float]:
    found = page.locator(selector).first.bounding_box()
    assert found is not None, selector
    return found["x"], found["y"], found["x"] + found["width"], found["y"] + found["height"]


def inside(one: tuple[float, ...], other: tuple[float, ...], slack: float = 0.5) -> bool:
    return (
        one[0] >= other[0] - slack
        and one[1] >= other[1] - slack
        and one[2] <= other[2] + slack
        and one[3] <= other[3] + slack
    )


def apart(one: tuple[float, ...], other: tuple[float, ...], slack: float = 0.5) -> bool:
    return (
        one[2] <= other[0] + slack
        or other[2] <= one[0] + slack
        or one[3] <= other[1] + slack
        or other[3] <= one[1] + slack
    )


def settled(page: playwright.Page) -> None:
    """Two frames after the last layout, what was changed is drawn."""
    playwright.expect(page.locator("body.busy")).to_have_count(0)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.mark.parametrize("width", [465, 900, 1600])
def test_nothing_covers_anything(open_page: OpenPage, lenet: Path, width: int):
    page = open_page(lenet, width, (EDITOR,))
    page.wait_for_selector(".snd .node")
    page.evaluate("text => window.postMessage({ type: 'message', text }, '*')", NOTICE)
    page.wait_for_selector(".note:not([hidden])")
    page.keyboard.press("/")
    page.keyboard.type("conv")
    page.keyboard.press("Enter")
    page.wait_for_selector(".mark.selected")
    settled(page)
    parts = {name: box(page, name) for name in (".bar", ".note", ".stage", ".detail")}
    names = sorted(parts)
    for at, name in enumerate(names):
        assert inside(parts[name], (0, 0, width, 700)), name
        for other in names[at + 1 :]:
            assert apart(parts[name], parts[other]), (name, other)
    assert parts[".bar"][3] < 45, "one line"
    controls = page.locator(".bar button, .bar input, .bar .count, .bar h1").all()
    boxes = [each.bounding_box() for each in controls]
    corners = [(each["x"], each["y"], each["x"] + each["width"], each["y"] + each["height"]) for each in boxes if each]
    assert len(corners) == 11
    for at, one in enumerate(corners):
        assert inside(one, parts[".bar"])
        assert all(apart(one, other) for other in corners[at + 1 :])
    assert inside(box(page, ".mark.selected"), parts[".stage"]), "what is selected is in sight"
    page.get_by_role("button", name="Evaluate the graph").click()
    assert {"type": "evaluate"} in page.evaluate("told")


@pytest.mark.parametrize("width", [465, 1000])
def test_a_selection_does_not_move_what_is_in_sight(open_page: OpenPage, lenet: Path, width: int):
    page = open_page(lenet, width)
    node = '[data-path="conv1"]'
    page.wait_for_selector(node)
    settled(page)
    before = box(page, node)
    page.click(node, position={"x": 60, "y": 40})
    page.wait_for_selector(".detail:not([hidden])")
    settled(page)
    assert max(abs(one - other) for one, other in zip(before, box(page, node), strict=True)) < 0.5
    page.keyboard.press("Escape")
    page.wait_for_selector(".detail", state="hidden")
    settled(page)
    assert max(abs(one - other) for one, other in zip(before, box(page, node), strict=True)) < 0.5


def test_a_node_that_the_details_would_cover_comes_into_sight(open_page: OpenPage, lenet: Path):
    page = open_page(lenet, 465)
    page.wait_for_selector(".snd .node")
    settled(page)
    lowest = page.evaluate(
        """() => {
        const bottom = (each) => each.getBoundingClientRect().bottom;
        const whole = [...document.querySelectorAll(".snd .node")].filter((each) => bottom(each) < innerHeight - 5);
        return whole.sort((one, other) => bottom(other) - bottom(one))[0].dataset.path;
        }"""
    )
    page.click(f'[data-path="{lowest}"]', position={"x": 20, "y": 8})
    page.wait_for_selector(".detail:not([hidden])")
    settled(page)
    settled(page)
    assert inside(box(page, ".mark.selected"), box(page, ".stage"))


def test_exports_while_a_node_is_selected(open_page: OpenPage, lenet: Path, tmp_path: Path):
    page = open_page(lenet, 465)
    page.click('[data-path="conv1"]', position={"x": 60, "y": 40})
    page.wait_for_selector(".mark.selected")
    files = {}
    for kind in ("SVG", "PNG"):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Export as {kind}").click()
        files[kind] = tmp_path / download.value.suggested_filename
        download.value.save_as(files[kind])
    root = ElementTree.parse(files["SVG"]).getroot()
    assert "mark" not in " ".join(each.get("class", "") for each in root.iter()), "the selection is the page's own"
    assert len([each for each in root.iter() if each.get("data-path")]) > 8
    assert files["PNG"].read_bytes().startswith(b"\x89PNG")
    assert files["PNG"].stat().st_size > 20_000


@pytest.mark.parametrize(
    ("classes", "scheme", "dark"),
    [
        ("", "dark", True),
        ("", "light", False),
        ("vscode-dark", "light", True),
        ("vscode-light", "dark", False),
        ("vscode-high-contrast", "light", True),
        ("vscode-high-contrast-light vscode-high-contrast", "dark", False),
    ],
)
def test_texts_contrast_with_what_is_behind_them(
    open_page: OpenPage, lenet: Path, classes: str, scheme: str, dark: bool
):
    page = open_page(lenet, color_scheme=scheme)
    page.wait_for_selector(".snd .node")
    page.evaluate("classes => document.body.className = classes", classes)
    fill = "selector => getComputedStyle(document.querySelector(selector)).fill"
    behind = lightness(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    node, text, key = (lightness(page.evaluate(fill, each)) for each in (".snd .box", ".snd .title", ".snd .key"))
    assert (behind < 80, node < 80) == (dark, dark)
    assert abs(text - node) > 150
    assert abs(key - node) > 90


def lightness(colour: str) -> float:
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


def test_names_of_tensors_lead_to_what_gives_them(open_page: OpenPage, folder: Path, shared: Path):
    page = open_page(written(folder, "shared", shared))
    page.wait_for_selector(".reference")
    page.keyboard.press("/")
    page.keyboard.type("t150")
    page.keyboard.press("Enter")
    mark = page.locator(".node").filter(has_text="(t150)").locator(".reference")
    page.wait_for_selector(".mark.selected")
    mark.hover()
    playwright.expect(page.locator(".mark.linked")).to_have_count(300)
    mark.click()
    playwright.expect(page.locator(".detail h2")).to_have_text("m")
    settled(page)
    assert inside(box(page, ".mark.selected"), box(page, ".stage"))
    page.locator(".reference").filter(has_text="↓ m").click()
    playwright.expect(page.locator(".detail h2")).to_have_text("math.add")


def test_a_newer_text_ends_the_layout_of_an_older_one(open_page: OpenPage, folder: Path, lenet: Path, shared: Path):
    older = json.loads(written(folder, "shared", shared, "json").read_text())
    newer = json.loads(written(folder, "lenet", ROOT / "examples" / "lenet", "json").read_text())
    page = open_page(lenet, scripts=(EDITOR, WORKERS))
    page.wait_for_selector(".snd .node")
    assert page.evaluate("workers") == {"started": 1, "ended": 0}
    page.evaluate(
        """(models) => { for (const model of models) window.postMessage({ type: "graph", model, key: "k" }, "*"); }""",
        [older, newer],
    )
    # Messages arrive later than they are sent, and the expected state equals the present one.
    page.wait_for_function("() => workers.ended === 1")
    playwright.expect(page.locator("body.busy")).to_have_count(0)
    playwright.expect(page.locator(".bar h1")).to_have_text("LeNet5")
    page.wait_for_selector('[data-path="conv1"]')
    assert page.evaluate("workers") == {"started": 2, "ended": 1}
    assert page.locator(".note").is_hidden()


def test_a_layout_that_takes_too_long_is_given_up(open_page: OpenPage, browser: playwright.Browser, lenet: Path):
    page = browser.new_page(viewport={"width": 900, "height": 700})
    page.clock.install()
    state = "window.silent = true; window.state = { key: 'LeNet5', toggled: ['conv1'] };"
    for script in (state, EDITOR, WORKERS):
        page.add_init_script(script)
    page.goto(lenet.as_uri())
    page.wait_for_selector("body.busy", state="attached")
    page.clock.fast_forward(61_000)
    playwright.expect(page.locator(".note")).to_contain_text("took longer than 60 s")
    assert page.evaluate("workers.ended") == 1
    page.evaluate("silent = false")
    page.get_by_role("button", name="Close all operators", exact=True).last.click()
    page.clock.run_for(2000)
    page.wait_for_selector('[data-path="conv1"]')
    playwright.expect(page.locator(".note")).to_be_hidden()
    page.close()
