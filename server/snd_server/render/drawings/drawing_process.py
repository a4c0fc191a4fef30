"""The process that runs the drawing of graphs: run as a script by `graph_svg`, which can end it at any time.

A JavaScript engine that has no memory left ends its process, and a stopped one may never end: neither may happen in the
process that asked for a graph.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, NoReturn

OUT_OF_MEMORY = 3
FAILED = 4


def drawn(request: dict[str, Any]) -> str:
    """Return the SVG file for a request: ``engine``, ``model``, ``levels``, ``theme``, ``megabytes``."""
    from py_mini_racer import DEFAULT_V8_FLAGS, MiniRacer, init_mini_racer

    init_mini_racer(flags=(*DEFAULT_V8_FLAGS, f"--max-old-space-size={2 * request['megabytes']}"))
    context = MiniRacer()
    context.eval(f"{request['engine']};0")
    context.set_hard_memory_limit(request["megabytes"] << 20)
    model = json.dumps(json.dumps(request["model"]))
    context.eval(f"sndGraph.draw({model}, {request['levels']}, {json.dumps(request['theme'])});0")
    # Pending work goes on before anything else is evaluated.
    result, error = context.eval("sndGraph.result"), context.eval("sndGraph.error")
    if isinstance(result, str):
        return result
    if context.was_hard_memory_limit_reached():
        raise MemoryError
    raise RuntimeError(str(error or "nothing came out"))


def main() -> NoReturn:
    """Read a request and write the result. Nothing is cleaned up, because that may not end."""
    try:
        sys.stdout.buffer.write(drawn(json.load(sys.stdin)).encode())
        sys.stdout.buffer.flush()
        status = 0
    except Exception as problem:  # of many kinds, which the package has no common name for in all of its versions
        out = isinstance(problem, MemoryError) or type(problem).__name__ == "JSOOMException"
        status = OUT_OF_MEMORY if out else FAILED
        print(str(problem).partition("\n")[0][:200], file=sys.stderr, flush=True)
    os._exit(status)


if __name__ == "__main__":
    main()
