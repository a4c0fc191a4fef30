"""The server: its abilities are those of the modules registered here."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
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
from snd_server.lsp.diagnostics import pull, workspace_diagnostics
from snd_server.lsp.diagnostics.counterexamples import Counterexamples
from snd_server.lsp.diagnostics.push import Publisher
from snd_server.lsp.diagnostics.refresh import Refresher
from snd_server.lsp.features import (
    call_hierarchy,
    code_actions,
    code_lenses,
    completion,
    custom_requests,
    data_flow,
    formatting,
    graph_view,
    hover,
    inlay_hints,
    navigation,
    refactoring,
    rename,
    semantic_tokens,
    signature_help,
    symbols,
)
from snd_server.lsp.features.proofs import Proofs
from snd_server.lsp.limits import MOST_LOGGED_CHARACTERS
from snd_server.lsp.session import client_settings, life, synchronisation, watching
from snd_server.lsp.session.analysis_thread import Interrupted
from snd_server.lsp.session.session import ClientSession, UnknownDocument
from snd_server.lsp.values import graph_commands, sample_commands, sample_list, sample_writing
from snd_server.lsp.values.evaluation import Evaluations
from snd_server.lsp.values.graph_evaluation import GraphEvaluations
from snd_server.lsp.wire.protocol import SndProtocol, converter

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
    refactoring,
    sample_list,
    custom_requests,
    graph_view,
    data_flow,
)


Handler = Callable[["SndServer", Any], Any]


class SndServer(LanguageServer):
    """One server serves one client."""

    protocol: SndProtocol

    def __init__(self) -> None:
        super().__init__("snd", __version__, protocol_cls=SndProtocol, converter_factory=converter)
        self.session = ClientSession()
        self.stopped = threading.Event()
        self.status = 1
        """The exit status: 1 as long as the client has not said goodbye."""
        self.folders: dict[str, str] = {}
        """The workspace folders of the client: names by URI."""
        self.wrong_settings: tuple[str, ...] = ()
        """Mistakes in the settings of the client that were reported to it."""
        self.reading: asyncio.Task[None] | None = None
        """The task that reads messages."""
        self.watching: asyncio.Task[None] | None = None
        """The task that watches files for clients that do not."""
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

        A coroutine is cancelled with its request. Faults of the handler are logged with the parameters, and answered as
        errors.
        """

        def answer(params: Any) -> Any:
            with self._answering(method, params):
                return handler(self, params)

        async def answer_later(params: Any) -> Any:
            with self._answering(method, params):
                return await handler(self, params)

        self.feature(method, options)(answer_later if asyncio.iscoroutinefunction(handler) else answer)

    def answer(self, method: str, handler: Callable[[ClientSession, Any], Any], options: object = None) -> None:
        """Let ``handler(session, params)`` answer a method, as ``handle`` does: it needs nothing else of the server."""
        if asyncio.iscoroutinefunction(handler):

            async def later(server: SndServer, params: Any) -> Any:
                return await handler(server.session, params)

            self.handle(method, later, options)
        else:
            self.handle(method, lambda server, params: handler(server.session, params), options)

    async def _execute(self, params: types.ExecuteCommandParams) -> Any:
        commands = self.protocol.fm.commands
        if params.command not in commands:
            raise JsonRpcInvalidParams(f"there is no command '{params.command}'")
        result = commands[params.command](*(params.arguments or ()))
        return await result if asyncio.iscoroutine(result) else result

    @contextmanager
    def _answering(self, method: str, params: Any) -> Iterator[None]:
        """Turn errors of a handler into answers, and tell a client that traces how long the handler took."""
        started = time.monotonic()
        try:
            yield
        except JsonRpcException:
            raise
        except UnknownDocument as error:
            raise JsonRpcInvalidParams(str(error)) from None
        except Interrupted as error:
            if str(error):
                raise JsonRpcRequestCancelled(str(error)) from None
            raise JsonRpcContentModified("the text has changed since this was asked") from None
        except Exception as error:
            self.fault(f"{method} {params!r:.{MOST_LOGGED_CHARACTERS}}", error)
            raise JsonRpcInternalError(f"snd failed: {error!r}") from None
        finally:
            if self.protocol.trace is not types.TraceValue.Off:
                self._trace(method, params, time.monotonic() - started)

    def _trace(self, method: str, params: Any, seconds: float) -> None:
        is_verbose = self.protocol.trace is types.TraceValue.Verbose
        verbose = f"{params!r:.{MOST_LOGGED_CHARACTERS}}" if is_verbose else None
        self.log_trace(types.LogTraceParams(f"{method}: {seconds * 1000:.1f} ms", verbose))

    def report_server_error(self, error: Exception, source: object) -> None:
        """Tell the client about a message that is no JSON; log a fault that no handler has logged."""
        if isinstance(error, ValueError | RecursionError):  # the sender of the request is unknown
            self.protocol.refuse(f"a message is no JSON: {error}")
        elif not isinstance(error, JsonRpcException):
            self.fault("the handling of a message", error)

    # ---- faults ------------------------------------------------------------------------------------------------------
    def fault(self, what: str, error: BaseException) -> None:
        """Report an internal fault: in full in the log, and to the client."""
        _logger.error("%s", what, exc_info=error)
        self.log(types.MessageType.Error, f"snd failed: {error!r}\nin {what}")

    def log(self, kind: types.MessageType, message: str) -> None:
        """Tell the client, in its log. May be called on any thread."""
        self._soon(self.window_log_message, types.LogMessageParams(kind, message))

    def warn(self, message: str) -> None:
        """Show the user a problem of the server's inputs. May be called on any thread."""
        _logger.warning("%s", message)
        self._soon(self.window_show_message, types.ShowMessageParams(types.MessageType.Warning, message))

    def publish(self, path: str, found: list[types.Diagnostic]) -> None:
        """Show the diagnostics of a file that no document is. May be called on any thread."""
        uri = self.session.documents.uri(path)
        self._soon(self.text_document_publish_diagnostics, types.PublishDiagnosticsParams(uri, found))

    def tell(self, message: str) -> None:
        """Show the user a message about finished work. May be called on any thread."""
        self._soon(self.window_show_message, types.ShowMessageParams(types.MessageType.Info, message))

    def _soon(self, send: Callable[[Any], None], params: object) -> None:
        if self._loop is not None and not self.stopped.is_set():
            self._loop.call_soon_threadsafe(send, params)

    # ---- work --------------------------------------------------------------------------------------------------------
    def begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task without waiting for its result."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def attach(self, reading: asyncio.Task[None]) -> None:
        """Send messages by the loop that runs now, on which ``reading`` reads them."""
        self._loop = asyncio.get_running_loop()
        self.reading = reading

    def stop(self, status: int) -> None:
        """Stop reading messages."""
        self.status = status
        self.stopped.set()

    def end_work(self) -> None:
        """End running analyses and evaluations, and begin no more."""
        self.session.stop()
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
