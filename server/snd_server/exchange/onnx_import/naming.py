"""Readable names, made of the names by exporters."""

from __future__ import annotations

import re

_SUFFIX = re.compile(r"(_output_\d+|:\d+|__\d+)$")
_SUBGRAPH = re.compile(r"_(while_loop_body|while_loop_cond|scan_combine|true|false)_graph_\d+(__subgraph_in)?$")
"""Suffix that torch.onnx appends to the names in branches and loops."""
_NUMBERED = re.compile(r"^(tmp|([a-zA-Z]?|val_|tmp_|onnx::\w+_)\d+)$")
_WORDS = re.compile(r"[^A-Za-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def readable(name: str, kind: str = "") -> str:
    """Return a name in lower case with the parts of a path that say something; a kind of node in place of a number.

    >>> readable("/layer1/layer1.0/conv1/Conv_output_0", "Conv")
    'layer1_0_conv1'
    >>> readable("r21", "MaxPool"), readable("val_21", "MaxPool"), readable("fc6.weight")
    ('max_pool', 'max_pool', 'fc6_weight')
    >>> readable("count_while_loop_body_graph_0__subgraph_in")
    'count'
    """
    plain = _SUFFIX.sub("", _SUBGRAPH.sub("", name))
    if not plain or (kind and _NUMBERED.match(plain)):
        return snake(kind) or "tensor"
    parts = [each for each in plain.split("/") if each]
    kept: list[str] = []
    for at, part in enumerate(parts):
        following = parts[at + 1] if at + 1 < len(parts) else ""
        if following == part or following.startswith(f"{part}."):
            continue  # the next part says it once more: layer1/layer1.0
        if at and at + 1 == len(parts) and kept and part.rstrip("_0123456789") == kind and kind:
            continue  # the statement shows the kind of the node
        kept.append(part)
    return snake("_".join(kept)) or snake(kind) or "tensor"


def snake(name: str) -> str:
    """Return a name in lower case, its words joined by underscores."""
    return "_".join(each for each in _WORDS.split(_CAMEL.sub("_", name)) if each).lower()


def joined(place: str, operation: str) -> str:
    """Return a name for an operation at a place, without repetition.

    >>> joined("layer.0.attention", "softmax"), joined("layer1.relu", "relu")
    ('layer_0_attention_softmax', 'layer1_relu')
    """
    words, more = snake(place).split("_"), snake(operation).split("_")
    return "_".join(words if words[-len(more) :] == more else [*words, *more])


def says_nothing(name: str) -> bool:
    """Return whether an exporter numbered a tensor.

    >>> says_nothing("onnx::Conv_497"), says_nothing("conv1.weight")
    (True, False)
    """
    return bool(_NUMBERED.match(name))


_ROLES = {"filter": "weight", "A": "weight", "B": "weight", "bias": "bias", "scale": "scale", "table": "table"}
_RECURRENT = {"W": "input_weight", "R": "recurrent_weight", "B": "bias", "RB": "recurrent_bias"}
"""The parameters of recurrent layers."""
_TERMS = {"math.add": "bias", "math.sub": "bias", "math.mul": "scale", "math.div": "scale"}


def named_by_use(result: str, operator: str, parameter: str) -> str:
    """Return a name for a variable that an operator takes as a parameter, by what the operator gives.

    >>> named_by_use("query_matmul", "linalg.matmul", "B"), named_by_use("query", "math.add", "y")
    ('query_weight', 'query_bias')
    >>> named_by_use("encoder_lstm", "nn.lstm", "R")
    'encoder_lstm_recurrent_weight'
    """
    module, _, name = operator.partition(".")
    roles = _RECURRENT if name.endswith(("gru", "lstm", "rnn")) else _ROLES
    role = roles.get(parameter) or _TERMS.get(operator, "constant")
    place = result.removesuffix(name).rstrip("_") if module in ("linalg", "math") else result
    return f"{place}_{role}" if place else role
