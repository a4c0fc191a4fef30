"""What the configuration of a project says about the meaning of its files; a configuration is read without more."""

from __future__ import annotations

from msgspec import Struct


class ProjectSettings(Struct, frozen=True):
    """What the configuration of a project says about the meaning of its files."""

    module_paths: tuple[str, ...] = ()
    """Folders in which modules are looked for besides."""
    dialect: str | None = None
    """The dialect of all files in NNEF 1.0; None if each file tells by itself."""
    tosa_profile: str | None = None
    """The profile of TOSA that graphs are for: `base-inference`, `main-inference` or `main-training`."""


NO_SETTINGS = ProjectSettings()
"""Those of a project without a configuration."""
