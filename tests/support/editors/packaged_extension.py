"""The extension as users get it: the vsix, made again after its sources have changed."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

from support.editors.downloads import REPOSITORY, build, cache, locked, run

SOURCES = REPOSITORY / "vscode-extension"
# The vsix carries the wheel, which carries these.
WHEEL_SOURCES = ("pyproject.toml", "analysis", "runtime", "server")


def packaged() -> Path:
    """Return the vsix of the current sources. Raise `UnavailableError` without npm or its registry."""
    with locked("extension"):
        vsix = cache() / "extension" / f"skriptnd-{_state_of_sources()}.vsix"
        if not vsix.exists():
            vsix.parent.mkdir(exist_ok=True)
            install_packages()
            build(["npm", "run", "--silent", "package"], SOURCES)
            for old in vsix.parent.glob("*.vsix"):
                old.unlink()
            shutil.copy(SOURCES / "dist/skriptnd.vsix", vsix)
    return vsix


def install_packages() -> None:
    """Install the build dependencies of the extension, unless package.json is unchanged since the last installation."""
    stamp = SOURCES / "node_modules/.installed-for"
    wanted = hashlib.sha256((SOURCES / "package.json").read_bytes()).hexdigest()
    if not stamp.exists() or stamp.read_text() != wanted:
        run(["npm", "install", "--no-audit", "--no-fund", "--silent"], SOURCES)
        stamp.write_text(wanted)


def _state_of_sources() -> str:
    """Return a hash of all files that git tracks or would track, below the folders that go into the vsix."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "vscode-extension", *WHEEL_SOURCES],
        cwd=REPOSITORY,
        capture_output=True,
        check=True,
    ).stdout.decode()
    state = hashlib.sha256()
    for name in sorted(filter(None, listed.split("\0"))):
        file = REPOSITORY / name
        if file.is_file() and not name.startswith("vscode-extension/test/"):
            state.update(name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return state.hexdigest()[:16]
