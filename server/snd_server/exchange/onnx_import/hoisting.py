"""Statements that repeated modules share, in front of them.

An exporter computes a mask once, in the first of several layers that take it. Where it stands, the first layer is not
like the others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from snd_analysis.convert import GraphStep
from snd_analysis.model import Tensor, tensors_of
from snd_server.exchange.onnx_import.modules import Modules, items


class StatementOrder(Struct, frozen=True):
    """Reordered statements, and the number of statements of each module that no sibling of the module uses."""

    steps: list[GraphStep]
    sizes: Mapping[str, int]


def hoisted(steps: Sequence[GraphStep], modules_of: Callable[[GraphStep], Modules]) -> StatementOrder:
    """Return statements reordered: a statement that several items of a container use moves to its arguments."""
    maker = {tensor: at for at, step in enumerate(steps) for value in step.outputs for tensor in tensors_of(value)}
    sources = [sorted({maker[each] for each in _taken(step) if each in maker}) for step in steps]
    users: defaultdict[int, list[int]] = defaultdict(list)
    for at, made in enumerate(sources):
        for each in made:
            users[each].append(at)
    places = [items(modules_of(step)) for step in steps]
    shared: set[int] = set()
    for at in reversed(range(len(steps))):
        if not users[at] or not places[at]:
            continue
        if all(each in shared for each in users[at]) or _is_shared(places[at], [places[each] for each in users[at]]):
            shared.add(at)
    keys: list[tuple[int, ...]] = []
    for at, made in enumerate(sources):
        latest = max((keys[each] for each in made), default=(-1,))
        keys.append((*latest, at) if at in shared and latest < (at - 1,) else (at,))
    sizes = Counter(each.path for at, step in enumerate(steps) if keys[at] == (at,) for each in modules_of(step))
    return StatementOrder([steps[at] for at in sorted(range(len(steps)), key=keys.__getitem__)], sizes)


def _taken(step: GraphStep) -> Iterator[Tensor]:
    return (tensor for value in step.inputs for tensor in tensors_of(value))


def _is_shared(own: dict[str, str], others: Sequence[dict[str, str]]) -> bool:
    """Return whether two or more items of one container use the results of a statement."""
    return any(len({each[container] for each in others if container in each}) > 1 for container in own)
