"""Items that tract stores in blocks of 32 with a common scale."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from snd_runtime.files.storage import BLOCK_ITEMS, ItemKind

Array: TypeAlias = np.ndarray[Any, Any]


def read_blocks(data: memoryview, count: int, kind: ItemKind) -> Array:
    """Return the decoded reals of blocks: each code, less 8 if it has 4 bits, times the scale of its block."""
    blocks = count // BLOCK_ITEMS
    if not blocks:
        return np.zeros(count, np.float32)
    rows = np.frombuffer(data, np.uint8).reshape(blocks, -1)
    scales = np.ascontiguousarray(rows[:, :2]).view("<f2").astype(np.float32)
    if kind is ItemKind.Q8_1:
        codes = rows[:, -BLOCK_ITEMS:].view(np.int8).astype(np.float32)
    else:
        low, high = rows[:, 2:] & 15, rows[:, 2:] >> 4
        joined = np.stack([low, high], 2).reshape(blocks, -1) if kind is ItemKind.Q4_0_PAIRS else np.hstack([low, high])
        codes = joined.astype(np.float32) - 8
    return (codes * scales).reshape(-1)
