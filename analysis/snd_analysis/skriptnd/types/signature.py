"""What an operator's declarations say to whoever invokes it (2.5, 2.6, 2.13), in terms of its own symbols."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from snd_analysis.base.frozen import frozen
from snd_analysis.base.problem import Elsewhere, Note
from snd_analysis.base.text import Span
from snd_analysis.skriptnd.names.resolution import Resolution
from snd_analysis.skriptnd.names.symbols import OperatorName, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.damage import signature_is_damaged
from snd_analysis.skriptnd.types.context import Context, Typed
from snd_analysis.skriptnd.types.declarations import declare
from snd_analysis.skriptnd.types.dimensions import Dimension, dimensions
from snd_analysis.skriptnd.types.expressions import dtype_of
from snd_analysis.skriptnd.types.extents import peek
from snd_analysis.skriptnd.types.type import Dtype, Type
from snd_analysis.symbolic.integers import Integer

if TYPE_CHECKING:
    from snd_analysis.skriptnd.check import Facts

# Only definitions that were edited are compared, and these with all that use them at once.
_REMEMBERED = 64

_FINGERPRINTED = frozenset({"dtype", "attrib", "input", "using", "output", "assert"})


@frozen
class GenericType:
    """An entry of ``@dtype``; ``base`` is ``type``, ``arith`` or ``num``."""

    name: str
    base: str
    default: Dtype | None
    has_default: bool
    """Whether there is a default, right or wrong."""


@frozen
class AttributeParameter:
    """An attribute as an invocation sees it."""

    symbol: Symbol
    node: nodes.Parameter
    type: Type | None
    value: Integer | None
    """The variable that stands for a single int."""
    default: Typed | None
    """What is known of the default value; None if there is none."""

    @property
    def required(self) -> bool:
        """Whether every invocation must give it a value."""
        return self.default is None and not self.node.optional

    @property
    def has_length(self) -> bool:
        """Whether the declaration names the pack's length, so that one value may stand for all of its items."""
        return self.node.pack is not None and self.node.pack.length is not None


@frozen
class TensorParameter:
    """An input or output as an invocation sees it."""

    symbol: Symbol
    node: nodes.Parameter
    type: Type | None
    dimensions: tuple[Dimension, ...] | None
    """None if the shape is left out, as graphs may."""
    rank_symbol: Symbol | None
    """The name that ``^(r)`` gives to the rank."""

    @property
    def required(self) -> bool:
        """Whether every invocation must give it a value."""
        return not self.node.optional and self.node.default is None


@frozen(eq=False)
class Signature:
    """Everything that an invocation depends on."""

    definition: nodes.Definition
    generics: tuple[GenericType, ...]
    attributes: dict[str, AttributeParameter]
    inputs: tuple[TensorParameter, ...]
    outputs: tuple[TensorParameter, ...]
    sound: bool
    """Whether nothing is wrong with the declarations: else nothing is said about shapes."""

    @property
    def kind(self) -> str:
        """``operator`` or ``graph``."""
        return self.definition.kind


def elsewhere(name: OperatorName, message: str, member: str | None = None) -> Note:
    """A note at the declaration of an operator, or of one of its members."""
    return Note(Span(0, 0), message, Elsewhere(name.path, name.name, member))


@lru_cache(_REMEMBERED)
def fingerprint(definition: nodes.Definition) -> Hashable:
    """Equal for definitions of which others know the same: positions, white space, comments and bodies don't count."""
    blocks = [block for block in definition.blocks if isinstance(block, nodes.Block) and block.kind in _FINGERPRINTED]
    written = tuple((block.kind, tuple(_content(entry.statement) for entry in block.entries)) for block in blocks)
    return definition.kind, definition.public, definition.name.text, written, signature_is_damaged(definition)


def _content(node: nodes.Node) -> Hashable:
    parts: list[Hashable] = [type(node).__name__]
    for name in nodes.content_fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, nodes.Node):
            parts.append(_content(value))
        elif isinstance(value, tuple):
            parts.append(tuple(_content(item) if isinstance(item, nodes.Node) else item for item in value))
        else:
            # 1, 1.0 and true are equal, but not the same
            parts.append((type(value).__name__, value))
    return tuple(parts)


# A signature lasts as long as somebody knows what the names of its definition mean.
_known: WeakKeyDictionary[Resolution, Signature] = WeakKeyDictionary()


def signature_of(facts: Facts, name: OperatorName) -> Signature | None:
    """The signature of an operator or graph; None if there is no such definition, or its declarations are broken."""
    definition, resolution = facts.definition(name), facts.resolution(name)
    if definition is None or resolution is None or signature_is_damaged(definition):
        return None
    signature = _known.get(resolution)
    if signature is None or signature.definition is not definition:
        context = Context(definition, resolution, facts)
        declare(context)
        signature = _known[resolution] = _read(context)
    return signature


def learn_signature(context: Context) -> None:
    """Keeps what the declarations of an operator say, which have just been checked and are all that was so far.

    What those of a graph are, also depends on who asks: a main graph has no caller.
    """
    definition, resolution = context.definition, context.resolution
    if definition.kind == "operator" and resolution not in _known and not signature_is_damaged(definition):
        _known[resolution] = _read(context)


def _read(context: Context) -> Signature:
    wrong = bool(context.problems) and context.definition.kind == "operator"
    attributes: dict[str, AttributeParameter] = {}
    inputs, outputs, generics = [], [], []
    for symbol in context.resolution.symbols:
        node = symbol.node
        if isinstance(node, nodes.DtypeDeclaration):
            default = None if node.default is None else dtype_of(context, node.default)
            generics.append(GenericType(symbol.name, node.base.text, default, node.default is not None))
        elif not isinstance(node, nodes.Parameter):
            continue
        elif symbol.kind is SymbolKind.ATTRIBUTE:
            attributes.setdefault(symbol.name, _attribute(context, symbol, node))
        elif symbol.kind is SymbolKind.INPUT:
            inputs.append(_tensor(context, symbol, node))
        elif symbol.kind is SymbolKind.OUTPUT:
            outputs.append(_tensor(context, symbol, node))
    return Signature(context.definition, tuple(generics), attributes, tuple(inputs), tuple(outputs), not wrong)


def _attribute(context: Context, symbol: Symbol, node: nodes.Parameter) -> AttributeParameter:
    default = None if node.default is None else peek(context, node.default.value)
    typed = context.typed(symbol)
    return AttributeParameter(symbol, node, typed.type, typed.value, default)


def _tensor(context: Context, symbol: Symbol, node: nodes.Parameter) -> TensorParameter:
    parts = None if node.shape is None else dimensions(context, node.shape, node.optional)
    rank_symbol = None if node.rank is None else context.resolution.symbol(node.rank.text)
    return TensorParameter(symbol, node, context.typed(symbol).type, parts, rank_symbol)
