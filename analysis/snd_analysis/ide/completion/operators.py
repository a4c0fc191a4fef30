"""Operators to invoke: operators of the file, of imported modules, and of modules that acceptance imports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import dirname, normpath
from typing import TypeAlias

from msgspec.structs import replace

from snd_analysis.base import Location, Span, TextEdit
from snd_analysis.ide.completion.item import Completion, CompletionKind, closeness, matches
from snd_analysis.ide.completion.names import readable_tensors
from snd_analysis.ide.completion.place import CompletionPlace
from snd_analysis.ide.completion.stack import OpenBracket, Stack
from snd_analysis.ide.completion.visible import Visible
from snd_analysis.skriptnd.names import (
    LIBRARY_PREFIX,
    ModuleNames,
    OperatorName,
    candidates,
    counterparts_beginning,
    is_library,
    is_main,
    library_modules,
    library_names,
    model_root,
)
from snd_analysis.skriptnd.syntax import Token, nodes, parse_expression
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types import CONCRETE, Type
from snd_analysis.workspace import Snapshot

# ---- modules: to import, and to name operators of --------------------------------------------------------------------
_SUFFIX = ".sknd"
_GROUP, _OTHER_MODULES = 4, 8


def importable(snapshot: Snapshot, path: str, files: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the modules that a file can import, with their paths; files must be known to exist."""
    if not is_library(path):
        folders = dict.fromkeys([dirname(path), model_root(path, snapshot.exists), *snapshot.settings.module_paths])
        for file in files:
            if file == path or is_main(file) or not file.endswith(_SUFFIX):
                continue
            for folder in folders:
                inside = normpath(folder).rstrip("/") + "/" if folder else ""
                module = file[len(inside) : -len(_SUFFIX)].replace("/", ".")
                if not file.startswith(inside) or not all(part.isidentifier() for part in module.split(".")):
                    continue
                if next(candidates(module, path, snapshot.exists, snapshot.settings.module_paths), None) == file:
                    yield module, file
                    break
    for module in library_modules():
        if LIBRARY_PREFIX + module != path:
            yield module, LIBRARY_PREFIX + module


def imports(snapshot: Snapshot, place: CompletionPlace, files: Sequence[str]) -> Iterator[Completion]:
    """Yield the completions after ``import``: modules that are not imported yet, part by part."""
    before = "".join(f"{part}." for part in place.qualifier)
    imported = {
        item.node.text for item in snapshot.imports(place.path)
        if not item.span.start <= place.offset <= item.span.end
    }  # fmt: skip
    for module, target in importable(snapshot, place.path, files):
        if module.startswith(before) and module not in imported:
            yield Completion(
                module[len(before) :], CompletionKind.MODULE, 1 if is_library(target) else 0,
                detail="standard library" if is_library(target) else target, subject=("module", target, module),
            )  # fmt: skip


def qualifiers(snapshot: Snapshot, place: CompletionPlace, files: Sequence[str]) -> Iterator[Completion]:
    """Yield the modules with operators, unimported ones last."""
    before = "".join(f"{part}." for part in place.qualifier)
    dot = "" if place.following == "." else "."
    imported = snapshot.module_scope(place.path).imports
    for module, names in imported.items():
        if module.startswith(before):
            label = module[len(before) :]
            yield Completion(
                label, CompletionKind.MODULE, _GROUP, text=label + dot, subject=("module", names.path, module),
            )  # fmt: skip
    if is_library(place.path):
        return
    for module, target in importable(snapshot, place.path, files):
        if module not in imported and module.startswith(before):
            label = module[len(before) :]
            edits = (snapshot.import_edit(place.path, module),)
            yield Completion(
                label, CompletionKind.MODULE, _OTHER_MODULES, text=label + dot, detail=f"import {module}", edits=edits,
                subject=("module", target, module),
            )  # fmt: skip


# ---- operators to invoke ---------------------------------------------------------------------------------------------
_Tensor: TypeAlias = "tuple[str, Type | None]"
"""A tensor that can be read, and its type."""
_OWN, _POSTFIX, _IMPORTED, _OTHERS, _ELSEWHERE = 1, 2, 3, 8, 9
# Fewer letters begin too many names of other frameworks.
_LETTERS_ELSEWHERE = 3
# An invocation that is longer is not looked at.
_FAR = 2000
_CONTROL_FLOW = frozenset({"IF", "ELIF", "THEN", "ELSE", "WHILE", "DO", "UNROLL"})


def operators(
    snapshot: Snapshot, place: CompletionPlace, visible: Visible, snippets: bool, files: Sequence[str]
) -> Iterator[Completion]:
    """Yield every operator that can be invoked at a place and whose name matches the typed text."""
    tensors = [(each.name, visible.typed(each).type) for each in readable_tensors(place, visible)]
    if place.qualifier:
        yield from _of_qualifier(snapshot, place, _Invocable(snapshot, place, snippets, tensors), files)
        if len(place.qualifier) == 1 and snippets:
            yield from _postfix(snapshot, place, visible)
        return
    invocable = _Invocable(snapshot, place, snippets, tensors)
    module_scope = snapshot.module_scope(place.path)
    for name in module_scope.own.definitions:
        yield from invocable.item(module_scope.own, name, name, _OWN)
    for module, names in module_scope.imports.items():
        for name in names.definitions:
            yield from invocable.item(names, name, f"{module}.{name}", _IMPORTED)
    if is_library(place.path):
        return
    for module, names in not_imported(snapshot, place.path, files):
        edit: tuple[TextEdit, ...] | None = None
        for name in _likely(names, place.prefix):
            for found in invocable.item(names, name, f"{module}.{name}", _OTHERS):
                edit = edit or (snapshot.import_edit(place.path, module),)
                yield _importing(found, module, edit)
    yield from _named_elsewhere(snapshot, place, invocable)


def _named_elsewhere(snapshot: Snapshot, place: CompletionPlace, invocable: _Invocable) -> Iterator[Completion]:
    """Yield operators of the library that another framework calls by the typed text, as PyTorch says ``LayerNorm``."""
    if len(place.prefix) < _LETTERS_ELSEWHERE:
        return
    imported = snapshot.module_scope(place.path).imports
    for operator, bare, text in counterparts_beginning(place.prefix):
        module, _, name = operator.partition(".")
        for found in invocable.item(library_names(module), name, operator, _ELSEWHERE, bare):
            if module in imported:
                yield replace(found, detail=text)
            else:
                edits = (snapshot.import_edit(place.path, module),)
                yield replace(found, detail=f"{text}, import {module}", edits=edits)


def _postfix(snapshot: Snapshot, place: CompletionPlace, visible: Visible) -> Iterator[Completion]:
    """Yield invocations of a tensor that is written before the word, as in ``x.relu``; they replace it."""
    symbol = visible.symbols.get(place.qualifier[0])
    if symbol is None or not symbol.is_tensor:
        return
    invocable = _Invocable(snapshot, place, True, [(symbol.name, visible.typed(symbol).type)])
    without = TextEdit(Location(place.path, Span(place.head, place.start)), "")
    scope = snapshot.module_scope(place.path)
    modules = {"": scope.own, **scope.imports}
    for module in library_modules() if place.prefix else ():
        modules.setdefault(module, library_names(module))
    for module, names in modules.items():
        is_imported = names is scope.own or module in scope.imports
        for name in names.definitions:
            for found in invocable.item(names, name, f"{module}.{name}" if module else name, _POSTFIX):
                if invocable.reads_first(names, name):
                    edits = (without,) if is_imported else (without, snapshot.import_edit(place.path, module))
                    called = f"{found.label}({symbol.name})"
                    detail = called if is_imported else f"{called}, import {module}"
                    yield replace(found, label=name, detail=detail, edits=edits)


def _of_qualifier(
    snapshot: Snapshot, place: CompletionPlace, invocable: _Invocable, files: Sequence[str]
) -> Iterator[Completion]:
    module = ".".join(place.qualifier)
    names = snapshot.module_scope(place.path).imports.get(module)
    if names is not None:
        for name in names.definitions:
            yield from invocable.item(names, name, name, _OWN)
        return
    for other, names in not_imported(snapshot, place.path, files):
        if other == module:
            edit = (snapshot.import_edit(place.path, module),)
            for name in names.definitions:
                for found in invocable.item(names, name, name, _OWN):
                    yield _importing(found, module, edit)


def _importing(found: Completion, module: str, edits: tuple[TextEdit, ...]) -> Completion:
    return Completion(
        found.label, found.kind, found.group, found.text, found.is_snippet, found.filter,
        f"import {module}", edits, found.subject,
    )  # fmt: skip


def not_imported(snapshot: Snapshot, path: str, files: Sequence[str]) -> Iterator[tuple[str, ModuleNames]]:
    """Yield the modules that a file could import and does not, with their definitions."""
    module_scope = snapshot.module_scope(path)
    found = importable(snapshot, path, files)
    beside = {module: target for module, target in found if not is_library(target)}
    for module, target in beside.items():
        if module not in module_scope.imports:
            kinds = {name: found.definition.kind for name, found in snapshot.definitions(target).items()}
            if "graph" not in kinds.values():
                yield module, ModuleNames(target, kinds)
    for module in library_modules():
        if module not in module_scope.imports and module not in beside:
            yield module, library_names(module)


def _likely(names: ModuleNames, prefix: str) -> Iterator[str]:
    """Return names of a module that is not imported: those with the typed beginning.

    Looser matches from 3 letters on.
    """
    return (name for name in names.definitions if prefix and (len(prefix) > 2 or closeness(prefix, name) < 2))


class _Invocable:
    """Judges which definitions can be invoked at a place."""

    def __init__(self, snapshot: Snapshot, place: CompletionPlace, snippets: bool, tensors: Sequence[_Tensor]) -> None:
        self._snapshot = snapshot
        self._place = place
        self._tensors = tensors
        stack = place.stack
        self._graphs = place.in_sample or bool(_CONTROL_FLOW & {*stack.symbols[stack.statement :]})
        self._results = _results(place)
        self._call = _call_after(place)
        self._callers = frozenset[str]() if place.in_sample else self._find_callers()
        self._quantizes = place.block == BlockKind.QUANTIZE
        self._snippets = not self._quantizes and snippets and place.following not in ("(", "{", "<")
        self._ends = ";$0" if place.following == "" and _awaits_invocation(stack) and not place.in_sample else ""

    def item(
        self, names: ModuleNames, name: str, label: str, group: int, typed: str | None = None
    ) -> Iterator[Completion]:
        """Yield the completion of a definition; nothing if it can't be invoked here.

        Its name is compared with the typed text, or the name ``typed`` that it has elsewhere.
        """
        typed = typed or name
        is_own = names.path == self._place.path
        kind = names.definitions[name]
        if (kind == "graph" and not self._graphs) or (name.startswith("_") and not is_own):
            return
        if (is_own and name in self._callers) or not matches(self._place.prefix, typed):
            return
        if self._results or self._call is not None or self._snippets or self._quantizes:
            definition = self._snapshot.definition(OperatorName(names.path, name))
            if definition is None or not self._fits(definition):
                return
            text = f"{label}{_arguments(definition, self._tensors)}{self._ends}" if self._snippets else ""
        else:
            text = ""
        # The filter is the name alone, for any module.
        yield Completion(
            label, CompletionKind.GRAPH if kind == "graph" else CompletionKind.OPERATOR, group, text, bool(text), typed,
            subject=("operator", names.path, name),
        )  # fmt: skip

    def reads_first(self, names: ModuleNames, name: str) -> bool:
        """Return whether the first input of a definition takes one of the tensors."""
        definition = self._snapshot.definition(OperatorName(names.path, name))
        inputs = [] if definition is None else entries_of(definition, BlockKind.INPUT, nodes.Parameter)
        return bool(inputs) and any(_takes_tensor(inputs[0][1], type_) for _, type_ in self._tensors)

    def _fits(self, definition: nodes.Definition) -> bool:
        """Return whether a definition has the expected results, and accepts the arguments given so far."""
        if self._quantizes and not _quantizes(definition):
            return False
        return _has_results(definition, self._results) and (self._call is None or _takes(definition, self._call))

    def _find_callers(self) -> frozenset[str]:
        """Return the definitions of the file that invoke the one around the cursor, and itself.

        Operators can't recur.
        """
        definition, path = self._place.definition, self._place.path
        if definition is None:
            return frozenset()
        own = {definition.name.text}
        invoked = {
            name: {each.name for each in self._snapshot.invoked(OperatorName(path, name)) if each.path == path}
            for name in self._snapshot.definitions(path)
        } if not is_library(path) else {}  # fmt: skip
        while True:
            more = {name for name, others in invoked.items() if others & own} - own
            if not more:
                return frozenset(own)
            own |= more


def _results(place: CompletionPlace) -> list[nodes.Node]:
    """Return the results that are awaited; none if that is not known."""
    stack = place.stack
    if place.in_sample or not _awaits_invocation(stack):
        return []
    at = len(stack.symbols) - 1 - stack.symbols[::-1].index("_results")
    value = stack.values[at]
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, nodes.Node)]


def _awaits_invocation(stack: Stack) -> bool:
    """Return whether results and ``=`` stand before a place, and perhaps a label."""
    if "_results" not in stack.symbols or stack.frame is OpenBracket.ARGUMENTS:
        return False
    at = len(stack.symbols) - 1 - stack.symbols[::-1].index("_results")
    return stack.symbols[at + 1 :] in (("ASSIGN",), ("ASSIGN", "name", "COLON"))


def _quantizes(definition: nodes.Definition) -> bool:
    """Return whether an operator makes one tensor of another, as one that quantizes must."""
    return all(
        len([*entries_of(definition, kind, nodes.Parameter)]) == 1 for kind in (BlockKind.INPUT, BlockKind.OUTPUT)
    )


def awaits_several(place: CompletionPlace) -> bool:
    """Return whether more than one result is awaited, as no name has and no expression."""
    stack = place.stack
    return stack.symbols[-2:] == ("_results", "ASSIGN") and len(_results(place)) > 1


def begins_generics(snapshot: Snapshot, place: CompletionPlace) -> bool:
    """Return whether an apparent comparison is the beginning of the types of an invoked operator."""
    stack = place.stack
    if (
        place.block not in (BlockKind.COMPOSE, BlockKind.UPDATE)
        or len(stack.symbols) < 2
        or not stack.is_callable(len(stack.symbols) - 2)
    ):
        return False
    name, operator = stack.values[-2:]
    if not (isinstance(operator, Token) and operator.kind == "LT" and isinstance(name, nodes.Qualified)):
        return False
    invoked = snapshot.module_scope(place.path).operator(tuple(part.text for part in name.parts))
    definition = None if invoked is None else snapshot.definition(invoked)
    return definition is not None and any(True for _ in entries_of(definition, BlockKind.DTYPE, nodes.DtypeDeclaration))


def _has_results(definition: nodes.Definition, results: list[nodes.Node]) -> bool:
    outputs = [output for _, output in entries_of(definition, BlockKind.OUTPUT, nodes.Parameter)]
    if not results:
        return True
    return len(outputs) == len(results) and all(
        (output.pack is not None) == (isinstance(result, nodes.ResultList) or getattr(result, "pack", None) is not None)
        for output, result in zip(outputs, results, strict=True)
        if not isinstance(result, nodes.Result) or not isinstance(result.target, nodes.Tilde)
    )


def _call_after(place: CompletionPlace) -> nodes.Call | None:
    """Return the attributes and arguments that stand after the name already."""
    if place.following not in ("{", "(", "<"):
        return None
    after = place.text[place.end : place.end + _FAR].partition(";")[0]
    expression, problems = parse_expression(f"f{after}")
    return expression if isinstance(expression, nodes.Call) and not problems else None


def _takes(definition: nodes.Definition, call: nodes.Call) -> bool:
    given = {item.name.text for item in call.attributes.items} if call.attributes is not None else set()
    attributes = [attribute for _, attribute in entries_of(definition, BlockKind.ATTRIB, nodes.Parameter)]
    inputs = [parameter for _, parameter in entries_of(definition, BlockKind.INPUT, nodes.Parameter)]
    return (
        given <= {attribute.name.text for attribute in attributes}
        and {attribute.name.text for attribute in attributes if _is_required(attribute)} <= given
        and len(call.arguments) <= len(inputs)
        and not any(_is_required(parameter) for parameter in inputs[len(call.arguments) :])
    )


def _is_required(parameter: nodes.Parameter) -> bool:
    return parameter.default is None and not parameter.optional


def _arguments(definition: nodes.Definition, tensors: Sequence[_Tensor]) -> str:
    """Return the required attributes and arguments of an invocation, as the rest of a snippet.

    The first argument is the first of the ``tensors`` that fits; it is no tab stop if no other fits.
    """
    stops = 0
    attributes = []
    for _, parameter in entries_of(definition, BlockKind.ATTRIB, nodes.Parameter):
        if _is_required(parameter):
            stops += 1
            attributes.append(f"{parameter.name.text}=${stops}")
    inputs: list[str] = []
    for _, parameter in entries_of(definition, BlockKind.INPUT, nodes.Parameter):
        if _is_required(parameter):
            fitting = [] if inputs else [name for name, type_ in tensors if _takes_tensor(parameter, type_)]
            if len(fitting) == 1:
                inputs.append(fitting[0])
                continue
            stops += 1
            inputs.append(f"${{{stops}:{fitting[0] if fitting else parameter.name.text}}}")
    given = f"{{{', '.join(attributes)}\\}}" if attributes else ""
    return f"{given}({', '.join(inputs)})"


def _takes_tensor(parameter: nodes.Parameter, type_: Type | None) -> bool:
    """Return whether an input takes a tensor of a type, as far as packs and element types show."""
    if type_ is None:
        return parameter.pack is None
    declared = CONCRETE.get(parameter.type.text)
    return type_.packed == (parameter.pack is not None) and (
        declared is None or type_.dtype is None or type_.dtype.is_generic or type_.dtype == declared
    )
