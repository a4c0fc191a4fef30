"""Types written after results and carried variables: ``y: real[a,b]`` (2.10, 2.10.1)."""

from __future__ import annotations

from operator import is_

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.compose.body.state import BodyState
from snd_analysis.compose.scope import rank_of
from snd_analysis.compose.specialization import tensor_text
from snd_analysis.model import Shape, Tensor, TensorKind, TensorValue, representative, tensor_value
from snd_analysis.skriptnd.names import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer
from snd_analysis.symbolic.values import NULL, UNDEFINED, ItemRun, Maybe, Pack, Value, split

# ---- shapes that must match a declaration, which only the run can check (2.6.1) --------------------------------------
# The checks are noted, and later statements use the declared extents.


# ---- shapes that must match a declaration, which only the run can check (2.6.1) --------------------------------------
def demand_shape(state: BodyState, wanted: Shape, found: Shape, message: str, node: nodes.Node) -> Shape:
    """Note the conditions for a shape to be the wanted one, from which it does not certainly differ.

    Return the shape under these conditions: the wanted shape, but the found one where the dimensions can't be compared,
    or where the declaration gives only a bound (`~|n`).
    """
    if wanted == found:
        return found
    if len(wanted) != len(found) or any(isinstance(part, ItemRun) for part in (*wanted, *found)):
        lengths = Pack(wanted, dtype="int").length, Pack(found, dtype="int").length
        state.check(shapes.compare("==", *lengths), message, node)
        return found
    agreed = []
    for one, two in zip(wanted, found, strict=True):
        assert isinstance(one, Integer)
        assert isinstance(two, Integer)
        bounded = next((leaf for leaf in one.leaves if leaf.key in state.left_open), None)
        if bounded is None:
            state.check(shapes.compare("==", one, two), message, node)
        elif bounded.high is not None:
            within = shapes.compare("<=", two, bounded.high)
            state.check(within, f"an extent must not exceed its bound {bounded.high}", node)
        agreed.append(one if bounded is None else two)
    return tuple(agreed)


def narrowed(state: BodyState, wanted: Shape, value: TensorValue, message: str, node: nodes.Node) -> TensorValue:
    """Return a result of the current statement, of the wanted shape; unchanged if it has a name of its own already."""
    made = _with_shape(state, wanted, value, message, node)
    return made if made is not value and state.make_instead(value, made) else value


def _with_shape(state: BodyState, wanted: Shape, value: Value, message: str, node: nodes.Node) -> TensorValue:
    match value:
        case Tensor() if value.shape is not None:
            shape = demand_shape(state, wanted, value.shape, message, node)
            return value if shape == value.shape else replace(value, shape=shape)
        case Pack() if value.segments:
            made = value.map(lambda item: _with_shape(state, wanted, item, message, node))
            return value if all(map(is_, made.elements, value.elements)) else made
    return tensor_value(value)


# ---- types written after results and carried variables ---------------------------------------------------------------
def annotated(state: BodyState, type_: nodes.ResultType, value: TensorValue) -> TensorValue:
    """Return a result with the type that is written after its name, whose new names get its extents."""
    if _is_scalar(value):
        return _uniform(state, type_, value)
    tensor = representative(value)
    if tensor is None or tensor.shape is None:
        _forget(state, type_)
        return value
    parts = _bind_new(state, type_.shape, tensor)
    shape = written_shape(state, type_.shape)
    if shape is not None and parts and disagree(shape, tensor.shape):
        message = (
            f"the result is declared as '{type_.type.text}[{written(type_.shape)}]', "
            f"which is [{','.join(map(str, shape))}] here, but it is '{tensor_text(tensor)}'"
        )
        state.fail(rules.RESULT_SHAPE, type_, message)
        return UNDEFINED
    if shape is None or not parts:
        return value
    said = f"the result must be '{type_.type.text}[{written(type_.shape)}]'"
    return narrowed(state, shape, value, said, type_)


def _is_scalar(value: Value) -> bool:
    """Return whether a result is a compile-time value, not a tensor that is declared or computed."""
    if isinstance(value, Maybe):
        return _is_scalar(value.value)
    return isinstance(value, Tensor) and value.kind is TensorKind.CONSTANT and value.place is None and value.shape == ()


def _uniform(state: BodyState, type_: nodes.ResultType, value: Value) -> TensorValue:
    """Return a tensor of the written shape, with a compile-time value for all elements."""
    if isinstance(value, Maybe):
        return Maybe(value.present, _uniform(state, type_, value.value))
    if not isinstance(value, Tensor):
        return tensor_value(value)
    _forget(state, type_)
    return replace(value, shape=written_shape(state, type_.shape))


def _new_symbol(state: BodyState, extent: nodes.Extent) -> Symbol | None:
    """Return the symbol that an extent declares here, if it does."""
    if not isinstance(extent.value, nodes.Qualified):
        return None
    symbol = state.template.resolution.targets.get(extent.value)
    is_new = isinstance(symbol, Symbol) and symbol.kind is SymbolKind.EXTENT and symbol.node is extent
    return symbol if is_new and isinstance(symbol, Symbol) else None


def _forget(state: BodyState, type_: nodes.ResultType) -> None:
    for extent in type_.shape.extents:
        symbol = _new_symbol(state, extent)
        if symbol is not None:
            state.scope.values[symbol] = UNDEFINED


def _bind_new(state: BodyState, shape: nodes.Shape, tensor: Tensor) -> bool:
    """Bind the new names in a written shape; return whether the dimensions could be assigned."""
    assert tensor.shape is not None
    new = [_new_symbol(state, extent) for extent in shape.extents]
    counts = [_count(state, extent, symbol) for extent, symbol in zip(shape.extents, new, strict=True)]
    flexible = [at for at, count in enumerate(counts) if count is None]
    known = sum((count for count in counts if count is not None), shapes.constant(0))
    pack = Pack(tensor.shape, dtype="int")
    for at, symbol in enumerate(new):
        count = counts[at] if counts[at] is not None else rank_of(tensor) - known
        assert count is not None
        least = shapes.bounds(count)[0]
        parted = split(pack, count) if len(flexible) <= 1 and (least is None or least >= 0) else None
        if parted is None:
            for other in new[at:]:
                if other is not None:
                    state.scope.values[other] = UNDEFINED
            return False
        taken, pack = parted
        if symbol is None:
            continue
        single = shape.extents[at].expansion is None
        state.scope.values[symbol] = (taken.items[0] if taken.items else UNDEFINED) if single else taken
    return True


def _count(state: BodyState, extent: nodes.Extent, symbol: Symbol | None) -> Integer | None:
    if extent.expansion is None:
        value = UNDEFINED if symbol is not None or isinstance(extent.value, nodes.Tilde) else _value(state, extent)
        return shapes.constant(0) if value is NULL else shapes.constant(1)
    if extent.expansion.length is not None:
        length = state.scope.attempt(extent.expansion.length)
        return length if isinstance(length, Integer) else None
    if symbol is None and not isinstance(extent.value, nodes.Tilde):
        value = _value(state, extent)
        return value.length if isinstance(value, Pack) else None
    return None


def _value(state: BodyState, extent: nodes.Extent) -> Value:
    assert not isinstance(extent.value, nodes.Tilde)
    return state.scope.attempt(extent.value)


def written_shape(state: BodyState, shape: nodes.Shape) -> Shape | None:
    """Return the shape written in a statement; None if any part of it is unknown."""
    found: list[Integer | ItemRun] = []
    for extent in shape.extents:
        if isinstance(extent.value, nodes.Tilde):
            return None
        value = _value(state, extent)
        if value is NULL:
            continue
        if isinstance(value, Pack):
            found.extend(value.segments)  # type: ignore[arg-type]
        elif not isinstance(value, Integer):
            return None
        elif extent.expansion is None:
            found.append(value)
        else:
            length = None if extent.expansion.length is None else state.scope.attempt(extent.expansion.length)
            if not isinstance(length, Integer):
                return None
            found.extend(Pack((ItemRun(length, value),)).segments)  # type: ignore[arg-type]
    return tuple(found)


def disagree(first: Shape, second: Shape) -> bool:
    """Return whether two shapes certainly have different ranks or extents."""
    if first == second:
        return False
    one, two = Pack(first, dtype="int"), Pack(second, dtype="int")
    if shapes.decide_equal(one.length, two.length) is EqualityVerdict.DIFFERENT:
        return True
    if one.items is None or two.items is None:
        return False
    return any(
        isinstance(a, Integer) and isinstance(b, Integer) and shapes.decide_equal(a, b) is EqualityVerdict.DIFFERENT
        for a, b in zip(one.items, two.items, strict=False)
    )
