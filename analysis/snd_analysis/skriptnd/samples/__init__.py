"""Samples: invocations in comments, with the results that they should have.

    # >>> relu{alpha=0.1}([-1.0, 2.0])
    # y: real[2] = [-0.1, 2.0]

``reading`` finds them in a chunk, ``statement`` makes of each a graph of one statement that is resolved, typed and
composed like any other: by ``snd_analysis.workspace.samples``. They are evaluated by ``snd_runtime.samples``.
"""

from snd_analysis.skriptnd.samples.reading import (
    CONTINUATION,
    MARKER,
    ReadSample,
    SampleText,
    read_invocation,
    samples_of,
)
from snd_analysis.skriptnd.samples.sample import (
    ItemExtent,
    NestedRows,
    RaggedError,
    Recorded,
    RecordedError,
    Sample,
    attempt,
    rows_of,
)
from snd_analysis.skriptnd.samples.statement import GENERATORS, SAMPLE_NAME, SampleGraph, is_generated, statement_of

__all__ = [
    "CONTINUATION",
    "GENERATORS",
    "MARKER",
    "SAMPLE_NAME",
    "ItemExtent",
    "NestedRows",
    "RaggedError",
    "ReadSample",
    "Recorded",
    "RecordedError",
    "Sample",
    "SampleGraph",
    "SampleText",
    "attempt",
    "is_generated",
    "read_invocation",
    "rows_of",
    "samples_of",
    "statement_of",
]
