"""The error of a file with invalid bytes."""

from __future__ import annotations


class InvalidFileError(Exception):
    """Bytes that violate the format: the reason, and the offset of the first byte at fault, if there is one."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message if offset is None else f"byte {offset}: {message}")
        self.message = message
        self.offset = offset
