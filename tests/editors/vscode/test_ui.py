"""Features of VS Code for users, in one window; each test leaves the files and editors as it found them."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Locator, expect

from support.editors.pictured import NNEF
from support.editors.scenarios import workspace
from support.editors.vscode_server import VSCode, processes
from support.editors.vscode_window import Window

# Nothing is evaluated before a test asks for it.
SETTINGS = {"snd.evaluation.automatic": False, "snd.evaluation.pictures": True, "editor.inlayHints.maximumLength": 80}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, snd: Path) -> Path:
    return workspace("language", tmp_path_factory.mktemp("ui"), {"snd.server.path": str(snd), **SETTINGS})


def test_a_mistake_is_underlined_and_the_hover_tells_it(window: Window):
    window.open_file("broken.sknd")
    window.sees(".squiggly-error")
    told = window.page.locator(".monaco-hover").filter(has_text="did you mean 'image'?")
    window.hover(window.word("imag", "nn.relu(imag)"), told)
    window.screenshot("mistake")


def test_a_model_in_nnef1_has_shapes_and_its_mistakes(window: Window, folder: Path):
    file = folder / "encoder.nnef"
    file.write_text(NNEF, encoding="utf-8")
    window.open_file(file.name)
    window.sees(".view-line", "real[B,S,8]")
    window.sees(".squiggly-warning")
    window.sees(".squiggly-error")
    told = window.page.locator(".monaco-hover").filter(has_text="must have one type").filter(has_text="Quick Fix")
    window.hover(window.word("1", "mul(projected, 1)"), told)
    window.screenshot("nnef")
    window.command("View: Close Editor")
    file.unlink()


def test_the_status_bar_tells_the_version_of_the_server(window: Window):
    window.open_file("main.sknd")
    item = window.sees(".statusbar-item[id*='snd.server']", re.compile(r"snd \d+\.\d+"))
    rows = window.page.locator(".quick-input-list .monaco-list-row")
    window.do(item.click, rows.filter(has_text="Restart Server").is_visible, "the list of what can be done")
    expect(rows.filter(has_text="Show Graph")).to_be_visible()
    window.screenshot("actions")


def test_values_stand_beside_a_sample_evaluated_through_its_lens_and_the_hover_shows_a_picture(window: Window):
    window.open_file("samples.sknd")
    sample = window.line("# >>> wave(random[12, 16])")
    lenses = window.page.locator(".codelens-decoration a")
    evaluate, refresh = (lenses.filter(has_text=re.compile(f"^{title}$")) for title in ("evaluate", "refresh"))
    window.until(lambda: evaluate.count() == 3, "the lenses of all samples")
    before = sample.text_content()
    for evaluated in (1, 2, 3):
        window.do(
            lambda: evaluate.first.click(timeout=5000),
            lambda evaluated=evaluated: (evaluate.count(), refresh.count()) == (3 - evaluated, evaluated),
            "the lens to change",
        )
    window.until(lambda: sample.text_content() != before, "the value behind the sample")
    window.sees(".view-line", re.compile("✓"))
    window.sees(".view-line", re.compile("≠"))
    window.screenshot("values")
    picture = window.page.locator(".monaco-hover img").first
    window.hover(window.line("# >>> wave"), picture, at=(30, 9))
    window.until(lambda: picture.evaluate("image => image.naturalWidth") > 1, "the picture to be drawn")
    window.screenshot("hover-picture")


def test_a_completion_is_accepted_by_the_keyboard_and_brings_its_import(window: Window, vscode: VSCode):
    window.open_file("main.sknd")
    window.sees(".view-line", "real[1, 4, 16, 16]")
    keyboard = window.page.keyboard

    def complete() -> None:
        window.command("Revert File")
        window.go_to(17)
        keyboard.press("End")
        keyboard.press("Enter")
        # Answers come after all has been typed, the one for what can stand behind `=` first.
        with stopped(servers(vscode)):
            keyboard.type("more = softm", delay=30)
            window.until(lambda: "more = softm" in window.text(), "what is typed", 10)
        window.sees(".suggest-widget .monaco-list-row.focused", "softmax")
        window.until(lambda: "[1" in (window.line("activity = math").text_content() or ""), "the shape behind its line")
        window.screenshot("completion")
        keyboard.press("Enter")

    window.do(complete, lambda: re.search(r"more = nn\.softmax", window.text()), "what was completed")
    window.until(lambda: re.search(r"import .*\bnn\b", window.text()), "the import")
    window.command("Revert File")


def test_renaming_by_f2_changes_all_files(window: Window, folder: Path):
    before = {name: (folder / name).read_text() for name in ("main.sknd", "blocks.sknd")}
    window.open_file("main.sknd")
    window.sees(".view-line", "real[1, 4, 16, 16]")
    window.put_cursor("block", "channels=4")
    box = window.page.locator(".rename-box input")
    window.do(lambda: window.page.keyboard.press("F2"), box.is_visible, "the box for the name")
    expect(box).to_have_value("block")
    box.fill("stage")
    window.screenshot("rename")
    window.page.keyboard.press("Enter")
    window.until(lambda: "blocks.stage{channels=8}" in window.text().replace(" ", ""), "the new name")
    other = folder / "blocks.sknd"
    window.do(lambda: window.command("Save All"), lambda: "operator stage {" in other.read_text(), "the other file")
    for name, text in before.items():
        (folder / name).write_text(text)
    window.until(lambda: "blocks.block{" in window.text(), "the old name")


def test_the_graph_is_drawn_and_a_click_leads_to_the_source(window: Window):
    window.open_file("main.sknd")
    window.sees(".view-line", "real[1, 4, 16, 16]")
    window.go_to(1)
    window.command("SkriptND: Show Graph")
    page = webview(window)
    node = page.locator("svg text").filter(has_text="math.tanh").first
    expect(node).to_be_visible()
    drawing, first = page.locator("svg.snd"), page.locator("svg text").filter(has_text="image").first
    window.until(lambda: _is_in_the_middle(drawing, first), "the drawing to be fitted to its frame")
    window.screenshot("graph")
    assert window.cursor == (1, 1)
    window.do(node.click, lambda: window.cursor[0] == 17, "the cursor in the statement of the node")


def test_the_graph_follows_the_cursor_and_the_text(window: Window):
    window.open_file("main.sknd")
    window.sees(".view-line", "real[1, 4, 16, 16]")
    window.command("SkriptND: Show Graph")
    page = webview(window)
    expect(page.locator("svg text").filter(has_text="math.tanh").first).to_be_visible()
    window.put_cursor("parts", "parts =")
    expect(page.locator("svg .mark.cursor")).to_have_count(1)
    window.write_line(below=16, text="more = math.exp(parts);")
    expect(page.locator("svg text").filter(has_text="math.exp").first).to_be_visible()
    # First to the beginning of the statement, then to that of the line, whereby the editor scrolls back.
    window.page.keyboard.press("Home")
    window.page.keyboard.press("Home")
    window.put_cursor("more", "more =")
    expect(page.locator("svg .mark.cursor")).to_have_count(1)
    window.screenshot("graph-edited")
    assert page.locator(".stat").count() == 0
    statistics = page.locator(".stat").filter(has_text="μ").first
    window.do(page.get_by_role("button", name="Evaluate the graph").click, statistics.is_visible, "statistics")


def test_values_stand_beside_the_statements_of_a_graph_that_is_evaluated(window: Window):
    window.open_file("main.sknd")
    lens = window.sees(".codelens-decoration a", re.compile("^evaluate"))

    def has_values(name: str) -> bool:
        return re.search(r"[μ∈]", window.line(name).text_content() or "") is not None

    window.do(lambda: lens.click(timeout=5000), lambda: has_values("edges ="), "values of edges")
    for name in ("parts =", "activity = math"):
        window.until(lambda name=name: has_values(name), f"values of {name}")
    window.screenshot("graph-values")


def test_a_graph_is_evaluated_with_chosen_inputs(window: Window):
    window.open_file("main.sknd")
    window.sees(".view-line", "real[1, 4, 16, 16]")
    window.command("SkriptND: Evaluate Graph with Chosen Inputs…")
    window.pick("image")
    # The list has a box, too.
    window.sees(".quick-input-title", "Input image")
    window.page.locator(".quick-input-widget input[type=text]").fill("ones[1,3,16,16]")
    window.page.keyboard.press("Enter")
    window.sees(".quick-input-list .monaco-list-row", "ones[1,3,16,16]")
    window.screenshot("inputs")
    window.pick("Evaluate")
    expect(webview(window).locator("body")).to_contain_text("activity")
    window.screenshot("evaluated")


def test_the_signature_of_an_operator_is_changed(window: Window):
    window.open_file("samples.sknd")
    window.go_to(24)
    window.command("SkriptND: Change Signature of Operator…")
    window.pick("x")
    window.pick("Rename…")
    window.sees(".quick-input-title", "New name of x")
    window.page.locator(".quick-input-widget input[type=text]").fill("image")
    window.page.keyboard.press("Enter")
    window.sees(".quick-input-list .monaco-list-row", "was x")
    window.screenshot("signature")
    window.pick("Apply")
    window.sees(".view-line", "image: real[h, w];")
    window.command("File: Revert File")


def test_the_table_of_shapes_has_every_tensor(window: Window):
    window.open_file("main.sknd")
    window.command("SkriptND: Show Composed Shapes")
    page = webview(window)
    expect(page.get_by_text("edges", exact=True).first).to_be_visible()
    expect(page.locator("body")).to_contain_text(re.compile(r"1[^\d]+4[^\d]+16[^\d]+16"))
    window.screenshot("shapes")


def test_the_data_flow_is_drawn_and_an_arrow_key_asks_about_another_cell(window: Window):
    window.open_file("samples.sknd")
    window.go_to(24)
    window.command("SkriptND: Show Data Flow")
    page = webview(window)
    expect(page.locator("h1")).to_contain_text("wave")
    expect(page.locator("li")).to_have_text("y[6,8] reads x[6,8]")
    window.screenshot("data-flow")
    page.locator("canvas.of").press("ArrowRight")
    expect(page.locator("li")).to_have_text("y[6,9] reads x[6,9]")
    page.locator("canvas.cell").click(position={"x": 2, "y": 2})
    expect(page.locator("li")).to_have_text("x[0,0] is read for y[0,0]")


def test_samples_are_in_the_test_explorer_and_run_there(window: Window):
    window.open_file("samples.sknd")
    window.command("Focus on Test Explorer View")
    tree = window.page.locator(".test-explorer .monaco-list-row")
    tree.filter(has_text="samples.sknd").first.wait_for()
    failed, passed, busy = (
        tree.locator(f".codicon-{icon}") for icon in ("testing-failed-icon", "testing-passed-icon", "loading")
    )
    window.do(lambda: window.command("Test: Run All Tests"), failed.first.is_visible, "a test that failed")
    expect(passed.first).to_be_visible()
    expect(busy).to_have_count(0)
    window.screenshot("test-explorer")
    window.command("View: Show Explorer")


def test_the_page_of_a_rule_is_shown(window: Window):
    window.open_file("broken.sknd")
    window.sees(".squiggly-error")
    window.put_cursor("imag", "nn.relu(imag)")
    window.command("SkriptND: Open Page of Rule")
    expect(webview(window).get_by_text("undefined-name").first).to_be_visible()
    window.screenshot("rule-page")


def test_the_syntax_tree_is_shown(window: Window):
    window.open_file("main.sknd")
    window.go_to(4, 7)
    window.command("SkriptND: Show Syntax Tree")
    window.sees(".tab.active", "main.sknd (syntax tree)")
    window.sees(".view-line", re.compile("small_net.*4:7"))
    window.screenshot("syntax-tree")


def test_a_server_that_is_killed_is_started_again(window: Window, vscode: VSCode):
    window.open_file("broken.sknd")
    window.sees(".squiggly-error")
    killed = servers(vscode)
    assert killed
    for each in killed:
        os.kill(each, signal.SIGKILL)
    window.until(lambda: (now := servers(vscode)) and not set(now) & set(killed), "another server")
    window.sees(".statusbar-item[id*='snd.server'] .codicon-check")
    # It knows the text, and follows its edits.
    window.sees(".squiggly-error")
    window.go_to(11, 25)
    window.page.keyboard.type("e")
    expect(window.page.locator(".squiggly-error")).to_have_count(0)
    window.screenshot("recovered")
    window.page.keyboard.press("Backspace")
    window.sees(".squiggly-error")
    expect(window.page.locator(".notification-toast")).to_have_count(0)
    window.command("Revert File")


def test_the_server_ends_with_its_window_and_starts_with_the_next(window: Window, vscode: VSCode):
    window.open_file("broken.sknd")
    window.sees(".squiggly-error")
    before = servers(vscode)
    window.command("Developer: Reload Window")
    window.until(lambda: (now := servers(vscode)) and not set(now) & set(before), "another server, alone")
    window.sees(".statusbar-item[id*='snd.server'] .codicon-check")


def _is_in_the_middle(frame: Locator, item: Locator) -> bool:
    """Return whether the item is wholly in the frame, and not in its outer quarters."""
    around, box = frame.bounding_box(), item.bounding_box()
    if around is None or box is None:
        return False
    middle = box["x"] + box["width"] / 2 - around["x"]
    return box["y"] > around["y"] + 8 and around["width"] / 4 < middle < around["width"] * 3 / 4


def servers(vscode: VSCode) -> list[int]:
    """The numbers of the processes that are language servers."""
    return [number for number, command in processes(vscode.process).items() if re.search(r"snd\S* .*\blsp\b", command)]


@contextmanager
def stopped(numbers: list[int]) -> Iterator[None]:
    """Holds processes, as a machine with too much to do would."""
    for each in numbers:
        os.kill(each, signal.SIGSTOP)
    try:
        yield
    finally:
        for each in numbers:
            os.kill(each, signal.SIGCONT)


def webview(window: Window) -> FrameLocator:
    """The page of the extension that is shown: it is in a frame in a frame."""
    return window.page.frame_locator("iframe.webview.ready").last.frame_locator("iframe#active-frame")
