"""The error of a file that configures snd."""

from __future__ import annotations

from snd_server.limits import LONGEST_SETTING_ERROR


class ConfigError(Exception):
    """A configuration that cannot be used; the message names file and line."""

    def __init__(self, message: str) -> None:
        super().__init__(message if len(message) <= LONGEST_SETTING_ERROR else f"{message[:LONGEST_SETTING_ERROR]} …")
