"""Limits of samples and traces, with their effects for users."""

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
MOST_ATTRIBUTE_CHOICES = 60
"""Combinations of attributes that are tried to compare two versions of a definition. Then the sizes that are found by
then decide."""
MOST_BASES = 3
"""Combinations of attributes on which two versions are compared, besides the variations of single attributes."""
MOST_VARIATIONS = 12
"""Variations of single attributes on which two versions are compared. Users read which were."""
MOST_TRIALS_OF_BASE = 4
"""Inputs of different sizes with the same attributes."""
MOST_FAILING_SIZES = 6
"""Choices of sizes that do not bind, before other attributes are tried."""
MOST_NAMED_CASES = 3
"""Evaluations whose sizes the message of a refactoring names."""
MOST_COMPOSITIONS = 3
"""Choices of attributes for which a large graph is composed to compare two versions of it. Users read the number."""
MOST_QUICK_TRIALS = 2
"""Trials on which an invocation of the library is tried by itself, before the formulas are replaced by it."""
MOST_COMPARED_SAMPLES = 8
"""Samples of a definition on which two versions of it are compared, besides random inputs."""
