from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Problem, Rule, descendants
from snd_analysis.nnef1.lints.definitions import definitions
from snd_analysis.nnef1.syntax import nodes

FRAGMENT_PARAMETER = Rule("fragment-parameter", section="NNEF 1.0, 3.1")


def check_fragment_parameters(document: nodes.Document) -> Iterator[Problem]:
    """Yield tuples of tensors and attributes, and tensors that are declared after attributes."""
    for fragment in definitions(document, "fragment"):
        attribute = None
        for parameter in fragment.head.parameters:
            if parameter.type is None:
                continue
            span = parameter.span.shifted(fragment.start)
            if any(map(_is_mixed, descendants(parameter.type))):
                message = f"'{parameter.name.text}' mixes tensors and attributes in a tuple"
                yield Problem(FRAGMENT_PARAMETER, span, message)
            elif not _has_tensor(parameter.type):
                attribute = attribute or parameter.name.text
            elif attribute is not None:
                message = f"the tensor '{parameter.name.text}' stands before attributes, but '{attribute}' is one"
                yield Problem(FRAGMENT_PARAMETER, span, message)


def _is_mixed(type_: nodes.Node) -> bool:
    return isinstance(type_, nodes.TupleType) and len({_has_tensor(each) for each in type_.items}) > 1


def _has_tensor(type_: nodes.Type) -> bool:
    return any(isinstance(each, nodes.TensorType) for each in descendants(type_))
