"""JSON-RPC: messages of the client lead to handlers, and what they return to answers.

Handlers that are coroutines are answered when they end, and are cancelled with their request. Messages out of order, or
that are none, are answered as the language server protocol says.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import time
from collections.abc import Callable, Coroutine
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
from msgspec import Raw, Struct

from snd_server.lsp import types
from snd_server.lsp.errors import ErrorCode, InvalidParams, RequestError

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

_logger = logging.getLogger(__name__)

Handler = Callable[["SndServer", Any], Any]
_Id = int | str

# What changes the state of the session, if it is a request.
_REQUESTS = (types.INITIALIZE, types.SHUTDOWN)


class Writer(Protocol):
    """Where messages go."""

    def write(self, data: bytes) -> None:
        """Send some bytes, or keep them until they can be sent."""

    def close(self) -> None:
        """Send nothing more."""


class _Error(Struct):
    code: int
    message: str
    data: Any = None


class _Message(Struct):
    """A request, a notification, or an answer, by what is given."""

    jsonrpc: str
    id: _Id | None = None
    method: str | None = None
    params: Raw = Raw(b"null")
    result: Raw = Raw(b"null")
    error: _Error | None = None


_MESSAGE = msgspec.json.Decoder(_Message)


class JsonRpc:
    """The conversation with one client. Everything in it belongs to the thread of the event loop."""

    def __init__(self, server: SndServer) -> None:
        self.handlers: dict[str, Handler] = {}
        self.begun = False
        """Whether a client has said hello."""
        self.ended = False
        """Whether it has said goodbye."""
        self._server = server
        self._writer: Writer | None = None
        self._answering: dict[_Id, asyncio.Task[Any]] = {}
        self._asked: dict[_Id, asyncio.Future[Raw]] = {}
        self._ids = count(1)

    @property
    def unanswered(self) -> int:
        """How many requests are under way, of either side."""
        return len(self._answering) + len(self._asked)

    def attach(self, writer: Writer) -> None:
        """From now on messages can be sent."""
        self._writer = writer

    # ---- what the client sends ---------------------------------------------------------------------------------------
    def refuse(self, why: str) -> None:
        """Tell the client why nothing more is read."""
        self._refuse(None, RequestError(why, ErrorCode.PARSE_ERROR))

    def receive(self, body: bytes) -> None:
        """Begin what a message is about."""
        try:
            message = _message(body)
        except msgspec.ValidationError:
            _logger.error("what came is no message: %.200r", body)
        except ValueError as error:  # the sender of the request is unknown
            self._refuse(None, RequestError(f"a message is no JSON: {error}", ErrorCode.PARSE_ERROR))
        else:
            if message.method is None:
                self._take_answer(message)
            else:
                self._begin(message.id, message.method, message.params)

    def _begin(self, identity: _Id | None, method: str, raw: Raw) -> None:
        if identity is None and method in _REQUESTS:
            _logger.error("'%s' came as a notification", method)
            return
        refusal = self._refusal(method)
        if refusal is not None:
            self._refuse(identity, refusal)
            return
        started = time.monotonic()
        try:
            params = _read(raw, types.PARAMS.get(method, Any))
        except ValueError as error:
            _logger.error("the parameters of '%s' are not what it takes", method)
            self._refuse(identity, InvalidParams(f"the parameters of '{method}' are not what it takes: {error}"))
            return
        try:
            result = self.handlers[method](self._server, params)
        except Exception as error:
            self._refuse(identity, self._server.refusal(method, params, error))
        else:
            if inspect.iscoroutine(result):
                self._follow(identity, method, params, result, started)
                return
            self._answer(identity, result)
        self._server.trace(method, params, started)

    def _refusal(self, method: str) -> RequestError | None:
        """Return why there can be no such message now."""
        if method == types.EXIT:
            return None
        if self.ended:
            return RequestError("the server is shut down", ErrorCode.INVALID_REQUEST)
        if method == types.INITIALIZE:
            if self.begun:
                return RequestError("the server is initialized already", ErrorCode.INVALID_REQUEST)
            self.begun = True
        elif not self.begun:
            return RequestError("the first request must be 'initialize'", ErrorCode.SERVER_NOT_INITIALIZED)
        if method not in self.handlers:
            return RequestError(f"there is no method '{method}'", ErrorCode.METHOD_NOT_FOUND)
        return None

    def _follow(
        self, identity: _Id | None, method: str, params: Any, work: Coroutine[Any, Any, Any], started: float
    ) -> None:
        def done(task: asyncio.Task[Any]) -> None:
            if identity is not None:
                self._answering.pop(identity, None)
            if task.cancelled():
                self._refuse(identity, RequestError("the request was cancelled", ErrorCode.REQUEST_CANCELLED))
            elif (error := task.exception()) is not None:
                self._refuse(identity, self._server.refusal(method, params, error))
            else:
                self._answer(identity, task.result())
            self._server.trace(method, params, started)

        task = asyncio.get_running_loop().create_task(work)
        if identity is not None:
            self._answering[identity] = task
        task.add_done_callback(done)

    def cancel(self, identity: _Id) -> None:
        """Answer a request no more; one that is not under way is none of our business."""
        if (task := self._answering.get(identity)) is not None:
            task.cancel()

    def end(self) -> None:
        """Cancel everything that is being answered, and answer nothing more."""
        self.ended = True
        for task in self._answering.values():
            task.cancel()
        for future in list(self._asked.values()):
            future.cancel()

    def _answer(self, identity: _Id | None, result: Any) -> None:
        if identity is not None:
            self._send({"id": identity, "result": result})

    def _refuse(self, identity: _Id | None, error: RequestError) -> None:
        if identity is None and error.code != ErrorCode.PARSE_ERROR:  # a notification has no answer
            return
        about = {"code": int(error.code), "message": error.message}
        self._send({"id": identity, "error": about if error.data is None else {**about, "data": error.data}})

    # ---- what the client is sent -------------------------------------------------------------------------------------
    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    async def request(self, method: str, params: Any = None, result_type: Any = Any) -> Any:
        """Return what the client answers. Raises RequestError if the client refuses."""
        identity = next(self._ids)
        future = self._asked[identity] = asyncio.get_running_loop().create_future()
        self._send({"id": identity, "method": method, "params": params})
        try:
            return _read(await future, result_type)
        finally:
            del self._asked[identity]

    def _take_answer(self, message: _Message) -> None:
        future = None if message.id is None else self._asked.get(message.id)
        if future is None or future.done():  # we have stopped waiting
            return
        if message.error is not None:
            error = message.error
            future.set_exception(RequestError(error.message, error.code, error.data))
        else:
            future.set_result(message.result)

    def _send(self, message: dict[str, Any]) -> None:
        if self._writer is None:
            return
        body = _written({"jsonrpc": "2.0", **message})
        try:
            self._writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        except OSError as error:
            _logger.error("the client can't be told any more: %s", error)


@cache
def _decoder(wanted: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(wanted)


def _message(body: bytes) -> _Message:
    """Raises ValueError if it is no JSON, ValidationError if it is no message."""
    try:
        return _MESSAGE.decode(body)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:  # strings of JavaScript may have half of a surrogate pair: a question mark is as wide
        return _MESSAGE.decode(json.dumps(json.loads(body), ensure_ascii=False).encode(errors="replace"))


def _read(raw: Raw, wanted: Any) -> Any:
    """Raises ValueError if it is something else."""
    return _decoder(wanted).decode(raw)


def _written(message: Any) -> bytes:
    try:
        return msgspec.json.encode(message)
    except UnicodeEncodeError:  # names of files may be no UTF-8
        return json.dumps(msgspec.to_builtins(message)).encode()
