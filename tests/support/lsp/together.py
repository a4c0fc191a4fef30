"""Messages sent without a pause in between, which arrive together.

With a write for each, the sender could be delayed between two of them for longer than the pause of the server, and a
test of displays "at once" would depend on the machine.
"""

from __future__ import annotations

import asyncio


class TogetherWriter:
    """Writer that buffers its input until the writing task waits for something, and writes it at once."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._kept = bytearray()

    def write(self, data: bytes) -> None:
        """Write the data together with all other data that is written now."""
        if not self._kept:
            asyncio.get_running_loop().call_soon(self._flush)
        self._kept += data

    async def drain(self) -> None:
        """Wait until all written data has been sent."""
        self._flush()
        await self._writer.drain()

    def close(self) -> None:
        """Send the written data, and nothing more."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        kept, self._kept = bytes(self._kept), bytearray()
        if kept:
            self._writer.write(kept)
