"""The instructions in docs/editors for Emacs, Helix, Kate and Sublime Text, followed with the real programs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.editors.downloads import REPOSITORY, UnavailableError, skip
from support.editors.neovim_programs import unpacked

pytestmark = pytest.mark.exhaustive

_EDITORS = REPOSITORY / "editors"
_PROGRAM = (REPOSITORY / "docs/tutorial/programs/dense.sknd").read_text(encoding="utf-8")
_MODEL = (REPOSITORY / "docs/tutorial/programs/classifier/graph.nnef").read_text(encoding="utf-8")

_LOOK = """
(setq user-emacs-directory (expand-file-name ".emacs.d/" (getenv "HOME")))
(package-initialize)
(load-file (locate-user-emacs-file "init.el"))
(dolist (file '("net.sknd" "graph.nnef"))
  (find-file (expand-file-name file (getenv "HOME")))
  (run-hooks 'post-command-hook)
  (let ((left 100))
    (while (and (> left 0) (null (flymake-diagnostics)))
      (accept-process-output nil 0.1)
      (flymake-start)
      (setq left (1- left))))
  (message "%s: %s" major-mode (mapconcat #'flymake-diagnostic-text (flymake-diagnostics) " ")))
"""

_COLOURS = """
(require 'skriptnd-mode)
(find-file "dense.sknd")
(font-lock-ensure)
(dolist (word '("operator" "dense {" "@input" "real[batch" ">>>"))
  (goto-char (point-min))
  (search-forward word)
  (message "%s is %s" word (get-text-property (match-beginning 0) 'face)))
(indent-region (point-min) (point-max))
(goto-char (point-min))
(re-search-forward "^ *weight")
(message "weight is at column %s" (- (current-column) 6))
"""


def _blocks(page: str, language: str) -> str:
    text = (REPOSITORY / f"docs/editors/{page}.md").read_text(encoding="utf-8")
    return "".join(re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL))


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"there is no program {name}")
    return found


def _install(page: str, home: Path) -> None:
    """Run the commands of a page in the repository, as a reader does."""
    subprocess.run(["sh", "-ec", _blocks(page, "sh")], cwd=REPOSITORY, env=_environment(home), check=True)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """With a file that has a mistake, in a project."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "net.sknd").write_text("import nothing_there;\n", encoding="utf-8")
    return tmp_path


def _environment(home: Path) -> dict[str, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "TERM": "xterm-256color"}


def _emacs(home: Path, *arguments: str) -> str:
    done = subprocess.run(
        [_program("emacs"), "--batch", "--no-init-file", *arguments],
        cwd=home, env=_environment(home), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90,
    )  # fmt: skip
    if "Cannot open load file" in done.stderr and "eglot" in done.stderr:
        pytest.skip("this Emacs has no eglot")
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_emacs_shows_diagnostics_by_eglot(home: Path) -> None:
    _install("emacs", home)
    (home / ".emacs.d/init.el").write_text("(require 'eglot)\n" + _blocks("emacs", "lisp"), encoding="utf-8")
    (home / "look.el").write_text(_LOOK, encoding="utf-8")
    (home / "graph.nnef").write_text(_MODEL.replace("variable", "varable", 1), encoding="utf-8")
    said = _emacs(home, "-l", "look.el")
    assert re.search(r"^skriptnd-mode: .*no 'nothing_there.sknd' beside this file", said, re.MULTILINE), said
    assert re.search(r"^nnef-mode: .*'varable'", said, re.MULTILINE), said


def test_emacs_compiles_the_package_without_a_warning(home: Path) -> None:
    _install("emacs", home)
    strict = "(setq byte-compile-error-on-warn t)"
    said = _emacs(home, "--eval", strict, "-f", "batch-byte-compile", ".emacs.d/lisp/skriptnd-mode.el")
    assert "Error" not in said
    checked = '(progn (require \'checkdoc) (checkdoc-file ".emacs.d/lisp/skriptnd-mode.el"))'
    assert "skriptnd-mode.el:" not in _emacs(home, "--eval", checked)


def test_emacs_colours_and_indents(home: Path) -> None:
    _install("emacs", home)
    (home / "dense.sknd").write_text(re.sub(r"^ +", "", _PROGRAM, flags=re.MULTILINE), encoding="utf-8")
    (home / "look.el").write_text(_COLOURS, encoding="utf-8")
    said = _emacs(home, "-L", ".emacs.d/lisp", "-l", "look.el")
    assert "operator is font-lock-keyword-face" in said
    assert "dense { is font-lock-function-name-face" in said
    assert "@input is font-lock-preprocessor-face" in said
    assert "real[batch is font-lock-type-face" in said
    assert "weight is at column 8" in said


def test_kate_colours(home: Path) -> None:
    """In KSyntaxHighlighting, the engine of Kate."""
    highlighter = _program("kate-syntax-highlighter")
    _install("kate", home)

    def coloured(name: str, text: str) -> str:
        (home / name).write_text(text, encoding="utf-8")
        done = subprocess.run(
            [highlighter, "--output-format", "html", name],
            cwd=home, env=_environment(home) | {"QT_QPA_PLATFORM": "offscreen"}, capture_output=True, text=True,
        )  # fmt: skip
        assert done.stderr == ""
        return done.stdout

    text = coloured("dense.sknd", _PROGRAM)
    assert "Definition (SkriptND)" in text
    assert '<span style="font-weight:bold;">operator</span> <span style="color:#644a9b;">dense</span>' in text
    assert 'weight: <span style="color:#0057ae;">real</span>[units, channels];' in text
    text = coloured("graph.nnef", _MODEL)
    assert "Definition (NNEF 1.0)" in text
    assert '<span style="font-weight:bold;">graph</span>' in text


def test_sublime_syntax_colours(home: Path) -> None:
    """In bat, whose syntax definitions are those of Sublime Text."""
    bat = shutil.which("bat") or _program("batcat")
    (home / "syntaxes").mkdir()
    for each in (_EDITORS / "sublime").glob("*.sublime-syntax"):
        shutil.copy(each, home / "syntaxes")
    environment = _environment(home) | {"BAT_CACHE_PATH": str(home / "cache")}
    made = subprocess.run(
        [bat, "cache", "--build", "--source", home, "--target", home / "cache"],
        env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr

    def coloured(name: str, text: str) -> str:
        (home / name).write_text(text, encoding="utf-8")
        command = [bat, "--color=always", "--style=plain", "--theme=ansi", name]
        done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    text = coloured("dense.sknd", _PROGRAM)
    assert "\x1b[35moperator\x1b[0m \x1b[34mdense\x1b[0m {" in text
    assert "\x1b[35mreal\x1b[0m[units, channels];" in text
    assert "\x1b[35mgraph\x1b[0m \x1b[34m" in coloured("graph.nnef", _MODEL)


def test_helix(home: Path) -> None:
    if shutil.which("tmux") is None:
        pytest.skip("there is no tmux")
    try:
        helix = unpacked("trixie", "hx", "usr/bin/hx") / "usr/bin/hx"
    except UnavailableError as reason:
        skip(reason)
    config = home / ".config/helix"
    config.mkdir(parents=True)
    (config / "languages.toml").write_text(_blocks("helix", "toml"), encoding="utf-8")
    # The path of a socket may have about a hundred characters.
    tmux = ["tmux", "-L", f"snd-{os.getpid()}"]
    size = ["-x", "110", "-y", "20", "-c", str(home)]
    environment = _environment(home)
    subprocess.run(
        [*tmux, "-f", "/dev/null", "new-session", "-d", *size, f"{helix} net.sknd"], env=environment, check=True
    )
    try:
        until = time.monotonic() + 60
        seen = ""
        while "●" not in seen and time.monotonic() < until:  # the sign in the margin
            time.sleep(0.5)
            screen = subprocess.run([*tmux, "capture-pane", "-p"], env=environment, capture_output=True, text=True)
            seen = screen.stdout
        assert "●" in seen, seen
    finally:
        subprocess.run([*tmux, "kill-server"], env=environment, check=False)
