"""Samples in the comments of files in NNEF 1.0: invocations of the graph, of operations and of fragments."""

from __future__ import annotations

GRAPH = """version 1.0;
extension KHR_enable_fragment_definitions;
extension KHR_enable_operator_expressions;

# >>> net([[1.0, -2.0]])
# y: real[1,2] = [[1.0, 0.0]]
# >>> sqr([3.0])
# y: real[1] = [9.0]
# >>> twice([3.0], times = 4.0)
# y: real[1] = [12.0]
fragment twice(x: tensor<scalar>, times: scalar = 2.0) -> (y: tensor<scalar>)
{
    y = x * times;
}

graph net(x) -> (y)
{
    x = external(shape = [1, 2]);
    y = relu(x);
}
"""


def test_the_graph_operations_and_fragments_are_run(real, project):
    (project / "graph.nnef").write_text(GRAPH, encoding="utf-8")
    found = real("test", ".")
    assert found.status == 0
    assert found.stdout == "3 samples: 3 ok\n"


def test_results_that_differ_are_reported_and_recorded(real, project):
    file = project / "graph.nnef"
    file.write_text(GRAPH.replace("[[1.0, 0.0]]", "[[1.0, 3.0]]"), encoding="utf-8")
    found = real("test", "graph.nnef", "--format", "concise")
    assert found.status == 1
    assert "graph.nnef:6:1: error[sample-differs]" in found.stdout
    assert real("test", "graph.nnef", "--update").status == 0
    assert file.read_text(encoding="utf-8") == GRAPH
