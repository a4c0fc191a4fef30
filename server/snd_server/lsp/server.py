"""The server: what it can do is what the modules listed here register."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Coroutine
from types import ModuleType
from typing import Any

from snd_server.lsp import (
    call_hierarchy,
    client_settings,
    code_actions,
    code_lenses,
    completion,
    custom_requests,
    data_flow,
    formatting,
    graph_commands,
    graph_view,
    hover,
    inlay_hints,
    life,
    navigation,
    progress,
    pull,
    refactoring,
    rename,
    sample_commands,
    sample_list,
    sample_writing,
    semantic_tokens,
    signature_help,
    symbols,
    synchronisation,
    types,
    watching,
    workspace_diagnostics,
)
from snd_server.lsp.abilities import DiagnosticAbilities
from snd_server.lsp.analysis_thread import Interrupted
from snd_server.lsp.counterexamples import Counterexamples
from snd_server.lsp.errors import ErrorCode, InvalidParams, RequestError
from snd_server.lsp.evaluation import Evaluations
from snd_server.lsp.graph_evaluation import GraphEvaluations
from snd_server.lsp.limits import MOST_LOGGED_CHARACTERS
from snd_server.lsp.proofs import Proofs
from snd_server.lsp.protocol import Handler, JsonRpc
from snd_server.lsp.push import Publisher
from snd_server.lsp.refresh import Refresher
from snd_server.lsp.session import ClientSession, UnknownDocument

_logger = logging.getLogger(__name__)

# Each has ``register(server)``.
_FEATURES: tuple[ModuleType, ...] = (
    life,
    progress,
    synchronisation,
    client_settings,
    watching,
    pull,
    workspace_diagnostics,
    navigation,
    symbols,
    call_hierarchy,
    rename,
    formatting,
    hover,
    signature_help,
    semantic_tokens,
    inlay_hints,
    completion,
    code_actions,
    code_lenses,
    sample_commands,
    graph_commands,
    sample_writing,
    refactoring,
    sample_list,
    custom_requests,
    graph_view,
    data_flow,
)


class SndServer:
    """One server serves one client."""

    def __init__(self) -> None:
        self.protocol = JsonRpc(self)
        self.options: dict[str, object] = {}
        """The methods that have a handler, with what is told to the client about them; None if that is nothing."""
        self.commands: dict[str, Callable[..., Any]] = {}
        self.client_capabilities = types.ClientCapabilities()
        self.tracing = types.TraceValue.Off
        self.session = ClientSession()
        self.stopped = threading.Event()
        self.status = 1
        """The exit status: 1 as long as the client has not said goodbye."""
        self.folders: dict[str, str] = {}
        """The workspace folders of the client: names by URI."""
        self.wrong_settings: tuple[str, ...] = ()
        """What is wrong with the settings of the client, of which it has been told."""
        self.diagnostic_abilities = DiagnosticAbilities()
        self.reading: asyncio.Task[None] | None = None
        """What reads messages."""
        self.watching: asyncio.Task[None] | None = None
        """What watches files for clients that do not."""
        self.cancelled_by: dict[types.ProgressToken, asyncio.Task[Any]] = {}
        """What clients may cancel by the token of its progress."""
        self.publisher = Publisher(self)
        self.refresher = Refresher(self)
        self.counterexamples = Counterexamples()
        self.evaluations = Evaluations(self)
        self.graph_evaluations = GraphEvaluations(self)
        self.proofs = Proofs(self)
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.handle(types.WORKSPACE_EXECUTE_COMMAND, SndServer._execute)
        for feature in _FEATURES:
            feature.register(self)

    # ---- handlers ----------------------------------------------------------------------------------------------------
    def handle(self, method: str, handler: Handler, options: object = None) -> None:
        """Let ``handler(server, params)`` answer a method of the protocol.

        One that is a coroutine is cancelled with its request. Its faults are logged with what was asked, and answered
        as errors.
        """
        self.protocol.handlers[method] = handler
        self.options[method] = options

    def command(self, name: str, function: Callable[..., Any]) -> None:
        """Let ``function(*arguments)`` carry out a command."""
        self.commands[name] = function

    def _execute(self, params: types.ExecuteCommandParams) -> Any:
        if params.command not in self.commands:
            raise InvalidParams(f"there is no command '{params.command}'")
        return self.commands[params.command](*(params.arguments or ()))

    def refusal(self, method: str, params: Any, error: BaseException) -> RequestError:
        """Return the answer for an error of a handler; a fault of ours is logged."""
        match error:
            case RequestError():
                return error
            case UnknownDocument():
                return InvalidParams(str(error))
            case Interrupted():
                if str(error):
                    return RequestError(str(error), ErrorCode.REQUEST_CANCELLED)
                return RequestError("the text has changed since this was asked", ErrorCode.CONTENT_MODIFIED)
        self.fault(f"{method} {params!r:.{MOST_LOGGED_CHARACTERS}}", error)
        return RequestError(f"snd failed: {error!r}")

    def trace(self, method: str, params: Any, started: float) -> None:
        """Tell a client that wants to know how long a message took."""
        if self.tracing is types.TraceValue.Off:
            return
        verbose = f"{params!r:.{MOST_LOGGED_CHARACTERS}}" if self.tracing is types.TraceValue.Verbose else None
        took = (time.monotonic() - started) * 1000
        self.notify(types.LOG_TRACE, types.LogTraceParams(f"{method}: {took:.1f} ms", verbose))

    def notify(self, method: str, params: object) -> None:
        """Send a notification. May be called on the thread of the messages alone."""
        self.protocol.notify(method, params)

    async def request(self, method: str, params: object = None, result_type: Any = Any) -> Any:
        """Return what the client answers. Raises RequestError if the client refuses."""
        return await self.protocol.request(method, params, result_type)

    # ---- faults ------------------------------------------------------------------------------------------------------
    def fault(self, what: str, error: BaseException) -> None:
        """Something of ours went wrong: the log has it in full, the client is told."""
        _logger.error("%s", what, exc_info=error)
        self.log(types.MessageType.Error, f"snd failed: {error!r}\nin {what}")

    def log(self, kind: types.MessageType, message: str) -> None:
        """Tell the client, in its log. May be called on any thread."""
        self._send(types.WINDOW_LOG_MESSAGE, types.LogMessageParams(kind, message))

    def warn(self, message: str) -> None:
        """Tell the user what is wrong with what the server was given. May be called on any thread."""
        _logger.warning("%s", message)
        self._send(types.WINDOW_SHOW_MESSAGE, types.ShowMessageParams(types.MessageType.Warning, message))

    def tell(self, message: str) -> None:
        """Tell the user what was done. May be called on any thread."""
        self._send(types.WINDOW_SHOW_MESSAGE, types.ShowMessageParams(types.MessageType.Info, message))

    def _send(self, method: str, params: object) -> None:
        if self._loop is not None and not self.stopped.is_set():
            self._loop.call_soon_threadsafe(self.notify, method, params)

    # ---- work --------------------------------------------------------------------------------------------------------
    def begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task without waiting for its result."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def attach(self) -> None:
        """Messages are sent by the loop that runs now."""
        self._loop = asyncio.get_running_loop()

    def stop(self, status: int) -> None:
        """No further message is read."""
        self.status = status
        self.stopped.set()

    def stop_evaluating(self) -> None:
        """Nothing more is evaluated, and what is being evaluated ends at once."""
        self.evaluations.stop()
        self.graph_evaluations.stop()
        self.proofs.stop()

    def hang_up(self) -> None:
        """Stop waiting for a message that will not come."""
        if self.reading is not None:
            self.reading.cancel()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None and not isinstance(error, Interrupted):
            self.fault(f"{task.get_coro()}", error)
