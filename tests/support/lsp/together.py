"""Messages that are sent without waiting in between arrive together.

Each in a write of its own, the sender may be held up between two of them for longer than the server pauses before it
does something by itself, and a test of what is shown "at once" would be one of the machine.
"""

from __future__ import annotations

import asyncio


class TogetherWriter:
    """Keeps what is written until the task that writes waits for something, and writes it as one."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._kept = bytearray()

    def write(self, data: bytes) -> None:
        """Write it with whatever else is written now."""
        if not self._kept:
            asyncio.get_running_loop().call_soon(self._flush)
        self._kept += data

    async def drain(self) -> None:
        """Wait until what was written has been sent."""
        self._flush()
        await self._writer.drain()

    def close(self) -> None:
        """Send what was written, and nothing more."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        kept, self._kept = bytes(self._kept), bytearray()
        if kept:
            self._writer.write(kept)
