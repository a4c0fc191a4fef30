"""Limits of writing ONNX models, with what users see at each."""

from __future__ import annotations

MOST_STEPS = 256
"""Steps of a formula that reads what it writes: each becomes nodes of its own. A graph with a longer one is refused."""
