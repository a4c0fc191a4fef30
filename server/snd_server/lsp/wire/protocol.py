"""The conversation with one client: the protocol of pygls, with answers to messages that break it.

pygls drops messages whose parameters do not have the declared types, and messages after ``shutdown``: here they are
answered with an error. pygls keeps every notification whose handler is a coroutine: here it is forgotten in the end.
"""

from __future__ import annotations

import inspect
import json
import logging
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from cattrs import Converter, transform_error
from cattrs.errors import ClassValidationError
from lsprotocol import converters, types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    LanguageServerProtocol,
    lsp_method,
)

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

_logger = logging.getLogger(__name__)

_OURS = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
    types.WORKSPACE_EXECUTE_COMMAND,
)
"""Methods that pygls has handlers for and this server does not use: ``documents.py`` keeps the texts of documents, and
commands take any arguments."""


class SndProtocol(LanguageServerProtocol):
    """The conversation with one client. Everything in it belongs to the thread of the event loop."""

    _server: SndServer

    def __init__(self, server: SndServer, converter: Converter) -> None:
        super().__init__(server, converter)
        for method in _OURS:
            del self.fm.builtin_features[method]

    @property
    def has_begun(self) -> bool:
        """Return whether the client has sent ``initialize``."""
        return self._workspace is not None

    # ---- messages of the client --------------------------------------------------------------------------------------
    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return an object of a message unchanged: ``handle_message`` structures the whole message."""
        return data

    def handle_message(self, message: Any) -> None:
        """Handle a message, and answer a request that can't be handled with an error."""
        if not _is_message(message):
            _logger.error("a message that is none was ignored: %.200r", message)
            return
        identity, method = message.get("id"), message.get("method")
        if identity is None and method is not None:
            message = {name: value for name, value in message.items() if name != "id"}
        try:
            if method is not None:
                self._demand_in_order(method)
            structured = self._structured(message)
        except JsonRpcException as error:
            if method is None:
                self._handle_response(identity, error=error.to_response_error())
            elif identity is not None:
                self._send_response(identity, error=error.to_response_error())
            else:
                _logger.error("'%.200s' was ignored: %s", method, error)
            return
        super().handle_message(structured)

    def _demand_in_order(self, method: str) -> None:
        """Raise an error if the session is in a state in which a client must not send ``method``."""
        if method == types.EXIT:
            return
        if self._shutdown:
            raise JsonRpcInvalidRequest("the server is shut down")
        if method == types.INITIALIZE:
            if self.has_begun:
                raise JsonRpcInvalidRequest("the server is initialized already")
        elif not self.has_begun:
            raise JsonRpcServerNotInitialized("the first request must be 'initialize'")

    def _structured(self, message: dict[str, Any]) -> Any:
        try:
            return super().structure_message(message)
        except JsonRpcException as error:
            cause = error.__cause__
            why = "; ".join(transform_error(cause)) if isinstance(cause, ClassValidationError) else str(cause)
            about = f"the parameters of '{message['method']}' are" if "method" in message else "the answer is"
            raise JsonRpcInvalidParams(f"{about} not of the declared type: {why}") from None

    def refuse(self, why: str) -> None:
        """Answer bytes that are no message: it is unknown which request they are."""
        error = JsonRpcParseError(why).to_response_error()
        self._send_data({"jsonrpc": self.VERSION, "id": None, "error": error})  # pygls would leave out the identity

    # ---- messages to the client --------------------------------------------------------------------------------------
    def _send_data(self, data: Any) -> None:
        """Send a message; in place of a response that JSON can't express, send an error: pygls would send nothing."""
        try:
            body = self._body(data)
        except (AttributeError, TypeError, ValueError, RecursionError) as fault:
            _logger.exception("a message can't be written as JSON")
            if not hasattr(data, "result"):
                return
            error = JsonRpcInternalError(f"snd failed: {fault!r}").to_response_error()
            body = self._body(types.ResponseErrorMessage(id=data.id, error=error))
        header = b"Content-Length: %d\r\n\r\n" % len(body) if self._include_headers else b""
        if self.writer is not None and inspect.iscoroutine(sending := self.writer.write(header + body)):
            self._server.begin(sending)

    def _body(self, data: Any) -> bytes:
        return json.dumps(data, default=self._serialize_message).encode()

    # ---- handlers ----------------------------------------------------------------------------------------------------
    def _execute_handler(
        self,
        msg_id: int | str,
        handler: Callable[..., Any],
        callback: Callable[[Any], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        super()._execute_handler(msg_id, handler, callback, args, kwargs)
        if (future := self._request_futures.get(msg_id)) is not None:

            def forget(_: object) -> None:
                if self._request_futures.get(msg_id) is future:
                    del self._request_futures[msg_id]

            future.add_done_callback(forget)

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *_: object) -> None:  # type: ignore[override]
        """Cancel every request of either side, and handle nothing more but ``exit``.

        pygls fails if a future that it cancels is forgotten at once.
        """
        self._server.end_work()
        for future in [*self._request_futures.values()]:
            future.cancel()
        self._shutdown = True

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: object) -> None:  # type: ignore[override]
        """Read no further message; the process ends when its output is sent."""
        self._server.stop(0 if self._shutdown else 1)


def _is_message(message: Any) -> bool:
    return (
        isinstance(message, dict)
        and message.get("jsonrpc") == SndProtocol.VERSION
        and isinstance(message.get("id"), int | str | None)
        and isinstance(message.get("method"), str | None)
        and not message.keys().isdisjoint(("method", "result", "error"))
    )


@cache
def converter() -> Converter:
    """Return the one converter of all servers: it compiles a function for each type that it meets."""
    made = converters.get_converter()
    made.register_structure_hook(
        JsonRPCNotification, lambda sent, _: JsonRPCNotification(sent["method"], sent["jsonrpc"], sent.get("params"))
    )
    made.register_structure_hook(
        JsonRPCRequestMessage,
        lambda sent, _: JsonRPCRequestMessage(sent["id"], sent["method"], sent["jsonrpc"], sent.get("params")),
    )
    made.register_structure_hook(
        JsonRPCResponseMessage, lambda sent, _: JsonRPCResponseMessage(sent["id"], sent["jsonrpc"], sent.get("result"))
    )
    return made
