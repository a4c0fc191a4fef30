"""The samples and graphs of a file that can be evaluated: dependencies and cost of their values."""

from snd_analysis.ide.evaluation.graphs import (
    GraphName,
    GraphTensors,
    KnownGraph,
    TensorName,
    entries_in,
    graph_tensors,
    graphs_in,
)
from snd_analysis.ide.evaluation.samples import (
    Digests,
    KnownSample,
    SampleName,
    is_small_graph,
    sample_names,
    samples_in,
)

__all__ = [
    "Digests",
    "GraphName",
    "GraphTensors",
    "KnownGraph",
    "KnownSample",
    "SampleName",
    "TensorName",
    "entries_in",
    "graph_tensors",
    "graphs_in",
    "is_small_graph",
    "sample_names",
    "samples_in",
]
