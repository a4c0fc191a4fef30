"""Values that tract takes from JSON files beside a graph."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from snd_analysis import rules
from snd_analysis.nnef1.elaborate.evaluation import BodyEvaluator, Source
from snd_analysis.nnef1.elaborate.items.item_types import Given
from snd_analysis.nnef1.elaborate.limits import MOST_DIGITS, MOST_ITEMS
from snd_analysis.nnef1.elaborate.operators import OperationParameter
from snd_analysis.nnef1.elaborate.values import UNKNOWN, ElaboratedValue, ItemList
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.symbolic import integers

_STEP = re.compile(r"""\.(?P<name>\w+)|\[(?P<at>\d{1,9})\]|\['(?P<single>[^']*)'\]|\["(?P<double>[^"]*)"\]""")


def _resource(
    evaluator: BodyEvaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> ElaboratedValue:
    """Return the value of a key. Nothing is known of a missing file, since programs may provide others."""
    label, key = given["label"].value, given["key"].value
    for name, each in (("label", label), ("key", key)):
        if not isinstance(each, str):
            return evaluator.report(rules.TYPE_MISMATCH, given[name].span, f"'{name}' is a string")
    assert isinstance(label, str)
    assert isinstance(key, str)
    text = evaluator.context.resource(label)
    if text is None or not key.startswith("$") or _STEP.sub("", key[1:]):
        return UNKNOWN
    try:
        found = json.loads(text, parse_int=_whole)
    except (ValueError, RecursionError):
        return evaluator.report(rules.UNREADABLE_FILE, given["label"].span, f"'{label}.json' is no JSON")
    for step in _STEP.finditer(key):
        found = _item(found, step)
    if isinstance(found, dict) or found is None:
        what = "no value" if found is None else "an object"
        return evaluator.report(rules.UNDEFINED_NAME, given["key"].span, f"'{label}.json' has {what} at '{key}'")
    value = _value(found)
    return UNKNOWN if value is None else value


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(digits)
    return int(digits)


def _item(value: Any, step: re.Match[str]) -> Any:
    """Return the value at one step of a key; None if there is none."""
    if step["at"] is not None:
        at = int(step["at"])
        return value[at] if isinstance(value, list) and at < len(value) else None
    name = next(each for each in (step["name"], step["single"], step["double"]) if each is not None)
    return value.get(name) if isinstance(value, dict) else None


def _value(found: Any) -> ElaboratedValue | None:
    """Return a value of JSON; None if graphs have no such value."""
    match found:
        case bool():
            return integers.truth(found)
        case int():
            return integers.constant(found)
        case float() | str():
            return found
        case list() if len(found) <= MOST_ITEMS:
            items = [_value(each) for each in found]
            return None if None in items else ItemList(tuple(each for each in items if each is not None))
    return None


def _attribute(name: str) -> OperationParameter:
    return OperationParameter(name, False, False, True)


RESOURCES: Mapping[str, tuple[tuple[OperationParameter, ...], Source]] = {
    "tract_resource_get": ((_attribute("label"), _attribute("key")), _resource)
}
