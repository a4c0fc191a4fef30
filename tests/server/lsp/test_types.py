"""Our types of the protocol are a part of those of ``lsprotocol``, which are made from its specification."""

from __future__ import annotations

import enum
import functools
import typing
from typing import Any

import attrs
import msgspec
import pytest
from lsprotocol import converters
from lsprotocol import types as whole
from msgspec import Struct

from snd_server.lsp import types
from snd_server.lsp.errors import ErrorCode

_CONVERTER = converters.get_converter()
_METHODS = {name: value for name, value in vars(types).items() if name.isupper() and isinstance(value, str)}
_SAME_NAME = sorted(
    name
    for name, kind in vars(types).items()
    if isinstance(kind, type) and kind.__module__ == types.__name__ and hasattr(whole, name)
)
# The specification has two kinds of change, of which ours is both.
_OTHERWISE = {"TextDocumentContentChangeEvent"}


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind, vars(whole))


def _objects(hint: Any) -> list[type]:
    """The classes of ``lsprotocol`` that a type consists of."""
    if isinstance(hint, type) and attrs.has(hint):
        return [hint]
    return [each for inner in typing.get_args(hint) for each in _objects(inner)]


def _structs(hint: Any) -> list[type[Struct]]:
    if isinstance(hint, type) and issubclass(hint, Struct):
        return [hint]
    return [each for inner in typing.get_args(hint) for each in _structs(inner)]


def _demand_part(ours: type[Struct], theirs: type, seen: set[tuple[type, type]]) -> None:
    """Every field of ours is one of theirs, as deep as they go."""
    if (ours, theirs) in seen:
        return
    seen.add((ours, theirs))
    known = _hints(theirs)
    for field, hint in typing.get_type_hints(ours).items():
        if field.startswith("__"):
            continue
        assert field in known, f"{theirs.__name__} has no '{field}'"
        inner = _objects(known[field])
        for struct in _structs(hint):
            if struct.__name__ not in _OTHERWISE:
                assert inner, f"{theirs.__name__}.{field} is no object"
                same = [each for each in inner if each.__name__ == struct.__name__]
                _demand_part(struct, (same or inner)[0], seen)


def test_methods():
    for name, method in _METHODS.items():
        assert getattr(whole, name) == method


@pytest.mark.parametrize("method", sorted(types.PARAMS))
def test_parameters_are_read(method: str):
    ours, theirs = types.PARAMS[method], whole.METHOD_TO_TYPES[method][2]
    assert theirs is not None
    _demand_part(ours, theirs, set())
    msgspec.json.Decoder(ours)
    required = {field.encode_name for field in msgspec.structs.fields(ours) if field.required}
    known = {field.name: field.default is attrs.NOTHING for field in attrs.fields(theirs)}
    assert required <= {_camel(name) for name, demanded in known.items() if demanded}, "clients may leave it out"


@pytest.mark.parametrize("name", _SAME_NAME)
def test_classes_of_the_same_name(name: str):
    ours, theirs = getattr(types, name), getattr(whole, name)
    if issubclass(ours, enum.Enum):
        assert {each.name: each.value for each in ours}.items() <= {each.name: each.value for each in theirs}.items()
        return
    assert issubclass(ours, Struct)
    if name in _OTHERWISE:
        return
    _demand_part(ours, theirs, set())
    fields = [field.name for field in msgspec.structs.fields(ours)]
    known = attrs.fields(theirs)
    assert {field.name for field in known if field.default is attrs.NOTHING} <= {*fields} | _only_sent(name)
    kinds = [field.default for field in known if field.name == "kind" and isinstance(field.default, str)]
    assert [ours.__struct_config__.tag] == (kinds or [None])
    for field in msgspec.structs.fields(ours):
        if f"{name}.{field.name}" in whole._SPECIAL_PROPERTIES and name not in _names_that_are_read():
            assert field.required, f"{field.name} must be sent even if it is null"


def _only_sent(name: str) -> set[str]:
    """What clients must send in a class that we only read, and do not look at."""
    theirs = getattr(whole, name)
    return {field.name for field in attrs.fields(theirs)} if name in _names_that_are_read() else set()


@functools.cache
def _names_that_are_read() -> frozenset[str]:
    found: set[str] = set()

    def visit(kind: type[Struct]) -> None:
        if kind.__name__ not in found:
            found.add(kind.__name__)
            for hint in typing.get_type_hints(kind).values():
                for each in _structs(hint):
                    visit(each)

    for kind in types.PARAMS.values():
        visit(kind)
    return frozenset(found)


def _camel(name: str) -> str:
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(part.title() for part in rest)


def test_codes():
    codes = {each.value for kind in (whole.ErrorCodes, whole.LSPErrorCodes) for each in kind}
    assert {each.value for each in ErrorCode} <= codes


def test_what_is_sent_is_what_lsprotocol_reads():
    place = types.Range(types.Position(1, 2), types.Position(3, 4))
    edit = types.TextDocumentEdit(
        types.OptionalVersionedTextDocumentIdentifier("file:///a", None), [types.TextEdit(place, "b")]
    )
    for sent in (
        types.WorkspaceEdit(document_changes=[edit, types.RenameFile("file:///a", "file:///b")]),
        types.WorkspaceFullDocumentDiagnosticReport("file:///a", [types.Diagnostic(place, "wrong")], None, "1"),
        types.CallHierarchyIncomingCall(
            types.CallHierarchyItem("f", types.SymbolKind.Function, "file:///a", place, place), [place]
        ),
        types.CompletionList(False, [types.CompletionItem("x", text_edit=types.InsertReplaceEdit("x", place, place))]),
    ):
        data = msgspec.json.decode(msgspec.json.encode(sent))
        theirs = _CONVERTER.structure(data, getattr(whole, type(sent).__name__))
        assert _CONVERTER.unstructure(theirs) == data
