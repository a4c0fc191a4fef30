"""Properties of a model that tract pulsified: it writes them to the fragment ``tract_core_properties``."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from snd_analysis.nnef1.syntax import nodes

_FRAGMENT = "tract_core_properties"
_PREFIX = "pulse."


class PulsedModel(Struct, frozen=True):
    """The properties of a model that sees a stream pulse by pulse, in the order of its inputs and outputs."""

    delays: tuple[int, ...]
    """For each output, the number of items that come before the first item of the result."""
    input_axes: tuple[int, ...]
    output_axes: tuple[int, ...]


def pulsed_model(fragments: Mapping[str, nodes.Definition]) -> PulsedModel | None:
    """Return the properties of a pulsified model; None for any other model."""
    fragment = fragments.get(_FRAGMENT)
    found: dict[str, tuple[int, ...]] = {}
    for entry in () if fragment is None else fragment.body or ():
        for statement in entry.statements:
            if isinstance(statement, nodes.Assignment) and isinstance(statement.value, nodes.Array):
                for each in statement.value.items:
                    match each:
                        case nodes.Tuple(items=(nodes.String(value=name), value)) if name.startswith(_PREFIX):
                            found.setdefault(name.removeprefix(_PREFIX), _integers(value))
    if "delay" not in found:
        return None
    return PulsedModel(found["delay"], found.get("input_axes", ()), found.get("output_axes", ()))


def _integers(value: nodes.Expression) -> tuple[int, ...]:
    """Return the items of ``tract_core_cast([1, 2], to = "i64")``."""
    if isinstance(value, nodes.Call) and value.arguments:
        value = value.arguments[0].value
    items = value.items if isinstance(value, nodes.Array) else (value,)
    return tuple(int(each.text) for each in items if isinstance(each, nodes.Number) and each.text.isdigit())
