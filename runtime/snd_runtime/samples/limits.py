"""Limits of samples and traces, with what users see at each."""

from __future__ import annotations

MOST_TRACED = 2_000
"""Tensors of a graph whose values are shown in the text: the first that are computed. The others have no values."""
MOST_TRACED_ITEMS = 16
"""Tensors of a pack whose values are shown in the text."""
MOST_PICTURE_BYTES = 2 << 20
"""Bytes of all pictures of a graph. Further tensors are shown without a picture."""
MOST_HELD_BYTES = 16 << 10
"""Bytes of a tensor of the present iteration that is kept until the next one replaces it. A larger tensor is summarised
in every iteration: users see the same."""
MOST_WRITTEN_ARGUMENTS = 8
"""Elements of an argument that a proposed sample lists. For a larger tensor it names a generator."""
MOST_RECORDED = 100
"""Elements of a result that are recorded. Of a larger tensor, a summary is recorded."""
MOST_BINDINGS = 200
"""Combinations of attributes that are tried for a proposed sample. Then no sample is proposed."""
WIDEST_LINE = 110
"""Characters of a line of a proposed sample. A longer invocation gets a line for each argument."""
