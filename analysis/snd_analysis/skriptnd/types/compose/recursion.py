"""Operators that invoke themselves, directly or through others (LANGUAGE, Operators): no composition of them ends."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

from snd_analysis import rules
from snd_analysis.base import Edit, Note, Repair
from snd_analysis.skriptnd.limits import MOST_NAMES_OF_CYCLE
from snd_analysis.skriptnd.names import OperatorName, Resolution, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types.compose.typing_state import TypingState
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.signature import elsewhere


def invocations(resolution: Resolution) -> Iterator[tuple[int, nodes.Call, OperatorName]]:
    """Yield every invocation in ``@compose`` and ``@update``, in order, with the offset that its spans count from."""
    for base, call in resolution.nodes_of(nodes.Call, BlockKind.COMPOSE, BlockKind.UPDATE):
        target = resolution.targets.get(call.function)
        if isinstance(target, OperatorName):
            yield base, call, target


def check_recursion(context: Context) -> None:
    """Report a cycle of invocations at the definition of it that comes first: of its file, or of the first file."""
    own = context.others.own(context.definition)
    if own is None or not context.others.is_recursive(own):
        return
    for base, call, target in invocations(context.resolution):
        chain = _chain_back(context, own, target)
        if chain is None or any(_order(context, member) < _order(context, own) for member in chain):
            continue
        context.base = base
        if len(chain) == 1 and chain[0] == own:
            message = f"'{own.name}' invokes itself: its composition would never end"
            context.report(rules.RECURSIVE_OPERATOR, call.function, message)
            return
        names = [own.name, *(member.name for member in chain), own.name]
        if len(names) > MOST_NAMES_OF_CYCLE:
            half = MOST_NAMES_OF_CYCLE // 2
            names[half:-half] = [f"… ({len(names) - 2 * half} more)"]
        message = f"'{own.name}' invokes itself through others: {' → '.join(names)}"
        notes = tuple(elsewhere(member, f"'{member.name}' is defined here") for member in chain[:MOST_NAMES_OF_CYCLE])
        context.report(rules.RECURSIVE_OPERATOR, call.function, message, notes)
        return


def _order(context: Context, name: OperatorName) -> tuple[str, int]:
    return name.path, context.others.position(name)


def _chain_back(context: Context, own: OperatorName, first: OperatorName) -> list[OperatorName] | None:
    """Return the shortest chain of invocations from ``first`` that ends at ``own``, without ``own`` at the start.

    None if there is no such chain.
    """
    if first == own:
        return [own]
    before: dict[OperatorName, OperatorName | None] = {first: None}
    pending = [first]
    for name in pending:
        for invoked in context.others.invoked(name):
            if invoked == own:
                chain = [name]
                while (previous := before[chain[-1]]) is not None:
                    chain.append(previous)
                return chain[::-1]
            if invoked not in before:
                before[invoked] = name
                pending.append(invoked)
    return None


# ---- recursive definitions, which invoke themselves directly or through others ---------------------------------------
_Node = TypeVar("_Node", bound=Hashable)


def find_cyclic(start: _Node, following: Callable[[_Node], Iterable[_Node]], known: dict[_Node, bool]) -> None:
    """Add to ``known`` for all that ``start`` leads to whether it leads back to itself.

    In time that grows with the number of nodes and of ways between them (Tarjan's components).
    """
    if start in known:
        return
    number: dict[_Node, int] = {start: 0}
    lowest: dict[_Node, int] = {start: 0}
    open_: list[_Node] = [start]
    pending = [(start, iter(following(start)))]
    while pending:
        node, rest = pending[-1]
        other = next(rest, None)
        if other is None:
            pending.pop()
            if pending:
                before = pending[-1][0]
                lowest[before] = min(lowest[before], lowest[node])
            if lowest[node] == number[node]:
                component = [open_.pop()]
                while component[-1] != node:
                    component.append(open_.pop())
                leads_back = len(component) > 1 or node in following(node)
                known.update(dict.fromkeys(component, leads_back))
        elif other in known:
            continue
        elif other in number:
            lowest[node] = min(lowest[node], number[other])
        else:
            number[other] = lowest[other] = len(number)
            open_.append(other)
            pending.append((other, iter(following(other))))


# ---- labels of invocations and blocks, written and generated (2.10) --------------------------------------------------
Placed = tuple[int, nodes.Component]


def add_label(work: TypingState, label: nodes.Name) -> None:
    """Add a label. Report a second label of one name in one scope."""
    if not label.text:
        return
    earlier = work.labels.get(label.text)
    if earlier is not None:
        message = f"the label '{label.text}' is given a second time here: names of tensors below it would be ambiguous"
        work.context.report(rules.DUPLICATE_LABEL, label, message, (work.note(earlier, "first given here"),))
        return
    work.labels[label.text] = work.located(label)


def check_generated_labels(context: Context) -> None:
    """Report a label that equals the label another statement has from its result, if both lead to tensors."""
    labels = context.resolution.labels
    if not labels or labels.isdisjoint(context.resolution.results()):
        return
    for block in (BlockKind.COMPOSE, BlockKind.UPDATE):
        _check_scope(context, entries_of(context.definition, block, nodes.Component))


def _check_scope(context: Context, components: Sequence[Placed]) -> None:
    generated = {
        result.text: (base, component, result) for base, component in components for result in _generated(component)
    }
    for base, component in components:
        for value in component.parts:
            inner = value.value if isinstance(value, nodes.Labelled) else value
            if isinstance(inner, nodes.Region):
                _check_scope(context, [(base, item) for item in inner.components])
            elif isinstance(value, nodes.Labelled) and value.label.text in generated:
                context.base = base
                _check_label(context, component, value, *generated[value.label.text])


def _check_label(
    context: Context, component: nodes.Component, labelled: nodes.Labelled,
    base: int, other: nodes.Component, result: nodes.Name,
) -> None:  # fmt: skip
    label = labelled.label
    if other is component or not isinstance(labelled.value, nodes.Call):
        return
    if _leads_to_tensors(context, labelled.value) and any(_leads_to_tensors(context, part) for part in other.parts):
        message = (
            f"the label '{label.text}' is also that of the invocation whose result is '{label.text}': names of tensors "
            "below it would be ambiguous"
        )
        note = Note(result.span.shifted(base), "without a label of its own, this is labelled by its result")
        context.report(rules.DUPLICATE_LABEL, label, message, (note,))


def _generated(component: nodes.Component) -> Iterator[nodes.Name]:
    """Yield the results that label a statement: a single one, or the list that names the iterations of a loop."""
    if len(component.results) != 1:
        return
    result, value = component.results[0], component.value
    unrolled = isinstance(value, nodes.Loop) and value.keyword.text == "unroll" and not value.carries
    for item in result.items if isinstance(result, nodes.ResultList) and unrolled else (result,):
        if isinstance(item, nodes.Result) and isinstance(item.target, nodes.Name) and item.target.text:
            yield item.target


def _leads_to_tensors(context: Context, call: nodes.Callable) -> bool:
    """Return whether an operator has tensors, of its own or of invoked ones, that can be named from outside.

    A part with a label of its own contributes none to the statement.
    """
    if isinstance(call, nodes.Region):
        return any(_leads_to_tensors(context, part) for item in call.components for part in item.parts)
    if not isinstance(call, nodes.Call):
        return False
    target = context.target(call.function)
    pending, seen = [target], set[object]()
    while pending:
        name = pending.pop()
        if not isinstance(name, OperatorName) or name in seen:
            continue
        seen.add(name)
        definition, resolution = context.others.definition(name), context.others.resolution(name)
        if definition is None or resolution is None:
            continue
        if definition.kind == "graph" and name == target:
            return False  # a graph is the root of its own names
        if definition.public or any(_is_stored(symbol.kind) for symbol in resolution.symbols):
            return True
        pending += [invoked for _, _, invoked in invocations(resolution)]
    return False


def _is_stored(kind: SymbolKind) -> bool:
    return kind in (SymbolKind.VARIABLE, SymbolKind.CONSTANT)


# ---- loops whose iterations share variables, where that is hardly meant (2.10.1, Loop unrolling) ---------------------
def check_shared_variables(context: Context) -> None:
    """Warn of ``do`` loops over a count that is known when composing, whose body has variables that nothing updates."""
    for base, loop in context.resolution.nodes_of(nodes.Loop, BlockKind.COMPOSE, BlockKind.UPDATE):
        context.base = base
        if _only_counts(context, loop):
            _check(context, loop)


def _only_counts(context: Context, node: nodes.Loop) -> bool:
    """Return whether a loop could as well be unrolled.

    Such a loop scans nothing, and counts to a number that no tensor holds.
    """
    count = node.iteration.count if node.iteration is not None else None
    if node.keyword.text != "do" or node.scans or node.conditions or count is None:
        return False
    if isinstance(count, nodes.Literal) and count.value in (0, 1):
        return False
    named = (context.target(each) for each in nodes.descendants(count))
    return not any(isinstance(each, Symbol) and each.is_tensor for each in named)


def _check(context: Context, node: nodes.Loop) -> None:
    for call in (each for each in nodes.descendants(node.body) if isinstance(each, nodes.Call)):
        target = context.target(call.function)
        if not isinstance(target, OperatorName) or context.others.is_graph(target):
            continue
        found = next(_lasting_variables(context, target), None)
        if found is None:
            continue
        owner, name = found
        message = (
            f"all iterations of this loop share the variable '{name}' of '{owner.name}'; "
            "write 'unroll' to give each iteration its own variables"
        )
        note = elsewhere(owner, f"'{owner.name}' is defined here")
        repair = Repair("write 'unroll'", (Edit(context.span(node.keyword), "unroll"),), safe=False)
        context.report(rules.SHARED_VARIABLES, node.keyword, message, (note,), repair)
        return


def _lasting_variables(context: Context, first: OperatorName) -> Iterator[tuple[OperatorName, str]]:
    """Yield the variables below an operator that no ``@update`` writes; variables of a state may be shared."""
    pending, seen = [first], set[OperatorName]()
    while pending:
        name = pending.pop()
        definition, resolution = context.others.definition(name), context.others.resolution(name)
        if (
            name in seen
            or definition is None
            or resolution is None
            or (name != first and context.others.is_graph(name))
        ):
            continue
        seen.add(name)
        updated = resolution.results(BlockKind.UPDATE)
        for symbol in resolution.symbols:
            if symbol.kind is SymbolKind.VARIABLE and symbol.name not in updated:
                yield name, symbol.name
        pending += context.others.invoked(name)
