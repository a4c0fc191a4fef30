"""The programs of a specialization for repeated runs."""

from __future__ import annotations

from snd_runtime.execution.flat.flattening import flattened
from snd_runtime.execution.flat.rows import with_rows
from snd_runtime.execution.prepared import PreparedSpecialization
from snd_runtime.execution.program import Program
from snd_runtime.lowering.compiled.kernels import has_compiler


def repeated_program(ready: PreparedSpecialization, *, is_root: bool, compiles: bool) -> Program | None:
    """Return the program for repeated runs; None if the shapes of the composition depend on data.

    ``is_root`` is true for the definition that was asked for, whose scope has no name. With ``compiles``, steps are
    compiled where possible and a compiler is installed.
    """
    key = (is_root, compiles and has_compiler())
    if key not in ready.repeated_programs:
        ready.repeated_programs[key] = _made(ready, *key)
    return ready.repeated_programs[key]


def _made(ready: PreparedSpecialization, is_root: bool, is_compiled: bool) -> Program | None:
    if is_compiled:
        flat = repeated_program(ready, is_root=is_root, compiles=False)
        return None if flat is None else with_rows(flat)
    return None if ready.program is None else flattened(ready.program, is_root)
