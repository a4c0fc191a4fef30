"""Limits of samples and traces, with their effects for users."""

from __future__ import annotations

MOST_TRACED = 2_000
"""Maximum number of tensors of a graph whose values are shown in the text: the first that are computed.

The others have no values.
"""
MOST_TRACED_ITEMS = 16
"""Maximum number of tensors of a pack whose values are shown in the text."""
MOST_PICTURE_BYTES = 2 << 20
"""Maximum number of bytes of all pictures of a graph. Further tensors are shown without a picture."""
MOST_HELD_BYTES = 16 << 10
"""Maximum number of bytes of a tensor of the present iteration that is kept until the next one replaces it.

A larger tensor is summarised in every iteration: users see the same.
"""
MOST_WRITTEN_ARGUMENTS = 8
"""Maximum number of elements of an argument that a proposed sample lists. For a larger tensor it names a generator."""
MOST_RECORDED = 100
"""Maximum number of elements of a result that are recorded. Of a larger tensor, a summary is recorded."""
MOST_BINDINGS = 200
"""Maximum number of combinations of attributes that are tried for a proposed sample. Then no sample is proposed."""
WIDEST_LINE = 110
"""Maximum number of characters of a line of a proposed sample. A longer invocation gets a line for each argument."""
MOST_ATTRIBUTE_CHOICES = 60
"""Maximum number of combinations of attributes that are tried to compare two versions of a definition.

After these, the sizes found so far decide.
"""
MOST_BASES = 3
"""Maximum number of combinations of attributes on which two versions are compared.

Variations of single attributes are not counted.
"""
MOST_VARIATIONS = 12
"""Maximum number of variations of single attributes on which two versions are compared. The message names them."""
MOST_TRIALS_OF_BASE = 4
"""Maximum number of inputs of different sizes with the same attributes."""
MOST_FAILING_SIZES = 6
"""Maximum number of choices of sizes that do not bind, before other attributes are tried."""
MOST_NAMED_CASES = 3
"""Maximum number of evaluations whose sizes the message of a refactoring names."""
MOST_COMPOSITIONS = 3
"""Maximum number of choices of attributes for which a large graph is composed to compare two versions of it.

Users read the number.
"""
MOST_QUICK_TRIALS = 2
"""Maximum number of trials of an invocation of the library by itself, before it replaces the formulas."""
MOST_COMPARED_SAMPLES = 8
"""Maximum number of samples of a definition on which two versions of it are compared, besides random inputs."""
