"""Features of editors for ``graph.quant`` files, and the quantization of the tensors of a graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from snd_analysis.base import Location, Span
from snd_analysis.ide.completion.item import Completion, CompletionKind, Completions, ranked
from snd_analysis.ide.hover import Hover
from snd_analysis.ide.hover.definitions import attribute_text, definition_text
from snd_analysis.ide.language_features import FrontEnd
from snd_analysis.ide.markdown import Examples, code_block
from snd_analysis.ide.mentions import Occurrence
from snd_analysis.ide.navigation.definition import Link
from snd_analysis.ide.navigation.document_symbols import DocumentSymbol, OutlineKind
from snd_analysis.ide.nnef1.facts import fact_text
from snd_analysis.ide.nnef1.operations import LANGUAGE
from snd_analysis.ide.nnef1.places import definitions, tree_of, uses
from snd_analysis.ide.nnef1.signature_help import open_call, tokens_before
from snd_analysis.ide.nnef1.tokens import line_tokens
from snd_analysis.ide.semantic_tokens import TokenGroup
from snd_analysis.nnef1.elaborate import QUANTIZATION, ElaboratedValue
from snd_analysis.nnef1.names import LocalSubject
from snd_analysis.nnef1.syntax import Dialect, nodes, quantization_path
from snd_analysis.skriptnd.names import OperatorName, Role
from snd_analysis.workspace import Snapshot, elaborated, operations_of_dialect, quantization_file

_Line = tuple[int, nodes.Quantization]


def graph_path(path: str) -> str:
    """Return the graph whose tensors a file of quantizations is about."""
    return f"{path.rpartition('.')[0]}.nnef"


def lines(snapshot: Snapshot, path: str) -> Sequence[_Line]:
    """Return the lines of a file of quantizations, with the offsets that their spans count from."""
    found = quantization_file(snapshot.db, path)
    return () if found is None else found.lines


def tensor_name(line: nodes.Quantization) -> str:
    """Return the tensor that a line is about."""
    return line.tensor.value if isinstance(line.tensor, nodes.String) else line.tensor.text


def tensor_span(start: int, line: nodes.Quantization) -> Span:
    """Return where the name of the tensor stands in the file, without quotes."""
    quotes = 1 if isinstance(line.tensor, nodes.String) else 0
    return Span(start + line.tensor.start + quotes, start + line.tensor.end - quotes)


def quantized_places(snapshot: Snapshot, graph: str, name: str) -> Iterator[Location]:
    """Yield where the file beside a graph names a tensor."""
    path = quantization_path(graph)
    for start, line in () if path is None else lines(snapshot, path):
        if path is not None and tensor_name(line) == name:
            yield Location(path, tensor_span(start, line))


# ---- features --------------------------------------------------------------------------------------------------------
def _line_at(snapshot: Snapshot, path: str, offset: int) -> _Line | None:
    found = (each for each in lines(snapshot, path) if each[0] + each[1].start <= offset <= each[0] + each[1].end)
    return next(found, None)


def _value(snapshot: Snapshot, path: str, name: str) -> ElaboratedValue | None:
    entries = elaborated(snapshot.db, graph_path(path)).values.entries
    return next((each[name] for each in reversed(entries) if name in each), None)


def _subject(snapshot: Snapshot, path: str, name: str) -> LocalSubject | None:
    graph = next((each for each in definitions(tree_of(snapshot, graph_path(path))) if each.head.kind == "graph"), None)
    return None if graph is None else LocalSubject(graph.head.name.text, name)


def _operator(snapshot: Snapshot, name: str) -> OperatorName | None:
    return operations_of_dialect(Dialect.KHRONOS).operator((QUANTIZATION, name))


def _hover(snapshot: Snapshot, path: str, offset: int, _: Examples | None) -> Hover | None:
    found = _line_at(snapshot, path, offset)
    if found is None:
        return None
    start, line = found
    span = tensor_span(start, line)
    if span.start <= offset <= span.end:
        fact = fact_text(_value(snapshot, path, tensor_name(line)))
        return Hover(span, code_block(f"{tensor_name(line)}: {fact}", LANGUAGE)) if fact else None
    function = line.operation.function.span.shifted(start)
    operator = _operator(snapshot, line.operation.function.text)
    if operator is None:
        return None
    if function.start <= offset <= function.end:
        return Hover(function, definition_text(snapshot, operator, path))
    for argument in line.operation.arguments:
        name = argument.name
        if name is not None and name.start + start <= offset <= name.end + start:
            text = attribute_text(snapshot, operator, name.text, "", path)
            return Hover(name.span.shifted(start), text) if text else None
    return None


def _definition(snapshot: Snapshot, path: str, offset: int) -> Link | None:
    found = _line_at(snapshot, path, offset)
    if found is None:
        return None
    start, line = found
    span, function = tensor_span(start, line), line.operation.function.span.shifted(start)
    if span.start <= offset <= span.end:
        graph, subject = graph_path(path), _subject(snapshot, path, tensor_name(line))
        written = [each for each in uses(snapshot.db, graph) if each.subject == subject and each.role is Role.WRITE]
        place = Location(graph, written[-1].span) if written else None
        return None if place is None else Link(span, place, place)
    operator = _operator(snapshot, line.operation.function.text)
    known = None if operator is None else snapshot.definitions(operator.path).get(operator.name)
    if operator is None or known is None or not function.start <= offset <= function.end:
        return None
    whole, name = (each.span.shifted(known.start) for each in (known.definition, known.definition.name))
    return Link(function, Location(operator.path, whole), Location(operator.path, name))


def _occurrences(snapshot: Snapshot, path: str, offset: int, paths: Iterable[str] | None) -> Iterator[Occurrence]:
    found = _line_at(snapshot, path, offset)
    if found is None or not tensor_span(*found).start <= offset <= tensor_span(*found).end:
        return
    name = tensor_name(found[1])
    for start, line in lines(snapshot, path):
        if tensor_name(line) == name:
            yield Occurrence(Location(path, tensor_span(start, line)), Role.READ)
    if paths is not None:
        graph, subject = graph_path(path), _subject(snapshot, path, name)
        for each in uses(snapshot.db, graph):
            if each.subject == subject:
                yield Occurrence(Location(graph, each.span), each.role)


def _outline(snapshot: Snapshot, path: str) -> Sequence[DocumentSymbol]:
    return [
        DocumentSymbol(
            tensor_name(line),
            OutlineKind.QUANTIZATION,
            line.operation.function.text,
            line.span.shifted(start),
            tensor_span(start, line),
        )
        for start, line in lines(snapshot, path)
        if tensor_name(line)
    ]


def _completions(
    snapshot: Snapshot, path: str, offset: int, snippets: bool = False, _: Sequence[str] = ()
) -> Completions:
    text = snapshot.source(path).text
    start = offset
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    items = ranked(_offered(snapshot, path, text, start), text[start:offset])
    return Completions(Span(start, offset), Span(start, offset), tuple(items))


def _offered(snapshot: Snapshot, path: str, text: str, start: int) -> Iterator[Completion]:
    tokens = tokens_before(text, start)[0]
    call = open_call(text, start)
    if call is not None:
        operator = _operator(snapshot, call.name)
        template = None if operator is None else snapshot.template(operator)
        for member in () if template is None else template.attributes:
            if member.name not in call.given and not call.named:
                yield Completion(f"{member.name} =", CompletionKind.ATTRIBUTE, 0, f"{member.name} = ")
    elif any(each.kind == ":" for each in tokens):
        for name in operations_of_dialect(Dialect.KHRONOS).imports[QUANTIZATION].definitions:
            yield Completion(name, CompletionKind.OPERATOR, 0)
    else:
        is_open = bool(tokens) and tokens[-1].kind == "UNCLOSED"
        known = elaborated(snapshot.db, graph_path(path)).values.entries
        for name, value in {name: each for entry in known for name, each in entry.items()}.items():
            label = name if is_open else f'"{name}"'
            yield Completion(label, CompletionKind.TENSOR, 0, detail=fact_text(value, short=True))


def _tokens(snapshot: Snapshot, path: str, within: Span | None = None) -> list[TokenGroup]:
    found = quantization_file(snapshot.db, path)
    return [] if found is None else line_tokens(found.text, found.lines, found.comments, within)


FRONT_END = FrontEnd(
    comments=Snapshot.comments,
    outline=_outline,
    tokens=_tokens,
    definition=_definition,
    occurrences=_occurrences,
    hover=_hover,
    completions=_completions,
)
