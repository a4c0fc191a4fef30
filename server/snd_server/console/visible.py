"""Text as a terminal can show it: control characters made visible, so that no file can steer the terminal."""

from __future__ import annotations

import unicodedata

_TAB = " " * 4
_DELETE = 0x7F
_CONTROL_PICTURES = 0x2400


def visible(text: str) -> str:
    """Return ``text`` with tabs as four spaces and a sign in place of each character that is not for printing."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_sign, text))


def one_line(text: str) -> str:
    """Return the same for a message that has to fit one line."""
    return visible(" ".join(text.split("\n")))


def width(text: str) -> int:
    """Return the columns of visible text: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _sign(character: str) -> str:
    if character == "\t":
        return _TAB
    if character.isprintable():
        return character
    code = ord(character)
    if code < ord(" "):
        return chr(_CONTROL_PICTURES + code)
    if code == _DELETE:
        return "\u2421"
    # the spaces beside U+0020 are harmless; separators, formats (bidirectional overrides) and unassigned are not
    return " " if unicodedata.category(character) == "Zs" else "\ufffd"
