"""Limits of reading ONNX models, with their effects for users."""

from __future__ import annotations

LONGEST_BLOCK = 100
"""Maximum number of statements of an operator made from repetitions.

Longer repetitions stay statements of the graph.
"""
SHORTEST_BLOCK = 3
"""Minimum number of statements of such an operator; fewer count only if a function with several calls has them."""
MOST_INPUTS = 8
"""Maximum number of inputs of such an operator. Windows that need more stay statements of the graph."""
MOST_REFUSED = 8
"""Maximum number of groups of repeated statements that can't become an operator. After these, no group is tried."""
MOST_ATTRIBUTES = 8
"""Maximum number of attributes of such an operator. Windows that need more stay statements of the graph."""
MOST_WRITTEN_ITEMS = 16
"""Maximum number of ints of a constant that are written into the text. Larger constants are variables with a file."""
MOST_CONTENTS = 256
"""Maximum number of elements of a tensor that are followed as symbolic integers.

Shapes that larger ones tell are not known.
"""
MOST_FOLDED_ELEMENTS = 1 << 22
"""Maximum number of elements of the inputs and the output of a node that is computed. Larger ones stay operations."""
MOST_NODES = 200_000
"""Maximum number of nodes of a model. One with more is refused."""
MOST_UNROLLED = 64
"""Maximum number of iterations of a loop that are written out, where the language has no such loop.

A longer loop is refused.
"""
LONGEST_LOOP = 1_000_000
"""Maximum number of iterations of a loop whose number is not known, as far as the shapes of its results tell."""
MOST_MATRIX_ELEMENTS = 1 << 24
"""Maximum number of elements of the matrices by which an image is resized. A resize that needs more is refused."""
MOST_INLINED = 100_000
"""Maximum number of nodes after inlining the functions of a model. A larger model is refused."""
DEEPEST_CALL = 32
"""Calls of functions inside of each other. A model with more is refused."""
MOST_NAME_CHARACTERS = 64 << 20
"""Maximum number of characters in the names of inlined nodes, which include those of all outer calls.

A larger model is refused.
"""
LONGEST_RUNTIME_ERROR = 300
"""Maximum number of characters of a message of onnxruntime that are shown; a longer one ends with an ellipsis."""
