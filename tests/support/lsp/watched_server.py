"""``snd lsp`` with messages for tests: to know that nothing more will come, and to inspect its state.

``test/rest`` is answered as soon as the server has finished all work caused by earlier messages: pauses, evaluations,
and its own requests of the client. All its notifications come before the answer.

``test/held`` returns the number of messages that the protocol keeps in part. From ``test/hold`` to ``test/goOn``, the
analysis answers nothing: messages sent in between come before any answer.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

REST, HELD = "test/rest", "test/held"
HOLD, GO_ON = "test/hold", "test/goOn"

# Tasks that last as long as the session, or only wait for a process to be idle for long.
_ENDLESS = {"serve_stdio", "ServerThread._serve", "run_async", "run_websocket", "_follow", "EvaluationQueue._dismiss"}


async def _rest(server: SndServer, params: object) -> None:
    while True:
        await server.session.work(lambda: None)  # what the thread of the analysis has to tell
        await asyncio.sleep(0)  # it tells by the loop
        busy = [task for task in asyncio.all_tasks() if _ends(task)]
        if not busy:
            return
        await asyncio.wait(busy)


async def _held(server: SndServer, params: object) -> int:
    return len(server.protocol._request_futures)


def _ends(task: asyncio.Task[Any]) -> bool:
    name = getattr(task.get_coro(), "__qualname__", "")
    return name not in _ENDLESS and task is not asyncio.current_task()


def watch(server: SndServer) -> None:
    """Let a server understand these messages."""
    go_on = threading.Event()

    def hold(server: SndServer, params: object) -> None:
        server.begin(server.session.work(lambda: go_on.wait() and None))

    server.handle(REST, _rest)
    server.handle(HELD, _held)
    server.handle(HOLD, hold)
    server.handle(GO_ON, lambda server, params: go_on.set())


def main() -> None:
    """Run as ``snd lsp``."""
    from snd_server.cli import main as snd
    from snd_server.lsp.session import life

    before = life.register

    def register(server: SndServer) -> None:
        before(server)
        watch(server)

    life.register = register
    sys.argv = ["snd", "lsp"]
    snd()


if __name__ == "__main__":
    main()
