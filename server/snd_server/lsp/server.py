"""The server: what it can do is what the modules listed here register."""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
import time
from collections.abc import Callable, Coroutine
from types import ModuleType
from typing import Any

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcContentModified,
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcRequestCancelled,
)
from pygls.lsp.server import LanguageServer

from snd_server import __version__
from snd_server.lsp import (
    call_hierarchy,
    client_settings,
    code_actions,
    code_lenses,
    completion,
    custom_requests,
    formatting,
    graph_commands,
    graph_view,
    hover,
    inlay_hints,
    life,
    navigation,
    pull,
    rename,
    sample_commands,
    sample_list,
    sample_writing,
    semantic_tokens,
    signature_help,
    symbols,
    synchronisation,
    watching,
    workspace_diagnostics,
)
from snd_server.lsp.abilities import DiagnosticAbilities
from snd_server.lsp.analysis_thread import Interrupted
from snd_server.lsp.evaluation import Evaluations
from snd_server.lsp.graph_evaluation import GraphEvaluations
from snd_server.lsp.limits import MOST_LOGGED_CHARACTERS
from snd_server.lsp.protocol import Protocol
from snd_server.lsp.push import Publisher
from snd_server.lsp.refresh import Refresher
from snd_server.lsp.session import Session, UnknownDocument

_logger = logging.getLogger(__name__)

# Each has ``register(server)``.
_FEATURES: tuple[ModuleType, ...] = (
    life,
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
    sample_list,
    custom_requests,
    graph_view,
)


class SndServer(LanguageServer):
    """One server serves one client."""

    protocol: Protocol

    def __init__(self) -> None:
        super().__init__("snd", __version__, protocol_cls=Protocol)
        self.session = Session()
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
        self.publisher = Publisher(self)
        self.refresher = Refresher(self)
        self.evaluations = Evaluations(self)
        self.graph_evaluations = GraphEvaluations(self)
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        for feature in _FEATURES:
            feature.register(self)

    # ---- handlers ----------------------------------------------------------------------------------------------------
    def handle(self, method: str, handler: Callable[..., Any], options: object = None) -> None:
        """Lets ``handler(server, params)`` answer a method of the protocol.

        One that is a coroutine is cancelled with its request. Its faults are logged with what was asked, and answered
        as errors.
        """
        if inspect.iscoroutinefunction(handler):

            async def begin(params: Any) -> Any:
                started = time.monotonic()
                try:
                    return await handler(self, params)
                except Exception as error:
                    raise self._refusal(method, params, error) from error
                finally:
                    self._trace(method, params, started)

            self.feature(method, options)(begin)
            return

        def do(params: Any) -> Any:
            started = time.monotonic()
            try:
                return handler(self, params)
            except Exception as error:
                raise self._refusal(method, params, error) from error
            finally:
                self._trace(method, params, started)

        self.feature(method, options)(do)

    def _refusal(self, method: str, params: Any, error: Exception) -> JsonRpcException:
        if isinstance(error, JsonRpcException):
            return error
        if isinstance(error, UnknownDocument):
            return JsonRpcInvalidParams(str(error))
        if isinstance(error, Interrupted):
            if str(error):
                return JsonRpcRequestCancelled(str(error))
            return JsonRpcContentModified("the text has changed since this was asked")
        self.fault(f"{method} {params!r:.{MOST_LOGGED_CHARACTERS}}", error)
        return JsonRpcInternalError(f"snd failed: {error!r}")

    def _trace(self, method: str, params: Any, started: float) -> None:
        if self.protocol.trace is types.TraceValue.Off:
            return
        verbose = f"{params!r:.{MOST_LOGGED_CHARACTERS}}" if self.protocol.trace is types.TraceValue.Verbose else None
        took = (time.monotonic() - started) * 1000
        self.log_trace(types.LogTraceParams(f"{method}: {took:.1f} ms", verbose))

    # ---- faults ------------------------------------------------------------------------------------------------------
    def fault(self, what: str, error: BaseException) -> None:
        """Something of ours went wrong: the log has it in full, the client is told."""
        _logger.error("%s", what, exc_info=error)
        self.log(types.MessageType.Error, f"snd failed: {error!r}\nin {what}")

    def log(self, kind: types.MessageType, message: str) -> None:
        """Tells the client, in its log. May be called on any thread."""
        self._send(lambda: self.window_log_message(types.LogMessageParams(kind, message)))

    def warn(self, message: str) -> None:
        """Tells the user what is wrong with what the server was given. May be called on any thread."""
        _logger.warning("%s", message)
        self._send(lambda: self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message)))

    def _send(self, function: Callable[[], None]) -> None:
        if self._loop is not None and not self.stopped.is_set():
            self._loop.call_soon_threadsafe(function)

    def report_server_error(self, error: Exception, source: object) -> None:
        """Faults that pygls meets. Those of our handlers have been told by then, and are answered."""
        if isinstance(error, ValueError) and self.protocol.writer is not None:  # of JSON, or of its encoding
            self.protocol.unreadable(error)
        elif not isinstance(error, JsonRpcException):
            self.fault("the handling of a message", error)

    # ---- work --------------------------------------------------------------------------------------------------------
    def begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Does something that nobody waits for."""
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

    def hang_up(self) -> None:
        """Stops waiting for a message that will not come."""
        if self.reading is not None:
            self.reading.cancel()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None and not isinstance(error, Interrupted):
            self.fault(f"{task.get_coro()}", error)
