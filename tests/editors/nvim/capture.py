"""Makes docs/images/neovim.png and neovim-nnef.png: Neovim in tmux with a mistake, values, and the table of shapes.

Run by hand where Neovim, tmux and chromium can be had: `python tests/editors/nvim/capture.py` in the environment of
development. What the terminal shows becomes a page, and the page a picture.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

sys.path[:0] = [str(Path(__file__).parents[2])]

# ruff: noqa: E402
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from support.editors.downloads import REPOSITORY
from support.editors.neovim_programs import newest
from support.editors.neovim_runs import home
from support.editors.pictured import NNEF

COLUMNS, LINES = 130, 53
IMAGES = REPOSITORY / "docs/images"

_SKRIPTND = """\
import layer, layout, nn;

# Squares what is positive; of other numbers `slope` remains.
# >>> activate([-2.0, 3.0])
# output: real[2] = [0.0, 9.0]
# >>> activate{slope=0.1}([-2.0, 0.5])
operator activate {
    @attrib { slope: real = 0.0; }
    @input { input: real[s..]; }
    @output { output: real[s..]; }
    @lower {
        output[i..] = input[i..] < 0.0 ? slope * input[i..] : input[i..] ** 2.0, i < s;
    }
}

operator soften {
    @input { input: real[s..]; }
    @output { output: real[s..]; }
    @compose { output = activate{slop=0.1}(input); }
}

# >>> classifier(random[1,1,8,8])
graph classifier {
    @attrib { classes: int = 10; }
    @input { image: real[1, 1, 8, 8]; }
    @output { probabilities: real[1, classes]; }
    @compose {
        convolved = layer.conv{channels=4, size=3}(image);
        active = activate(convolved);
        flat = layout.flatten{axis=1}(active);
        scores = layer.linear{channels=classes}(flat);
        probabilities = nn.softmax(scores);
    }
}
"""

_INIT = """
vim.lsp.enable("snd")
vim.o.termguicolors = true
vim.o.number = true
vim.o.laststatus = 3
vim.o.signcolumn = "yes"
vim.cmd.colorscheme("habamax")
vim.diagnostic.config({ virtual_text = true })
"""

# The theme defines colours that the program does not give as RGB.
_THEME = TerminalTheme((28, 28, 28), (188, 188, 188), [(0, 0, 0)] * 8, [(188, 188, 188)] * 8)


class Shot(NamedTuple):
    """A picture of a model: its file, and the text typed once the server is ready."""

    picture: str
    file: str
    text: str
    typed: tuple[tuple[str, ...], ...]


SHOTS = (
    Shot("neovim.png", "classifier.sknd", _SKRIPTND, ((":SndShapes", "Enter"), (":resize 40", "Enter"), ("29G",))),
    Shot("neovim-nnef.png", "graph.nnef", NNEF, ((":SndShapes", "Enter"), (":resize 38", "Enter"), ("26G",))),
)


def main() -> None:
    for shot in SHOTS:
        if not sys.argv[1:] or shot.picture in sys.argv[1:]:
            with tempfile.TemporaryDirectory() as folder:
                picture(shown(Path(folder), shot), Path(folder), IMAGES / shot.picture)


def shown(folder: Path, shot: Shot) -> str:
    """Return the contents of the terminal, with escape sequences."""
    neovim = newest()
    environment = home(folder) | neovim.environment
    (folder / "init.lua").write_text(_INIT, encoding="utf-8")
    (folder / "model").mkdir()
    (folder / "model" / shot.file).write_text(shot.text, encoding="utf-8")
    tmux = ["tmux", "-S", str(folder / "socket")]

    def keys(*typed: str) -> None:
        subprocess.run([*tmux, "send-keys", *typed], check=True)
        time.sleep(1.5)

    variables = [argument for name, value in environment.items() for argument in ("-e", f"{name}={value}")]
    command = f"{neovim.path} -u {folder / 'init.lua'} -i NONE -n {shot.file}"
    size = ["-x", str(COLUMNS), "-y", str(LINES)]
    subprocess.run(
        [*tmux, "-f", "/dev/null", "new-session", "-d", *size, "-c", folder / "model", *variables, command],
        check=True,
        env=environment | {"TERM": "xterm-256color"},
    )
    try:
        subprocess.run([*tmux, "set", "-g", "status", "off"], check=True)
        subprocess.run([*tmux, "set", "-sa", "terminal-features", ",*:RGB"], check=True)
        time.sleep(6)
        for typed in shot.typed:
            keys(*typed)
        keys(":echo", "Enter")
        time.sleep(2)
        return subprocess.run(
            [*tmux, "capture-pane", "-e", "-p"], check=True, capture_output=True, encoding="utf-8"
        ).stdout
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)


def picture(text: str, folder: Path, place: Path) -> None:
    """Draw a terminal's text into the picture."""
    console = Console(record=True, width=COLUMNS, file=(folder / "text").open("w", encoding="utf-8"))
    console.print(Text.from_ansi(text), soft_wrap=True)
    style = "body{margin:0;background:#1c1c1c;display:inline-block}pre{margin:14px 18px;line-height:1.25!important}"
    page = folder / "page.html"
    page.write_text(
        console.export_html(theme=_THEME, inline_styles=True).replace("</head>", f"<style>{style}</style></head>"),
        encoding="utf-8",
    )
    browser = shutil.which("chromium") or "google-chrome"
    place.parent.mkdir(exist_ok=True)
    subprocess.run(
        [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            "--force-device-scale-factor=1.25", "--window-size=1300,1065", f"--screenshot={place}", page.as_uri(),
        ],
        check=True,
        timeout=60,
    )  # fmt: skip
    if shutil.which("pngquant"):  # text has few colours
        subprocess.run(["pngquant", "--force", "--strip", "--output", place, "64", place], check=True)


if __name__ == "__main__":
    main()
