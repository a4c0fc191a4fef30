"""``@quantize``: which tensors, and by which operators (2.14)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis import rules
from snd_analysis.base import Note, Span, counted
from snd_analysis.skriptnd.limits import MOST_SCOPED_SUGGESTIONS
from snd_analysis.skriptnd.names import MOST_GUESSES, OperatorName
from snd_analysis.skriptnd.syntax import close_matches, nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types.compose.invocation.attributes import AttributeCheck, attribute_values
from snd_analysis.skriptnd.types.compose.invocation.binding import ShapeBinding
from snd_analysis.skriptnd.types.compose.invocation.generics import TypeBinding
from snd_analysis.skriptnd.types.compose.scopes import Found, find_tensor, tensors
from snd_analysis.skriptnd.types.compose.typing_state import TypingState
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.signature import Signature, elsewhere


def check_quantize(work: TypingState) -> None:
    """Check every entry of ``@quantize``."""
    first: dict[tuple[str, ...], Span] = {}
    guesses = iter(range(MOST_GUESSES))
    for base, entry in entries_of(work.context.definition, BlockKind.QUANTIZE, nodes.Quantization):
        work.context.base = base
        if _check_target(work, entry, guesses):
            _check_repetition(work.context, entry, first)
            _check_algorithm(work, entry)


def _check_repetition(context: Context, entry: nodes.Quantization, first: dict[tuple[str, ...], Span]) -> None:
    parts = tuple(part.text for part in entry.target.parts)
    if len(parts) > 1 and parts[0] == context.definition.name.text and context.definition.kind == "graph":
        parts = parts[1:]
    earlier = first.setdefault(parts, context.span(entry.target))
    if earlier != context.span(entry.target):
        message = f"the tensor '{entry.target.text}' is quantized a second time"
        context.report(rules.DUPLICATE_QUANTIZATION, entry.target, message, (Note(earlier, "first quantized here"),))


def _check_target(work: TypingState, entry: nodes.Quantization, guesses: Iterator[int]) -> bool:
    context = work.context
    parts = tuple(part.text for part in entry.target.parts)
    if not all(parts):
        return False
    found = find_tensor(context, parts)
    if found is Found.PRIVATE:
        message = (
            f"'{entry.target.text}' is not visible here: "
            "outside a private operator, only its variables and constants can be named"
        )
        context.report(rules.PRIVATE_TENSOR, entry.target, message)
    elif found is Found.NOTHING:
        is_guessed = next(guesses, None) is not None
        close = next(_similar(context, parts), None) if is_guessed else None
        below = _beside(context, parts) if is_guessed else []
        hint = f"; did you mean '{'.'.join(close)}'?" if close else ""
        if not close and below:
            hint = f"; there is {', '.join(below)}"
        context.report(rules.UNKNOWN_QUANTIZED_TENSOR, entry.target, f"there is no tensor '{entry.target.text}'{hint}")
    return True


def _beside(context: Context, parts: tuple[str, ...]) -> list[str]:
    """Return a few of the names that lead to a tensor from the same label."""
    if len(parts) == 1:
        return []
    paths = ((*parts[:-1], name) for name in sorted(_names_below(context)))
    found = [f"'{'.'.join(path)}'" for path in paths if find_tensor(context, path) is Found.TENSOR]
    return found[:MOST_SCOPED_SUGGESTIONS]


def _similar(context: Context, parts: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield names of tensors that differ from ``parts`` in one part."""
    own, below = {symbol.name for symbol in context.resolution.symbols}, _names_below(context)
    for at, part in enumerate(parts):
        for close in close_matches(part, sorted(below if at else own)):
            changed = (*parts[:at], close, *parts[at + 1 :])
            if find_tensor(context, changed) is Found.TENSOR:
                yield changed


def _names_below(context: Context) -> set[str]:
    """Return the names of everything that the operators declare which are invoked, directly or by others."""
    below = set[str]()
    pending, seen = [context.resolution], {context.resolution}
    while pending:
        for target in set(pending.pop().targets.values()):
            resolution = context.others.resolution(target) if isinstance(target, OperatorName) else None
            if resolution is not None and resolution not in seen:
                seen.add(resolution)
                pending.append(resolution)
                below.update(symbol.name for symbol in resolution.symbols)
    return below


def _check_algorithm(work: TypingState, entry: nodes.Quantization) -> None:
    context = work.context
    name = context.target(entry.algorithm)
    if entry.arguments is not None:
        message = f"a quantization has no arguments: it is applied to '{entry.target.text}'"
        context.report(rules.QUANTIZATION_WITH_ARGUMENTS, entry.arguments, message)
    signature = context.others.signature(name) if isinstance(name, OperatorName) else None
    if signature is None or not isinstance(name, OperatorName):
        return
    counts = []
    if len(signature.inputs) != 1:
        counts.append(counted(len(signature.inputs), "input"))
    if len(signature.outputs) != 1:
        counts.append(counted(len(signature.outputs), "output"))
    if counts:
        message = f"'{name.name}' can't quantize: it has {' and '.join(counts)}, but needs exactly 1 input and 1 output"
        note = elsewhere(name, f"'{name.name}' is defined here")
        context.report(rules.QUANTIZATION_ALGORITHM, entry.algorithm, message, (note,))
        return
    packed = [each.symbol.name for each in (*signature.inputs, *signature.outputs) if each.type and each.type.packed]
    if packed:
        message = f"'{name.name}' can't quantize: '{packed[0]}' is a pack, and tensors are quantized one by one"
        note = elsewhere(name, f"'{packed[0]}' is declared here", packed[0])
        context.report(rules.QUANTIZATION_ALGORITHM, entry.algorithm, message, (note,))
        return
    _check_parts(work, entry, name, signature)


def _check_parts(work: TypingState, entry: nodes.Quantization, name: OperatorName, signature: Signature) -> None:
    """Check generic types and attributes, as in an invocation on the tensor."""
    context = work.context
    types, binding = TypeBinding(work, signature, name), ShapeBinding(entry)
    if entry.generics is not None:
        types.give(entry.generics)
    values = attribute_values(work, entry.attributes)
    AttributeCheck(work, name, signature, types, binding).check(entry.attributes, values, entry.algorithm)
    formal = signature.inputs[0].type
    symbol = tensors(context).get(entry.target.text)
    tensor = None if symbol is None else context.typed(symbol).type
    if formal is None:
        return
    role = f"the input '{signature.inputs[0].symbol.name}'"
    if tensor is None:
        types.forget(formal.dtype)
    elif formal.dtype.is_generic:
        types.deduce(formal.dtype, tensor.dtype, entry.target, role)
    elif formal.dtype != tensor.dtype:
        message = f"{role} of '{name.name}' has the type '{formal}', but '{entry.target.text}' is '{tensor}'"
        note = elsewhere(name, f"{role} is declared here", signature.inputs[0].symbol.name)
        context.report(rules.TYPE_MISMATCH, entry.target, message, (note,))
    types.finish(entry.algorithm)
