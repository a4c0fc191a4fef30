"""Limits of writing ONNX models, with their effects for users."""

from __future__ import annotations

MOST_STEPS = 256
"""Maximum number of steps of a formula that reads its own writes: each becomes separate nodes.

A graph with a longer one is refused.
"""
MOST_LOADED_NODES = 100_000
"""Maximum number of nodes of an exported model with its functions inlined.

A note says that onnxruntime was not asked to load a larger model.
"""
