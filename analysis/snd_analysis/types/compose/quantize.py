"""``@quantize``: which tensors, and by which operators (2.14)."""

from __future__ import annotations

from snd_analysis.names.resolve import entries_of
from snd_analysis.names.symbols import OperatorName
from snd_analysis.syntax import nodes
from snd_analysis.syntax.spelling import close_matches
from snd_analysis.types.compose.attributes import AttributeCheck
from snd_analysis.types.compose.binding import ShapeBinding
from snd_analysis.types.compose.composition import Composition
from snd_analysis.types.compose.generics import TypeBinding
from snd_analysis.types.compose.scopes import Found, find_tensor, tensors
from snd_analysis.types.signature import Signature, elsewhere, signature_of
from snd_analysis.types.written import counted


def check_quantize(work: Composition) -> None:
    """Checks every entry of ``@quantize``."""
    for base, entry in entries_of(work.context.definition, "quantize", nodes.Quantization):
        work.context.base = base
        if _check_target(work, entry):
            _check_algorithm(work, entry)


def _check_target(work: Composition, entry: nodes.Quantization) -> bool:
    context = work.context
    parts = tuple(part.text for part in entry.target.parts)
    if not all(parts):
        return False
    found = find_tensor(context, parts)
    if found is Found.PRIVATE:
        message = (
            f"'{entry.target.text}' can't be named here: "
            "of an operator that is not public only variables and constants can"
        )
        context.report("private-tensor", entry.target, message)
    elif found is Found.NOTHING:
        known = tensors(context)
        close = close_matches(parts[-1], known) if len(parts) == 1 else []
        hint = f"; did you mean '{close[0]}'?" if close else ""
        context.report("unknown-quantized-tensor", entry.target, f"there is no tensor '{entry.target.text}'{hint}")
    return True


def _check_algorithm(work: Composition, entry: nodes.Quantization) -> None:
    context = work.context
    name = context.target(entry.algorithm)
    if entry.arguments is not None:
        message = f"a quantization has no arguments: it is applied to '{entry.target.text}'"
        context.report("quantization-with-arguments", entry.arguments, message)
    signature = signature_of(context.facts, name) if isinstance(name, OperatorName) else None
    if signature is None or not isinstance(name, OperatorName):
        return
    counts = []
    if len(signature.inputs) != 1:
        counts.append(counted(len(signature.inputs), "input"))
    if len(signature.outputs) != 1:
        counts.append(counted(len(signature.outputs), "output"))
    if counts:
        message = f"'{name.name}' can't quantize: it has {' and '.join(counts)}, and must have exactly one of each"
        note = elsewhere(name, f"'{name.name}' is defined here")
        context.report("quantization-algorithm", entry.algorithm, message, (note,))
        return
    _check_parts(work, entry, name, signature)


def _check_parts(work: Composition, entry: nodes.Quantization, name: OperatorName, signature: Signature) -> None:
    """Generic types and attributes, as in an invocation on the tensor."""
    context = work.context
    types, binding = TypeBinding(work, signature, name), ShapeBinding()
    if entry.generics is not None:
        types.give(entry.generics)
    AttributeCheck(work, name, signature, types, binding).check(entry.attributes, entry.algorithm)
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
        context.report("type-mismatch", entry.target, message, (note,))
    types.finish(entry.algorithm)
