"""What we do otherwise than pygls.

Texts are ours (see ``documents``), so its own are never made. Messages out of order, or that are none, are answered as
the protocol says. The process ends when the client says so, with the status that tells whether it said goodbye.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from msgspec import Struct
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.protocol.json_rpc import RPCNotification, RPCRequest

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

_logger = logging.getLogger(__name__)

_Steps = Generator[Any, Any, None]
_PARSE_ERROR = JsonRpcParseError.CODE


class _Malformed(Struct, frozen=True):
    """A message whose parameters are not what its method takes."""

    id: str | int | None
    method: str
    error: JsonRpcException


class Protocol(LanguageServerProtocol):
    """Passes what clients say of documents to our handlers alone."""

    _server: SndServer
    begun = False
    """Whether a client has said hello."""

    # ---- messages ----------------------------------------------------------------------------------------------------
    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message as an object of its type."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            return _Malformed(data.get("id"), str(data.get("method", "")), error)

    def handle_message(self, message: Any) -> None:
        """Passes a message on, if there can be such a message now."""
        if isinstance(message, _Malformed):
            _logger.error("the parameters of '%s' are not what it takes", message.method)
            if message.id is not None and message.method:
                self._send_response(message.id, error=message.error.to_response_error())
            return
        if not hasattr(message, "jsonrpc"):
            _logger.error("what came is no message: %.200r", message)
            return
        refusal = self._refusal(message)
        if refusal is None:
            super().handle_message(message)
        elif isinstance(message, RPCRequest):
            self._send_response(message.id, error=refusal.to_response_error())

    def _refusal(self, message: Any) -> JsonRpcException | None:
        if not isinstance(message, RPCRequest | RPCNotification) or message.method == types.EXIT:
            return None
        if self._shutdown:
            return JsonRpcInvalidRequest("the server is shut down")
        if message.method == types.INITIALIZE:
            if self.begun:
                return JsonRpcInvalidRequest("the server is initialized already")
            self.begun = True
        elif not self.begun:
            return JsonRpcServerNotInitialized("the first request must be 'initialize'")
        return None

    def _execute_handler(
        self,
        msg_id: str | int,
        handler: Callable[..., Any],
        callback: Callable[[Future[Any]], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """As pygls does, but forgets what handled a notification: it would keep a future of each letter typed."""

        def done(future: Future[Any]) -> None:
            self._request_futures.pop(msg_id, None)
            callback(future)

        super()._execute_handler(msg_id, handler, done, args, kwargs)

    def unreadable(self, error: Exception) -> None:
        """A message that is not even JSON: nobody knows who asked."""
        message = f"a message is no JSON: {error}"
        self._send_data({"jsonrpc": self.VERSION, "id": None, "error": {"code": _PARSE_ERROR, "message": message}})

    def _handle_response(self, msg_id: Any, result: Any = None, error: types.ResponseError | None = None) -> None:
        future = self._request_futures.get(msg_id)
        if future is not None and future.done():  # we have stopped waiting
            del self._request_futures[msg_id]
            return
        super()._handle_response(msg_id, result, error)

    # ---- the life of a session ---------------------------------------------------------------------------------------
    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *_: Any) -> _Steps:
        """Everything that is being answered is cancelled."""
        yield self.fm.features[types.SHUTDOWN], (None,), None
        current = self.msg_id
        for identity, future in list(self._request_futures.items()):
            if identity != current:
                future.cancel()
        self._shutdown = True

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> _Steps:
        """The client wants the process to end."""
        self._server.stop(0 if self._shutdown else 1)
        yield from ()

    # ---- documents ---------------------------------------------------------------------------------------------------
    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> _Steps:
        """A document was opened."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> _Steps:
        """A document was changed."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> _Steps:
        """A document was closed."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None
