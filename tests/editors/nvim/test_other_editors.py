"""The README's lines for Emacs and Helix, followed in an empty home."""

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

_SECTION = (REPOSITORY / "README.md").read_text(encoding="utf-8").partition("#### Emacs and Helix\n")[2]
_LISP = re.findall(r"^```lisp\n(.*?)^```", _SECTION, re.MULTILINE | re.DOTALL)[0]
_TOML = re.findall(r"^```toml\n(.*?)^```", _SECTION, re.MULTILINE | re.DOTALL)[0]

_LOOK = """
(package-initialize)
(load-file "init.el")
(find-file "net.sknd")
(run-hooks 'post-command-hook)
(let ((left 100))
  (while (and (> left 0) (null (flymake-diagnostics)))
    (accept-process-output nil 0.1)
    (flymake-start)
    (setq left (1- left))))
(message "%s: %s" major-mode (mapconcat #'flymake-diagnostic-text (flymake-diagnostics) " "))
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """With a file that has a mistake, in a project."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "net.sknd").write_text("import nothing_there;\n", encoding="utf-8")
    return tmp_path


def _environment(home: Path) -> dict[str, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "TERM": "xterm-256color"}


def test_emacs(home: Path) -> None:
    if shutil.which("emacs") is None:
        pytest.skip("there is no Emacs")
    (home / "init.el").write_text(_LISP, encoding="utf-8")
    (home / "look.el").write_text(_LOOK, encoding="utf-8")
    command = ["emacs", "--batch", "-l", "look.el"]
    done = subprocess.run(
        command, cwd=home, env=_environment(home), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90
    )
    if "Cannot open load file" in done.stderr and "eglot" in done.stderr:
        pytest.skip("this Emacs has no eglot")
    assert "skriptnd-mode: " in done.stderr
    assert "no 'nothing_there.sknd' beside this file" in done.stderr


def test_helix(home: Path) -> None:
    if shutil.which("tmux") is None:
        pytest.skip("there is no tmux")
    try:
        helix = unpacked("trixie", "hx", "usr/bin/hx") / "usr/bin/hx"
    except UnavailableError as reason:
        skip(reason)
    config = home / ".config/helix"
    config.mkdir(parents=True)
    (config / "languages.toml").write_text(_TOML, encoding="utf-8")
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
