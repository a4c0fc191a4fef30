"""Hovers inside of ``@lower``: indices with their ranges, and accesses to tensors (2.12)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from snd_analysis.compose import ValueScope
from snd_analysis.ide.knowledge import Knowledge
from snd_analysis.ide.markdown import code
from snd_analysis.ide.values import value_text
from snd_analysis.model import Tensor, representative
from snd_analysis.skriptnd.names import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import UNDEFINED, ItemRun, Pack, Value


def index_facts(knowledge: Knowledge, symbol: Symbol) -> Iterator[str]:
    """Yield the range of an index."""
    bound = _bound(symbol)
    base = knowledge.resolution.starts.get(symbol.statement, 0)
    if bound is None:
        return
    yield f"from {code('0')} below {code(knowledge.source(bound, base))}"
    value = knowledge.value(bound)
    text = value_text(value)
    if text and text != knowledge.source(bound, base):
        what = "one bound for each item: " if isinstance(value, Pack) else "that is "
        yield f"{what}{code(text)}"
    if knowledge.by_example is not None:
        known, phrase = knowledge.by_example
        number = value_text(known.value(bound))
        if number and number != text:
            yield f"below {code(number)} {phrase}"
    if isinstance(symbol.node, nodes.IndexBound) and isinstance(symbol.statement, nodes.Lowering):
        yield _part(symbol, symbol.statement)


def _bound(symbol: Symbol) -> nodes.Expression | None:
    if isinstance(symbol.node, nodes.IndexBound):
        return symbol.node.bound
    return symbol.node.count if isinstance(symbol.node, nodes.Unroll) else None


def _part(symbol: Symbol, formula: nodes.Lowering) -> str:
    """Return a phrase that tells whether an index writes different elements, or runs over those of one result."""
    written = any(
        isinstance(each, nodes.Qualified) and each.text == symbol.name
        for index in formula.target.indices
        for each in nodes.descendants(index)
    )
    operator = formula.operator.text
    if written:
        return "an index of the result"
    return f"not an index of the result: {code(operator)} goes over all of it"


def access_facts(knowledge: Knowledge, access: nodes.Subscript | nodes.Access, base: int) -> Iterator[str]:
    """Yield, for each dimension of an accessed tensor, its extent and the range of the index in it."""
    found = _accessed(knowledge, access)
    if found is None:
        return
    tensor, index = found
    shape = tensor.shape
    positions = shape is not None and not any(isinstance(each, ItemRun) for each in shape) and not _packed(index)
    ranges = _Ranges(knowledge)
    for at, item in enumerate(index.items):
        extent = None
        if positions and shape is not None and at < len(shape):
            extent = shape[at]
        of = f" of {code(str(extent))}" if isinstance(extent, Integer) else ""
        guarded, inner = "", item
        if isinstance(item, nodes.Bounded):
            inner = item.value
            guarded = ", remapped where it leaves the tensor" if item.below is not None else ", skipped outside of it"
        yield f"{code(knowledge.source(item, base))}{of}{ranges.text(inner)}{guarded}"


def accessed_tensor(knowledge: Knowledge, access: nodes.Subscript | nodes.Access) -> Symbol | None:
    """Return the tensor that an expression accesses; None if it does not access one."""
    node: nodes.Node = access.name if isinstance(access, nodes.Access) else access.target
    while isinstance(node, nodes.Subscript):
        node = node.target
    symbol = knowledge.resolution.targets.get(node)
    return symbol if isinstance(symbol, Symbol) and symbol.is_tensor else None


def _accessed(knowledge: Knowledge, access: nodes.Subscript | nodes.Access) -> tuple[Tensor, nodes.Index] | None:
    symbol = accessed_tensor(knowledge, access)
    tensor = None if symbol is None else representative(knowledge.value_of(symbol))
    index = access.index if isinstance(access, nodes.Subscript) else access.indices[-1]
    return None if tensor is None else (tensor, index)


def _packed(index: nodes.Index) -> bool:
    return any(isinstance(item, nodes.Expanded | nodes.Range | nodes.Zip) for item in index.items)


class _Ranges:
    """The values that expressions take while the indices run."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._resolution = knowledge.resolution

    def text(self, item: nodes.Node) -> str:
        """Return ``: from 0 to n - 1``, or an empty text if the range is not simple."""
        indices = self._indices(item)
        specialization = self._knowledge.specialization
        if specialization is None or not indices or not self._rises(item, indices):
            return ""
        ends = []
        for last in (False, True):
            values = dict(specialization.scope.values)
            for symbol in indices:
                bound = _bound(symbol)
                limit = UNDEFINED if bound is None else self._knowledge.value(bound)
                end = UNDEFINED if not isinstance(limit, Integer) else limit - 1 if last else shapes.constant(0)
                values[symbol] = end
            scope = ValueScope(
                specialization.template, values, specialization.scope.dtypes, specialization.scope.composing
            )
            ends.append(_evaluated(scope, item))
        if any(end is UNDEFINED for end in ends):
            return ""
        return f": from {code(value_text(ends[0]))} to {code(value_text(ends[1]))}"

    def _indices(self, item: nodes.Node) -> Mapping[Symbol, None]:
        found: dict[Symbol, None] = {}
        for node in nodes.descendants(item):
            symbol = self._resolution.targets.get(node)
            if isinstance(symbol, Symbol) and symbol.kind in (SymbolKind.INDEX, SymbolKind.LOCAL):
                found[symbol] = None
        return found

    def _rises(self, node: nodes.Node, indices: Mapping[Symbol, None]) -> bool:
        """Return whether an expression is surely greatest where all indices are."""
        match node:
            case nodes.Qualified():
                symbol = self._resolution.targets.get(node)
                return not isinstance(symbol, Symbol) or symbol.kind is not SymbolKind.LOCAL
            case nodes.Literal():
                return True
            case nodes.Parenthesized(inner=inner):
                return self._rises(inner, indices)
            case nodes.Binary(left=left, operator=operator, right=right):
                if operator.text == "+":
                    return self._rises(left, indices) and self._rises(right, indices)
                if operator.text == "-":
                    return self._rises(left, indices) and not self._indices(right)
                factors = [side for side in (left, right) if not self._indices(side)]
                return operator.text == "*" and bool(factors) and all(
                    self._is_positive(factor) for factor in factors
                ) and all(self._rises(side, indices) for side in (left, right))  # fmt: skip
        return False

    def _is_positive(self, node: nodes.Expression) -> bool:
        value = self._knowledge.value(node)
        low = shapes.bounds(value)[0] if isinstance(value, Integer) else None
        return low is not None and low >= 0


def _evaluated(scope: ValueScope, item: nodes.Node) -> Value:
    value = scope.attempt(item) if isinstance(item, nodes.Expression) else UNDEFINED
    return value if isinstance(value, Integer) else UNDEFINED
