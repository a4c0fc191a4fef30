"""The error of a file that configures snd."""

from __future__ import annotations

from snd_analysis.base import Source, Span
from snd_server.limits import LONGEST_SETTING_ERROR


class ConfigError(Exception):
    """A configuration that can't be used. As text, it names the file ``origin``, and the line if it is known.

    ``reason`` is the message alone; ``place`` the marked characters of the text, for a text that could be read.
    """

    def __init__(self, reason: str, origin: str = "", place: tuple[Source, Span] | None = None) -> None:
        self.reason = reason if len(reason) <= LONGEST_SETTING_ERROR else f"{reason[:LONGEST_SETTING_ERROR]} …"
        self.origin = origin
        self.place = place
        where = origin
        if place is not None:
            source, span = place
            start = source.position(span.start)
            where += f":{start.line}" if span.start < span.end else f":{start.line}:{start.column}"
        super().__init__(f"{where}: {self.reason}" if where else self.reason)
