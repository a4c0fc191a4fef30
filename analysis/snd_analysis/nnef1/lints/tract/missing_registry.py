from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache

from snd_analysis.base import Edit, Problem, Repair, Rule, Span
from snd_analysis.nnef1.lints.definitions import definitions, extensions
from snd_analysis.nnef1.lints.reached import REMEMBERED_STATEMENTS, calls_in, statements_reached
from snd_analysis.nnef1.syntax import nodes

MISSING_REGISTRY = Rule("missing-registry", section="tool")
_REGISTRIES = ("tract_core", "tract_onnx", "tract_pulse", "tract_extra", "tract_transformers", "tract_resource")
_WITHOUT_PREFIX = dict.fromkeys(("nearest_upsample", "multilinear_upsample", "tract_shl", "tract_shr"), "tract_core")
_OTHER_NAMES = {"pulse": "tract_pulse"}


def check_registries(document: nodes.Document) -> Iterator[Problem]:
    """Yield the first operation of each registry of tract that no line of the file declares."""
    declared = {
        _OTHER_NAMES.get(each.text, each.text) for _, each in extensions(document) if each.name.text == "tract_registry"
    }
    fragments = {each.head.name.text for each in definitions(document, "fragment")}
    for start, statement in statements_reached(document):
        for operation, registry in _of_registries(statement):
            name = operation.text
            if registry in declared or name in fragments:
                continue
            declared.add(registry)
            message = f"'{name}' is an operation of tract's registry '{registry}', which no line declares"
            line = f"extension tract_registry {registry};"
            end = _end_of_header(document)
            repair = Repair(f"Add '{line}'", (Edit(Span(end, end), f"\n{line}"),))
            yield Problem(MISSING_REGISTRY, operation.span.shifted(start), message, (), repair)


@lru_cache(maxsize=REMEMBERED_STATEMENTS)
def _of_registries(statement: nodes.Assignment) -> tuple[tuple[nodes.Identifier, str], ...]:
    """Return the operations of registries in a statement, each with its registry."""
    found = ((call.function, _registry(call.function.text)) for call in calls_in(statement))
    return tuple((operation, registry) for operation, registry in found if registry is not None)


@cache
def _registry(operation: str) -> str | None:
    found = next((each for each in _REGISTRIES if operation.startswith(f"{each}_")), None)
    return found or _WITHOUT_PREFIX.get(operation)


def _end_of_header(document: nodes.Document) -> int:
    """Return the offset after the semicolon of the last version or extension."""
    ends = [
        each.start + each.item.end + 1
        for each in document.items
        if isinstance(each, nodes.Placed) and not isinstance(each.item, nodes.ErrorItem)
    ]
    return max(ends, default=0)
