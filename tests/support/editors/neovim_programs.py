"""Neovim beside the system: unpacked from Debian's packages, with their own libraries, into the cache of editors.

Nothing is installed system-wide and root is not needed: apt downloads into directories of its own, from the mirror that
the machine is configured with, and the programs are told where their libraries are.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from support.editors.downloads import UnavailableError, cache, once, run

OLDEST = (0, 10)
"""The oldest version that the plugin works with."""

_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


@dataclass(frozen=True, slots=True)
class Neovim:
    """A program to test with; `runtime` is None where it finds its own."""

    path: Path
    version: tuple[int, int]
    runtime: Path | None = None

    @property
    def environment(self) -> dict[str, str]:
        """Variables that it needs besides the environment of the tests."""
        return {} if self.runtime is None else {"VIMRUNTIME": str(self.runtime)}


def oldest() -> Neovim:
    """Neovim 0.10: of Debian 13, or an installed one of that version. Raise `UnavailableError`."""
    found = _installed()
    return found if found is not None and found.version == OLDEST else _unpacked("trixie")


def newest() -> Neovim:
    """Return the newest Neovim in Debian, or an installed newer one. Raise `UnavailableError`."""
    found = _installed()
    return found if found is not None and found.version > OLDEST else _unpacked("forky")


def _installed() -> Neovim | None:
    """Return the Neovim that `SND_NVIM` names, or that is on PATH."""
    found = os.environ.get("SND_NVIM") or shutil.which("nvim")
    return None if found is None else Neovim(Path(found), _version(Path(found), {}))


def _unpacked(suite: str) -> Neovim:
    root = unpacked(suite, "neovim", "usr/bin/nvim")
    runtime = root / "usr/share/nvim/runtime"
    program = root / "usr/bin/nvim"
    return Neovim(program, _version(program, {"VIMRUNTIME": str(runtime)}), runtime)


def _version(program: Path, environment: dict[str, str]) -> tuple[int, int]:
    command = [program, "--version"]
    said = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, timeout=60).stdout
    found = re.match(r"NVIM v(\d+)\.(\d+)", said)
    if found is None:
        raise UnavailableError(f"{program} does not say its version")
    return int(found[1]), int(found[2])


def unpacked(suite: str, package: str, program: str) -> Path:
    """Return the root of a package of a suite of Debian with its dependencies, with `program` ready to run.

    Raise `UnavailableError`.
    """
    name = f"{package}-{suite}"

    def make(root: Path) -> None:
        download(suite, package, root)
        _point_to_libraries(root, program, cache() / name)

    return once(name, make)


def download(suite: str, package: str, root: Path) -> None:
    """Unpack a package of a suite of Debian, and all that it needs, into a folder. Raise `UnavailableError`."""
    apt = root / "apt"
    for folder in ("lists/partial", "cache/archives/partial"):
        (apt / folder).mkdir(parents=True)
    (apt / "status").touch()
    (apt / "sources.list").write_text(_source(suite), encoding="utf-8")
    # Nothing counts as installed, so that all libraries are downloaded, whatever this machine has.
    settings = {
        "Dir::Etc::sourcelist": apt / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::State::lists": apt / "lists",
        "Dir::State::status": apt / "status",
        "Dir::Cache": apt / "cache",
        "APT::Sandbox::User": "",
        "Acquire::Languages": "none",
        "Debug::NoLocking": "true",
    }
    options = [argument for key, value in settings.items() for argument in ("-o", f"{key}={value}")]
    run(["apt-get", "-qq", *options, "update"])
    download = ["--no-install-recommends", "--download-only", "install", package, "patchelf"]
    run(["apt-get", "-qq", "-y", *options, *download])
    for archive in sorted((apt / "cache/archives").glob("*.deb")):
        run(["dpkg-deb", "-x", archive, root])
    shutil.rmtree(apt)


def _source(suite: str) -> str:
    """Return a suite of the mirror of Debian that the machine is configured with."""
    folder = Path("/etc/apt")
    files = [each for each in [*folder.glob("sources.list.d/*"), folder / "sources.list"] if each.is_file()]
    lines = "\n".join(each.read_text(encoding="utf-8") for each in files).splitlines()
    mirrors = [
        mirror for line in lines if line[:1] != "#" for mirror in re.findall(r"https?://\S+/debian/?(?!\S)", line)
    ]
    if not mirrors or not _KEYRING.exists():
        raise UnavailableError("no nvim of this version is on PATH, and the machine has no mirror of Debian")
    return f"deb [signed-by={_KEYRING}] {mirrors[0]} {suite} main\n"


def _point_to_libraries(root: Path, program: str, final: Path) -> None:
    """Make a program use the loader and the libraries that were unpacked with it, in the place where they will be."""
    loader = next(each for each in sorted(root.glob("**/ld-linux*.so.*")) if each.is_file())
    folders = sorted(root.glob("usr/lib/*-linux-gnu*"))
    libraries = ":".join(map(str, folders))
    there = ":".join(str(final / each.relative_to(root)) for each in folders)
    patchelf = [loader, "--library-path", libraries, root / "usr/bin/patchelf"]
    where = ["--set-interpreter", final / loader.relative_to(root), "--force-rpath", "--set-rpath", there]
    run([*patchelf, *where, root / program])
