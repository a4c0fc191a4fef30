"""Limits of evaluating formulas, with their effects for users."""

from __future__ import annotations

MOST_CHUNKS = 1024
"""Maximum number of chunks of a sum that are kept for the next run.

Of more, all are found again: users see nothing of it.
"""
MOST_COPIED = 1 << 20
"""Number of elements of windows that are copied at a time.

Copies that stay in the cache cost less than half of the others (measured). Users see nothing of it.
"""
MOST_COUNTED_ELEMENTS = 1 << 20
"""Maximum size of a tensor whose written elements are counted.

For larger tensors only the forms of the indices are examined: unwritten elements may stay 0 without an error.
"""
MOST_SUMMED = 256
"""Maximum number of summands that a compiled loop adds up one by one.

Longer sums, which would lose accuracy, are added up in blocks. Users see the same.
"""
MOST_ROUNDS = 4096
"""Maximum number of rounds of a loop around NumPy: more don't pay. Users see nothing of it."""
MOST_PRODUCTS = 1 << 36
"""Maximum number of products of two matrices that are compiled as a whole.

More are computed in pieces, between which the time is checked.
"""
MOST_PARTS = 128
"""Maximum number of parts of an index space that are compiled as successive products of matrices.

Transposed convolutions, whose windows overlap, need several. NumPy does larger ones: users see the same.
"""
MOST_OFFSETS = 1 << 22
"""Maximum number of rows, columns or matrices of a compiled product. NumPy does larger ones: users see the same."""
MOST_VECTORS = 4
"""Maximum number of vectors by which a matrix is multiplied one by one.

More are multiplied as a matrix: users see the same.
"""
MOST_BETWEEN = 32
"""Maximum distance between columns of one stretch, for products of single rows. Farther columns begin another stretch:
users see the same."""
MOST_WASTED = 4
"""Maximum number of elements that products of single rows compute for each one that is kept.

If it is more, other loops compute them: users see the same.
"""
MOST_UNROLLED = 8
"""Maximum number of positions of a window that are written out in a loop, and maximum distance between them.

Longer windows are accumulated position by position: users see the same.
"""
