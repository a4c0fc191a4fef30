"""Limits of files with tensors, with their effects for users."""

from __future__ import annotations

MOST_ARRAY_BYTES = 1 << 33
"""Maximum number of bytes of an array in an archive, once it is unpacked. A larger one is an invalid file."""
MOST_EXTENT = 1 << 48
"""Extents of a tensor in a .safetensors file. One that tells more is an invalid file."""
