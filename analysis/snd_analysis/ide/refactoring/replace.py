"""Invocations of the standard library that may replace formulas. Evaluation decides which of them computes the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice, permutations, product

from msgspec import Struct

from snd_analysis.base import Location, Span, TextEdit
from snd_analysis.ide.cursor import definition_at
from snd_analysis.ide.knowledge import Knowledge
from snd_analysis.ide.limits import MOST_ARGUMENTS, MOST_CHOICES, MOST_LOOKED_AT
from snd_analysis.ide.refactoring.change import LibraryCall, Refactored, RefactoringError, comments_in, words
from snd_analysis.skriptnd.names import LIBRARY_PREFIX, OperatorName, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot

_MODULES = ("math", "nn", "linalg", "layout", "image")
_INDENT = "    "


class Formulas(Struct, frozen=True):
    """The ``@lower`` block of an operator."""

    start: int
    """The offset from which spans of the definition count."""
    definition: nodes.Definition
    block: nodes.Block


class _Candidate(Struct, frozen=True):
    """An invocation of the library. Candidates are tried by ``effort``: few attributes and literals first."""

    module: str
    operator: OperatorName
    attributes: Mapping[str, str]
    arguments: tuple[str, ...]
    text: str
    effort: tuple[int, ...]


class _Facts(Struct, frozen=True):
    """The parts of formulas, as texts."""

    inputs: tuple[str, ...]
    attributes: Mapping[str, tuple[str, bool]]
    """The type of each attribute that has to be passed on; True if it is a pack."""
    numbers: Mapping[str, tuple[str, ...]]
    """Literals by their type."""
    contracts: bool
    """True if elements of the output are computed from several elements of an input."""
    bounds: Mapping[str, nodes.Expression]
    """Bounds of the indices that the output does not have, by their text."""
    axes: tuple[str, ...]
    """Dimensions of an input that the output does not have."""
    order: str
    """The dimensions of an input in the order in which the output has them."""
    rank: int
    """The rank of the first input; 0 if it is not fixed."""


def formulas_at(snapshot: Snapshot, path: str, offset: int) -> Formulas | None:
    """Return the formulas around an offset, or of the operator whose name stands there; None if there are none."""
    found = definition_at(snapshot.tree(path), offset)
    if found is None:
        return None
    start, definition = found
    blocks = [each for each in definition.blocks if isinstance(each, nodes.Block)]
    block = next((each for each in blocks if each.kind is BlockKind.LOWER), None)
    if block is None:
        return None
    places = (block, definition.name)
    is_here = any(each.start <= offset - start <= each.end for each in places)
    return Formulas(start, definition, block) if is_here else None


def replace_formula(snapshot: Snapshot, path: str, span: Span) -> Sequence[Refactored]:
    """Return edits that invoke an operator of the library instead, the simplest first. Raise RefactoringError."""
    formulas = formulas_at(snapshot, path, span.start)
    if formulas is None:
        raise RefactoringError("choose an operator with a '@lower' block")
    refusal = _refusal(formulas)
    if refusal is not None:
        raise RefactoringError(refusal)
    found = [*_replacements(Knowledge(snapshot, path, formulas.start, formulas.definition), formulas)]
    if not found:
        raise RefactoringError("no operator of the library has such inputs and such an output")
    return found


def may_be_replaced(formulas: Formulas) -> bool:
    """Return whether formulas are of a kind that an operator of the library can compute."""
    return _refusal(formulas) is None


def _refusal(formulas: Formulas) -> str | None:
    definition = formulas.definition
    outputs = [each for _, each in nodes.entries_of(definition, BlockKind.OUTPUT, nodes.Parameter)]
    if len(outputs) != 1 or outputs[0].pack is not None or outputs[0].shape is None:
        return f"'{definition.name.text}' has not exactly one tensor as its output"
    if any(isinstance(each, nodes.Block) and each.kind is BlockKind.COMPOSE for each in definition.blocks):
        return f"'{definition.name.text}' has a block '@{BlockKind.COMPOSE}' already"
    return None


def _replacements(knowledge: Knowledge, formulas: Formulas) -> Iterator[Refactored]:
    comments = comments_in(knowledge.snapshot, knowledge.path, formulas.block.span.shifted(formulas.start))
    ((_, output),) = nodes.entries_of(formulas.definition, BlockKind.OUTPUT, nodes.Parameter)
    facts = _facts(knowledge)
    for each in sorted(_candidates(knowledge, facts), key=lambda each: each.effort):
        edits = _edits(knowledge, formulas, each, [*comments, f"{output.name.text} = {each.text};"])
        call = LibraryCall(each.operator, each.attributes, each.arguments, facts.bounds)
        name = f"{each.module}.{each.operator.name}"
        yield Refactored(knowledge.name, edits, f"replaced the formula by '{name}'", call=call)


def _edits(
    knowledge: Knowledge, formulas: Formulas, candidate: _Candidate, lines: Sequence[str]
) -> tuple[TextEdit, ...]:
    """Return the edits that replace the formulas by statements, with the import that the statements need."""
    snapshot, path = knowledge.snapshot, knowledge.path
    source, place = snapshot.source(path).text, formulas.block.span.shifted(formulas.start)
    line_break = "\r\n" if "\r\n" in source else "\n"
    line = source[source.rfind("\n", 0, place.start) + 1 : place.start]
    indent = line[: len(line) - len(line.lstrip())]
    body = "".join(f"{indent}{_INDENT}{each}{line_break}" for each in lines)
    edit = TextEdit(Location(path, place), f"@{BlockKind.COMPOSE} {{{line_break}{body}{indent}}}")
    if candidate.module in snapshot.module_scope(path).imports:
        return (edit,)
    return snapshot.import_edit(path, candidate.module), edit


# ---- candidates ------------------------------------------------------------------------------------------------------
def _candidates(knowledge: Knowledge, facts: _Facts) -> Iterator[_Candidate]:
    for module in _MODULES:
        path = f"{LIBRARY_PREFIX}{module}"
        for name, placed in knowledge.snapshot.definitions(path).items():
            definition = placed.definition
            outputs = nodes.entries_of(definition, BlockKind.OUTPUT, nodes.Parameter)
            if not name.startswith("_") and len(outputs) == 1 and _contracts(definition) in (None, facts.contracts):
                library = Knowledge(knowledge.snapshot, path, placed.start, definition)
                yield from _invocations(library, module, facts)


def _invocations(library: Knowledge, module: str, facts: _Facts) -> Iterator[_Candidate]:
    """Yield invocations of an operator with all inputs, and all attributes that have to be passed on."""
    inputs = [each for _, each in nodes.entries_of(library.definition, BlockKind.INPUT, nodes.Parameter)]
    attributes = nodes.entries_of(library.definition, BlockKind.ATTRIB, nodes.Parameter)
    required = len([each for each in inputs if not each.optional and each.default is None])
    options = [_options(library, base, each, facts) for base, each in attributes]
    choices = [*islice(_chosen(options, facts), MOST_CHOICES)]
    for arguments in _arguments(facts, required, len(inputs)) if choices else ():
        for chosen in choices:
            given = {
                each.name.text: value for (_, each), value in zip(attributes, chosen, strict=True) if value is not None
            }
            written = ", ".join(f"{name}={value}" for name, value in given.items())
            text = f"{module}.{library.name.name}{f'{{{written}}}' if given else ''}({', '.join(arguments)})"
            literals = len(set(arguments) - set(facts.inputs))
            special = len([each for _, each in attributes if not each.optional])
            effort = (len(given) + literals, special, _MODULES.index(module), len(text))
            yield _Candidate(module, library.name, given, arguments, text, effort)


def _chosen(options: Sequence[Sequence[str | None]], facts: _Facts) -> Iterator[tuple[str | None, ...]]:
    """Yield a choice for each attribute of the library, few first; each attribute of the operator is passed on once."""
    wanted = sorted(facts.attributes)
    for chosen in islice(_choices(options, len(wanted)), MOST_LOOKED_AT):
        if sorted(str(each) for each in chosen if each in facts.attributes) == wanted:
            yield chosen


def _choices(options: Sequence[Sequence[str | None]], least: int) -> Iterator[tuple[str | None, ...]]:
    """Yield choices in which at least so many attributes do not have their defaults, few of these first."""
    open_ = [at for at, each in enumerate(options) if None in each]
    for count in range(max(least - len(options) + len(open_), 0), len(open_) + 1):
        for changed in combinations(open_, count):
            kept = set(open_).difference(changed)
            yield from product(
                *(
                    (None,) if at in kept else [one for one in each if one is not None]
                    for at, each in enumerate(options)
                )
            )


def _arguments(facts: _Facts, least: int, most: int) -> Iterator[tuple[str, ...]]:
    """Yield all inputs in any order, filled up with literals of the formulas."""
    literals = [*facts.numbers.get("real", ()), *facts.numbers.get("int", ())]
    for count in range(max(least, len(facts.inputs)), min(most, MOST_ARGUMENTS) + 1):
        more = count - len(facts.inputs)
        for filled in product(literals, repeat=more) if more else ((),):
            yield from dict.fromkeys(permutations((*facts.inputs, *filled)))


def _options(library: Knowledge, base: int, attribute: nodes.Parameter, facts: _Facts) -> Sequence[str | None]:
    """Return the possible texts for an attribute of the library; None for its default."""
    name, dtype, packed = attribute.name.text, attribute.type.text, attribute.pack is not None
    has_default = attribute.optional or attribute.default is not None
    own = [
        key
        for key, (type_, is_pack) in facts.attributes.items()
        if (type_ == dtype or dtype not in ("int", "real", "bool", "str")) and (packed or not is_pack)
    ]
    own.sort(key=lambda key: key != name)
    found: list[str | None] = [None] if has_default else []
    found += own
    default = None if attribute.default is None else library.source(attribute.default.value, base)
    match dtype:
        case "bool":
            found += [each for each in ("true", "false") if each != default]
        case "str":
            found += _strings(library, name)
        case "int" if name.endswith("axis"):
            found += map(str, range(facts.rank or 2))
        case "int" if name == "axes":
            found += facts.axes
        case "int" if name == "perm":
            found += [facts.order] if facts.order else []
        case "int" if not name.endswith("align"):
            found += [*(["0"] if name == "padding" else []), *facts.numbers.get("int", ()), *facts.bounds]
        case "real":
            found += facts.numbers.get("real", ())
    return list(dict.fromkeys(found))


def _strings(library: Knowledge, name: str) -> Iterator[str]:
    """Yield the strings that the library allows for an attribute ``x``, from the list in its helper symbol ``xs``."""
    for base, using in nodes.entries_of(library.definition, BlockKind.USING, nodes.Using):
        if isinstance(using.target, nodes.NameTarget) and library.source(using.target, base) == f"{name}s":
            for each in nodes.descendants(using.value):
                if isinstance(each, nodes.String):
                    yield library.source(each, base)


# ---- facts -----------------------------------------------------------------------------------------------------------
def _facts(knowledge: Knowledge) -> _Facts:
    definition = knowledge.definition
    inputs = [each for _, each in nodes.entries_of(definition, BlockKind.INPUT, nodes.Parameter)]
    named = _named(knowledge)
    attributes = {
        each.name.text: (each.type.text, each.pack is not None)
        for _, each in nodes.entries_of(definition, BlockKind.ATTRIB, nodes.Parameter)
        if each.name.text in named
    }
    numbers: dict[str, dict[str, None]] = {}
    bounds: dict[str, nodes.Expression] = {}
    axes: dict[str, None] = {}
    order = ""
    for base, formula in nodes.entries_of(definition, BlockKind.LOWER, nodes.Lowering):
        for each in nodes.descendants(formula):
            if isinstance(each, nodes.Literal):
                numbers.setdefault(each.type, {})[knowledge.source(each, base)] = None
        kept = [knowledge.source(each, base) for index in formula.target.indices for each in index.items]
        bounds |= {
            knowledge.source(each.bound, base): each.bound
            for each in formula.bounds
            if each.name.text not in words(" ".join(kept))
        }
        for each in nodes.descendants(formula.value):
            if isinstance(each, nodes.Subscript) and isinstance(each.target, nodes.Qualified):
                read = [knowledge.source(item, base) for item in each.index.items]
                gone = [str(at) for at, item in enumerate(read) if not words(item) & words(" ".join(kept))]
                if gone:
                    axes[f"[{', '.join(gone)}]"] = None
                if sorted(read) == sorted(kept) and read != kept:
                    order = f"[{', '.join(str(read.index(item)) for item in kept)}]"
    fixed = inputs and inputs[0].shape is not None and all(
        each.expansion is None and not each.spread for each in inputs[0].shape.extents
    )  # fmt: skip
    rank = len(inputs[0].shape.extents) if fixed and inputs[0].shape is not None else 0
    axes |= {f"[{at}]": None for at in range(rank)}
    return _Facts(
        tuple(each.name.text for each in inputs),
        attributes,
        {dtype: tuple(texts) for dtype, texts in numbers.items()},
        bool(_contracts(definition)),
        bounds,
        tuple(axes),
        order,
        rank,
    )


def _named(knowledge: Knowledge) -> set[str]:
    """Return the names of the attributes on which formulas, shapes of outputs and helper symbols depend."""
    found = set()
    for block in knowledge.definition.blocks:
        if isinstance(block, nodes.Block) and block.kind in (BlockKind.LOWER, BlockKind.OUTPUT, BlockKind.USING):
            for use in knowledge.resolution.uses_in(block.span):
                if isinstance(use.target, Symbol) and use.target.kind is SymbolKind.ATTRIBUTE:
                    found.add(use.target.name)
    return found


def _contracts(definition: nodes.Definition) -> bool | None:
    """Return whether formulas make an element of several; None if there are no formulas."""
    formulas = [each for _, each in nodes.entries_of(definition, BlockKind.LOWER, nodes.Lowering)]
    if not formulas:
        return None
    return any(each.operator.text != "=" for each in formulas)
