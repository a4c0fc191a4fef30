"""Rules about invocations of operators."""

from __future__ import annotations

from snd_analysis.base import Rule

ARGUMENT_RANK = Rule("argument-rank", section="2.6")
ARGUMENT_SHAPE = Rule("argument-shape", section="2.6")
ATTRIBUTE_COLON = Rule("attribute-colon", section="2.10")
DUPLICATE_ATTRIBUTE = Rule("duplicate-attribute", section="2.10")
GENERIC_CONFLICT = Rule("generic-conflict", section="2.13")
GENERIC_COUNT = Rule("generic-count", section="2.13")
GENERIC_NOT_DEDUCIBLE = Rule("generic-not-deducible", section="2.13")
GENERIC_OUTSIDE_BASE = Rule("generic-outside-base", section="2.13")
GRAPH_INVOKED = Rule("graph-invoked", section="2.10")
MISSING_ARGUMENT = Rule("missing-argument", section="2.10")
MISSING_ATTRIBUTE = Rule("missing-attribute", section="2.10")
NESTED_INVOCATION = Rule("nested-invocation", section="2.10")
PACK_RANKS_DIFFER = Rule("pack-ranks-differ", section="2.3")
PRIVATE_OPERATOR = Rule("private-operator", section="LANGUAGE")
RECURSIVE_OPERATOR = Rule("recursive-operator", section="LANGUAGE")
TOO_MANY_ARGUMENTS = Rule("too-many-arguments", section="2.10")
UNKNOWN_ATTRIBUTE = Rule("unknown-attribute", section="2.10")
UNKNOWN_MODULE = Rule("unknown-module", section="2.15")
UNKNOWN_OPERATOR = Rule("unknown-operator", section="2.10")


def outside_axis(axis: object, operator: str, tensor: str, rank: int) -> str:
    """Return the message for an attribute 'axis' of ``operator`` that is no dimension of ``tensor``."""
    dimensions = {0: "no dimensions", 1: "dimension 0 only", 2: "dimensions 0 and 1"}.get(rank)
    return f"'axis' of '{operator}' is {axis}, but '{tensor}' has {dimensions or f'dimensions 0 to {rank - 1}'}"


def tensors_differ(dimension: int, first: object, other: object, parameter: str, operator: str) -> str:
    """Return the message for a pack given to ``parameter`` whose tensors have different extents in one dimension."""
    return (
        f"the tensors differ in dimension {dimension}: {first} and {other}; "
        f"those of the input '{parameter}' of '{operator}' must agree there"
    )


def conflicting_type(operator: str, generic: str, first: str, by: str, dtype: str) -> str:
    """Return the message for a second type; ``first`` states the type before, as in "is 'int' by the input 'x'"."""
    return f"'{generic}' of '{operator}' {first}, but {dtype} because of {by}"


_ALLOWED = {"arith": "int, real or bool", "num": "int or real"}


def type_outside_base(operator: str, generic: str, base: str, how: str, dtype: str) -> str:
    """Return the message for a type that a base does not allow; ``how`` introduces the type, as in "it is given as"."""
    allowed = _ALLOWED.get(base, "any type")
    return f"'{generic}: {base}' of '{operator}' can be {allowed}, but {how} {dtype}"
