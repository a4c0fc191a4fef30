"""Settings of a project that affect the meaning of its files; a separate module, so that it loads alone."""

from __future__ import annotations

from msgspec import Struct


class ProjectSettings(Struct, frozen=True):
    """Settings of a project that affect the meaning of its files."""

    module_paths: tuple[str, ...] = ()
    """Folders in which modules are looked for besides."""
    dialect: str | None = None
    """The dialect of all files in NNEF 1.0; None if each file determines its own."""
    tosa_profile: str | None = None
    """The profile of TOSA that graphs are for: `base-inference`, `main-inference` or `main-training`."""
    pulse: tuple[str, int] | None = None
    """A symbol of graphs in NNEF 1.0, and the number of its items that they see at a time."""


NO_SETTINGS = ProjectSettings()
"""Settings of a project without a configuration."""
