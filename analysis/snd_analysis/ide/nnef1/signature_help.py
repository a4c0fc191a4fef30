"""Parameters of an invocation while it is typed in a file in NNEF 1.0."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.ide.markdown import documentation_text
from snd_analysis.ide.nnef1.operations import OperationSignature, signature_of
from snd_analysis.ide.nnef1.places import tree_of
from snd_analysis.ide.signature_help import ParameterHelp, SignatureHelp
from snd_analysis.nnef1.syntax import END, Nnef1Token, tokenize
from snd_analysis.workspace import Snapshot

_OPENING = {"(": ")", "[": "]"}
_CLOSING = {closing: opening for opening, closing in _OPENING.items()}
_ENDS = frozenset({";", "{", "}"})


class OpenCall(Struct, frozen=True):
    """An invocation that an offset stands in the parentheses of."""

    name: str
    items: tuple[tuple[Nnef1Token, ...], ...]
    """The tokens between the parenthesis and the offset, by commas; the last argument is unfinished."""
    start: int
    """Offset of the start of its name in the file."""

    @property
    def given(self) -> tuple[str, ...]:
        """The names of the arguments before the last."""
        return tuple(each[0].text for each in self.items[:-1] if _is_named(each))

    @property
    def named(self) -> str:
        """The name of the last argument, if it has one."""
        last = self.items[-1]
        return last[0].text if _is_named(last) else ""


def _is_named(item: tuple[Nnef1Token, ...]) -> bool:
    return len(item) > 1 and item[0].kind in ("NAME", "EXTENDED") and item[1].kind == "="


def tokens_before(text: str, offset: int) -> tuple[list[Nnef1Token], int]:
    """Return the tokens of the statement before an offset, and the offset that they count from; none in a comment."""
    start = max(text.rfind(sign, 0, offset) for sign in ";{}") + 1
    found = [each for each in tokenize(text[start:offset]) if each.kind != END]
    return found, start


def open_call(text: str, offset: int) -> OpenCall | None:
    """Return the innermost invocation whose parentheses an offset stands in."""
    tokens, base = tokens_before(text, offset)
    closed, items = 0, [list[Nnef1Token]()]
    for at in range(len(tokens) - 1, -1, -1):
        token = tokens[at]
        if token.kind in _CLOSING:
            closed += 1
        elif token.kind in _OPENING and closed:
            closed -= 1
        elif token.kind in _OPENING:
            name = tokens[at - 1] if at else None
            if token.kind == "(" and name is not None and name.kind in ("NAME", "EXTENDED"):
                ordered = tuple(tuple(reversed(each)) for each in reversed(items))
                return OpenCall(name.text, ordered, base + name.start)
            items = [[]]  # inside a list or a tuple: only the surrounding call counts
            continue
        elif token.kind == "," and not closed:
            items.append([])
            continue
        items[-1].append(token)
    return None


def signature_help(snapshot: Snapshot, path: str, offset: int) -> SignatureHelp | None:
    """Return the signature of the innermost invocation around an offset."""
    text = tree_of(snapshot, path).text
    opened = open_call(text, offset)
    while opened is not None:
        signature = signature_of(snapshot, path, opened.name)
        if signature is not None:
            return _help(signature, opened)
        opened = open_call(text, opened.start)
    return None


def _help(signature: OperationSignature, opened: OpenCall) -> SignatureHelp:
    label = f"{signature.name}("
    found: list[ParameterHelp] = []
    for at, each in enumerate(signature.parameters):
        label += ", " if at else ""
        found.append(ParameterHelp(Span(len(label), len(label) + len(each.text)), each.name, each.documentation))
        label += each.text
    label += f") -> {signature.results}" if signature.results else ")"
    documentation = documentation_text(signature.documentation, samples=False).partition("\n\n")[0]
    return SignatureHelp(label, documentation, tuple(found), active_parameter(signature, opened))


def active_parameter(signature: OperationSignature, opened: OpenCall) -> int | None:
    """Return the parameter being written: by its name, else by its position."""
    names = [each.name for each in signature.parameters]
    if opened.named:
        return names.index(opened.named) if opened.named in names else None
    at = len(opened.items) - 1
    if opened.given:  # behind a name come names
        return next((number for number, name in enumerate(names) if number >= at and name not in opened.given), None)
    return at if at < len(names) else None
