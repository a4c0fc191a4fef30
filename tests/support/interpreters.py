"""Interpreters of Python in which snd is installed: of this machine, else from Debian, unpacked beside the system."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from support.editors.downloads import UnavailableError, once
from support.editors.neovim_programs import download

OLDEST = "3.11"
NEWEST = "3.14"


def interpreter(version: str) -> Path:
    """Return a program of a version. Raise `UnavailableError`."""
    for program in _known(version):
        said = subprocess.run([program, "-c", _VERSION], capture_output=True, text=True)
        if said.stdout.strip() == version:
            return Path(program)
    return _unpacked(version)


_VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"


def _known(version: str) -> Iterator[str]:
    yield sys.executable
    for name in (f"python{version}", "python3"):
        if found := shutil.which(name):
            yield found
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    yield from (str(each) for each in sorted(versions.glob(f"{version}.*/bin/python3")))


def _unpacked(version: str) -> Path:
    """Return a program of Debian's packages, started by the loader that came with it.

    It can't be pointed to its libraries with patchelf, as editors can: the result ends with a segmentation fault.
    """
    root = once(f"python{version}-forky", lambda root: download("forky", f"python{version}-venv", root))
    program = root / f"usr/bin/python{version}"
    if not program.exists():
        raise UnavailableError(f"Debian has no python{version}")
    loader = next(each for each in sorted(root.glob("**/ld-linux*.so.*")) if each.is_file())
    libraries = ":".join(map(str, sorted(root.glob("usr/lib/*-linux-gnu*"))))
    script = root / "usr/bin/started"
    script.write_text(
        f'#!/bin/sh\nexec {loader} --library-path {libraries} --argv0 "$0" {program} "$@"\n', encoding="utf-8"
    )
    script.chmod(0o755)
    return script
