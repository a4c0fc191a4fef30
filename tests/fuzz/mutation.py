"""Bytes that are nearly what a reader expects: seeds, changed a little or spliced with others."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

_PIECES = [
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"\r\n", b"\t", b"'", b'"', b"`", b"\\", b"[", b"]", b"{", b"}",
    b"(", b")", b"<", b">", b"..", b"...", b",", b";", b":", b"=", b"#", b">>>", b"*", b"**", b"/", b"@", b"~", b"-",
    b"9" * 40, b"1e999", b"\xc2\x9b", b"\xe2\x80\xa8", b"\xf0\x9f\x98\x80", b"\xed\xa0\x80", b"operator f {", b"graph",
    b"@compose", b"if", b"then", b"else", b"for", b"do", b"import ", b"nn.", b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff",
]  # fmt: skip
LONGEST = 20_000


def mutated(seeds: Sequence[bytes], chance: Random) -> bytes:
    """One of the seeds after one to eight changes."""
    content = bytearray(chance.choice(seeds))
    for _ in range(chance.choice((1, 1, 2, 4, 8))):
        begin = chance.randrange(len(content) + 1)
        end = min(len(content), begin + chance.choice((0, 1, 2, 8, 64, 512)))
        match chance.randrange(6):
            case 0:
                del content[begin:end]
            case 1:
                content[begin:begin] = chance.choice(_PIECES)
            case 2:
                content[begin:end] = chance.choice(_PIECES)
            case 3:
                content[begin:begin] = content[begin:end] * chance.choice((1, 2, 50))
            case 4:
                other = chance.choice(seeds)
                at = chance.randrange(len(other) + 1)
                content[begin:end] = other[at : at + chance.choice((4, 64, 512))]
            case _:
                content[begin:end] = bytes(byte ^ (1 << chance.randrange(8)) for byte in content[begin:end])
    return bytes(content[:LONGEST])
