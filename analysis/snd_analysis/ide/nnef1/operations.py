"""Operations as files in NNEF 1.0 see them: their operators, signatures, parameters and documentation."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from snd_analysis.compose import Member
from snd_analysis.ide.declarations import comment_of, parameter_comment
from snd_analysis.ide.markdown import code, code_block, documentation_text, paragraphs
from snd_analysis.ide.nnef1.places import fragment_named, tree_of
from snd_analysis.nnef1.elaborate import SPECIAL, OperationParameter, parameters
from snd_analysis.nnef1.syntax import BUILT_INS, Dialect, Nnef1SyntaxTree, nodes
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import written
from snd_analysis.workspace import Snapshot, operation_names, operations_of_dialect

LANGUAGE = "nnef"
"""The name of the language at code blocks."""
_WIDTH = 88
_TYPES = {"real": "scalar", "int": "integer", "bool": "logical", "str": "string"}
_DECLARATIONS = {
    "external": "Declares an input of the graph, with its extents.",
    "tract_core_external": "Declares an input of the graph, with its type and its extents, which may be symbols.",
    "variable": "Declares a tensor that is kept in the file `LABEL.dat` beside the graph.",
    "constant": "Makes a tensor of the extents `shape`: of one value for each element, or of one for all.",
    "tract_core_submodel": "Runs the model in the folder `LABEL` or the archive `LABEL.nnef.tgz` beside the graph.",
    "tract_resource_get": "The value at a key such as `$.encoder.heads[0]` in the file `LABEL.json` beside the graph.",
    "update": "Lets a variable have a new value after the graph has run.",
}
_FUNCTIONS = {
    "length_of": "The number of items of an array, or of characters of a string, when the graph is read.",
    "range_of": "The indices of an array or a string, when the graph is read.",
    "shape_of": "The extents of a tensor. It is deprecated: graphs are read before shapes are known.",
    "scalar": "The number that a value stands for.",
    "integer": "The integer that a value stands for.",
    "logical": "The truth that a value stands for.",
    "string": "The text of a value.",
}


class ParameterText(Struct, frozen=True):
    """A parameter of an operation or fragment, in the notation of NNEF 1.0."""

    name: str
    text: str
    is_tensor: bool
    is_required: bool
    dtype: str
    documentation: str


class OperationSignature(Struct, frozen=True):
    """The signature of an operation or fragment for its invocations."""

    name: str
    parameters: tuple[ParameterText, ...]
    results: str
    documentation: str
    """The comment above its definition, without its ``#``."""
    operator: OperatorName | None = None
    """Operator of the library that implements it."""

    @property
    def label(self) -> str:
        """The signature on one line."""
        results = f" -> {self.results}" if self.results else ""
        return f"{self.name}({', '.join(each.text for each in self.parameters)}){results}"


def signature_of(snapshot: Snapshot, path: str, name: str) -> OperationSignature | None:
    """Return the signature of an operation or fragment, as a file sees it; None if there is none."""
    tree = tree_of(snapshot, path)
    fragment = fragment_named(tree, name)
    if fragment is not None:
        return _of_fragment(tree, fragment)
    if name in BUILT_INS:
        parameter = ParameterText("x", "x", True, True, "", "")
        return OperationSignature(name, (parameter,), "", _FUNCTIONS.get(name, ""))
    operator = operations_of_dialect(tree.dialect).operator((name,))
    if name in SPECIAL:
        own = tuple(_plain(each) for each in SPECIAL[name][0])
        return OperationSignature(name, own, "", _DECLARATIONS.get(name, ""), operator)
    template = None if operator is None else snapshot.template(operator)
    if operator is None or template is None:
        return None
    members = (*template.inputs, *template.attributes)
    found = tuple(
        _of_member(snapshot, operator, member, each) for member, each in zip(members, parameters(template), strict=True)
    )
    results = ", ".join(f"{each.name}: {_type(each, is_tensor=True)}" for each in template.outputs)
    return OperationSignature(name, found, results, comment_of(snapshot, operator), operator)


def known_names(snapshot: Snapshot, path: str) -> Collection[str]:
    """Return the names of all operations of the dialect of a file."""
    return {*SPECIAL, *operation_names(tree_of(snapshot, path).dialect)} - _other_dialect(snapshot, path)


def _other_dialect(snapshot: Snapshot, path: str) -> set[str]:
    is_of_tract = tree_of(snapshot, path).dialect is Dialect.TRACT
    return set() if is_of_tract else {name for name in SPECIAL if name.startswith("tract_")}


def _of_fragment(tree: Nnef1SyntaxTree, fragment: nodes.Definition) -> OperationSignature:
    text, head = tree.text, fragment.head

    def shown(node: nodes.Node | None) -> str:
        return "" if node is None else text[node.start + fragment.start : node.end + fragment.start]

    found = tuple(
        ParameterText(
            each.name.text,
            " ".join(shown(each).split()),
            isinstance(each.type, nodes.TensorType),
            each.default is None,
            shown(each.type),
            "",
        )
        for each in head.parameters
    )
    results = ", ".join(" ".join(shown(each).split()) for each in head.results)
    return OperationSignature(head.name.text, found, f"({results})", comment_above(tree, fragment))


def comment_above(tree: Nnef1SyntaxTree, definition: nodes.Definition) -> str:
    """Return the comment right above a definition, without its ``#``."""
    lines: list[str] = []
    start = tree.text.rfind("\n", 0, definition.start) + 1
    while start > 0:
        above = tree.text.rfind("\n", 0, start - 1) + 1
        line = tree.text[above:start].strip()
        if not line.startswith("#"):
            break
        lines.insert(0, line[1:].removeprefix(" "))
        start = above
    return "\n".join(lines)


def _plain(expected: OperationParameter) -> ParameterText:
    text = expected.name if expected.is_required else f"{expected.name} = …"
    return ParameterText(expected.name, text, expected.is_tensor, expected.is_required, "", "")


def _of_member(
    snapshot: Snapshot, operator: OperatorName, member: Member, expected: OperationParameter
) -> ParameterText:
    type_ = _type(member, expected.is_tensor)
    default = member.node.default
    text = f"{expected.name}: {type_}"
    if member.node.optional:
        text += " = 0.0" if expected.is_tensor else ""
    elif default is not None:
        value = getattr(default, "value", None)
        text += f" = {written(value)}".replace('"', "'") if value is not None else ""
    comment = parameter_comment(snapshot, operator, member.name)
    return ParameterText(expected.name, text, expected.is_tensor, expected.is_required, type_, comment)


def _type(member: Member, is_tensor: bool) -> str:
    name = _TYPES.get(member.node.type.text, "?")
    written = f"tensor<{name}>" if is_tensor else name
    return f"{written}[]" if member.node.pack is not None else written


def documentation(snapshot: Snapshot, subject: tuple[str, ...], path: str) -> str:
    """Return the documentation of a completion, as Markdown; empty if its subject is gone."""
    match subject:
        case ("operation", name):
            return signature_markdown(signature_of(snapshot, path, name))
        case ("parameter", operation, name):
            return parameter_markdown(signature_of(snapshot, path, operation), name)
    return ""


def signature_markdown(signature: OperationSignature | None, kind: str = "") -> str:
    """Return a signature with its documentation; empty for none."""
    if signature is None:
        return ""
    head = f"{kind} {signature.label}".lstrip()
    if len(head) > _WIDTH:
        inner = "".join(f"    {each.text},\n" for each in signature.parameters)
        results = f" -> {signature.results}" if signature.results else ""
        head = f"{kind} {signature.name}(\n{inner}){results}".lstrip()
    module = "" if signature.operator is None else f"in the module {code(signature.operator.path.partition(':')[2])}"
    return paragraphs([code_block(head, LANGUAGE), module, documentation_text(signature.documentation)])


def parameter_markdown(signature: OperationSignature | None, name: str) -> str:
    """Return the documentation of a parameter; empty if there is none of that name."""
    found = None if signature is None else next((each for each in signature.parameters if each.name == name), None)
    if signature is None or found is None:
        return ""
    return paragraphs([code_block(found.text, LANGUAGE), f"parameter of {code(signature.name)}", found.documentation])
