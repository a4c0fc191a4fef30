"""Digests of all that an evaluation depends on: the same as long as nothing of that has changed."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise

from snd_analysis.compose import Template
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import Chunk, nodes, tokenize
from snd_analysis.workspace import Snapshot

# Number of cached texts of statements: enough for a long graph, since an edit touches few of its statements.
_REMEMBERED = 16_384


class Digests:
    """Digests of definitions are made once for all evaluations of a file."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._session = snapshot.session()
        self._of_units: dict[Template, str] = {}

    def of(self, text: str, target: OperatorName | None) -> str:
        """Return the digest of an evaluation: of its text, and of every definition that its target reaches."""
        template = None if target is None else self._snapshot.template(target)
        reached = () if template is None else self._session.reached(template)
        return _hash(text, repr(target), *sorted({self._of_unit(each) for each in reached}))

    def _of_unit(self, template: Template) -> str:
        known = self._of_units.get(template)
        if known is None:
            known = self._of_units[template] = _hash(repr(template.name), *self._content(template))
        return known

    def _content(self, template: Template) -> tuple[str, ...]:
        """Return the text of the definition, the targets of its names, and True if it has problems."""
        if template.in_library:
            return ()
        chunk = self._snapshot.chunk(template.name)
        if chunk is None:
            return ()
        in_other_language = self._snapshot.is_in_other_language(template.name.path)
        said = _statements(template.definition) if in_other_language else _tokens(chunk, template.definition)
        return said, repr(template.invoked), str(len(template.errors))


def _statements(definition: nodes.Definition) -> str:
    """Return the statements of a definition made from a text in another language, as text."""
    blocks = (block for block in definition.blocks if isinstance(block, nodes.Block))
    return "\n".join(_statement(entry.statement) for block in blocks for entry in block.entries)


@lru_cache(maxsize=_REMEMBERED)
def _statement(node: nodes.Node) -> str:
    return _said(node)


def _said(node: nodes.Node) -> str:
    return f"{type(node).__name__}({','.join(_part(getattr(node, name)) for name in nodes.content_fields(type(node)))})"


def _part(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{','.join(map(_part, value))}]"
    return _said(value) if isinstance(value, nodes.Node) else repr(value)


def _tokens(chunk: Chunk, definition: nodes.Definition) -> str:
    """Return the tokens of a definition: comments, blanks and ends of lines between them say nothing."""
    cuts = {definition.start, definition.end}
    for block in definition.blocks:
        if isinstance(block, nodes.Block):
            cuts.update(entry.start for entry in block.entries)
    return "\n".join(_tokens_of_piece(chunk.text[start:end]) for start, end in pairwise(sorted(cuts)))


@lru_cache(maxsize=_REMEMBERED)
def _tokens_of_piece(text: str) -> str:
    return "\0".join(token.spelling(text) for token in tokenize(text).tokens)


def _hash(*parts: str) -> str:
    digest = blake2b(digest_size=16)
    for part in parts:
        content = part.encode(errors="surrogatepass")
        digest.update(len(content).to_bytes(8, "little"))
        digest.update(content)
    return digest.hexdigest()
