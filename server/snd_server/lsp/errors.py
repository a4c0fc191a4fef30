"""What a request is refused with."""

from __future__ import annotations

import enum
from typing import Any


class ErrorCode(enum.IntEnum):
    """The codes of JSON-RPC and of the language server protocol."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    SERVER_NOT_INITIALIZED = -32002
    REQUEST_FAILED = -32803
    SERVER_CANCELLED = -32802
    CONTENT_MODIFIED = -32801
    REQUEST_CANCELLED = -32800


class RequestError(Exception):
    """An answer that is an error: ours to a client, or a client's to us."""

    def __init__(self, message: str, code: int = ErrorCode.INTERNAL_ERROR, data: Any = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.data = data


class InvalidParams(RequestError):  # noqa: N818 - the name that JSON-RPC has for it
    """The parameters are not what the method takes."""

    def __init__(self, message: str) -> None:
        super().__init__(message, ErrorCode.INVALID_PARAMS)
