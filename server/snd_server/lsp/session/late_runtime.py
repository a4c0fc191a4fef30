"""The runtime, and NumPy with it, is loaded when values are first worked out: the first diagnostics need neither."""

from __future__ import annotations

from threading import Lock

_loading = Lock()


def load_runtime() -> None:
    """Import the modules that values need; every way to the first value begins with it.

    Two threads that import modules of one package at the same time can wait for each other: one has the package and
    wants the module, the other the module and wants its package. So nothing may import the runtime before this returns.
    """
    with _loading:
        import snd_server.render.evaluated_json
        import snd_server.running.evaluate  # noqa: F401
