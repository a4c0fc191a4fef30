from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Problem, Rule
from snd_analysis.nnef1.lints.definitions import definitions
from snd_analysis.nnef1.syntax import nodes

FRAGMENT_RESULT = Rule("fragment-result", section="NNEF 1.0, 3.1")


def check_fragment_results(document: nodes.Document) -> Iterator[Problem]:
    """Yield the results of fragments that are no tensors, or whose items have no type."""
    for fragment in definitions(document, "fragment"):
        for result in fragment.head.results:
            message = _wrong(result.type)
            if message is not None:
                span = result.span.shifted(fragment.start)
                yield Problem(FRAGMENT_RESULT, span, f"the result '{result.name.text}' {message}")


def _wrong(type_: nodes.Type | None) -> str | None:
    match type_:
        case nodes.TensorType(item=None):
            return "must say which items it has, as in 'tensor<scalar>'"
        case nodes.TensorType() | None:
            return None
        case nodes.ArrayType(item=item):
            return _wrong(item)
        case nodes.TupleType(items=items):
            return next(filter(None, map(_wrong, items)), None)
    return "must be a tensor: fragments compute no attributes"
