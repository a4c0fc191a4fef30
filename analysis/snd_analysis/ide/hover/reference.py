"""Pages of the library: the output of `snd doc`, and the contents of docs/library."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Elsewhere
from snd_analysis.ide.declarations import comment_of, module_comment, signature_text
from snd_analysis.ide.markdown import code_block, documentation_text, paragraphs
from snd_analysis.ide.mathematics import LATEX, PLAIN, Notation, mathematics_of
from snd_analysis.skriptnd.names import LIBRARY_PREFIX, OperatorName, counterparts
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot

_TITLES = {
    BlockKind.ASSERT: "Demands",
    BlockKind.LOWER: "Formula",
    BlockKind.COMPOSE: "Composition",
}
PICTURED = frozenset(
    {
        "image.area_downsample", "image.cubic_resize", "image.linear_resize", "image.linear_upsample",
        "image.nearest_downsample", "image.nearest_resize", "image.nearest_upsample", "image.resize", "layout.pad",
        "layout.shuffle", "nn.avg_pool", "nn.conv", "nn.deconv", "nn.lp_pool", "nn.max_pool", "nn.rms_pool",
        "nn.sum_pool",
    }
)  # fmt: skip
"""Operators for which a picture of their samples says more than words (`snd doc NAME --picture`)."""


def operator_names(snapshot: Snapshot, module: str) -> list[OperatorName]:
    """Return the public operators of a module of the library, in the order of its text."""
    path = LIBRARY_PREFIX + module
    return [OperatorName(path, name) for name in snapshot.definitions(path) if not name.startswith("_")]


def operator_page(snapshot: Snapshot, name: OperatorName, notation: Notation = PLAIN) -> str:
    """Return an operator of the library in Markdown: signature, description with samples, demands and formula.

    Its counterparts in other formats follow. Formulas are plain text for a terminal, or LaTeX for a page.
    """
    module = name.path.removeprefix(LIBRARY_PREFIX)
    full = f"{module}.{name.name}"
    elsewhere = [f"{where} {', '.join(f'`{each}`' for each in names)}" for where, names in counterparts(full) if names]
    return paragraphs(
        [
            f"## {full}",
            code_block(signature_text(snapshot, name)),
            documentation_text(comment_of(snapshot, name)),
            f"![Which elements each result of `{full}` is computed from](images/{full}.svg)"
            if notation is LATEX and full in PICTURED
            else "",
            *_blocks(snapshot, name, notation),
            f"Counterparts: {' · '.join(elsewhere)}" if elsewhere else "",
        ]
    )


def module_page(snapshot: Snapshot, module: str) -> str:
    """Return a module of the library in Markdown: its description, a list of its operators, and the page of each."""
    names = operator_names(snapshot, module)
    rows = [f"- [`{name}`](#{module}{name.lower()}): {text}" for name, text in summaries(snapshot, module)]
    head = [f"# {module}", documentation_text(module_comment(snapshot, LIBRARY_PREFIX + module)), "\n".join(rows)]
    return paragraphs([*head, *(operator_page(snapshot, each, LATEX) for each in names)]) + "\n"


def summaries(snapshot: Snapshot, module: str) -> list[tuple[str, str]]:
    """Return the operators of a module of the library, each with the first sentence of its description."""
    return [(each.name, _summary(snapshot, each)) for each in operator_names(snapshot, module)]


def _summary(snapshot: Snapshot, name: OperatorName) -> str:
    text = documentation_text(comment_of(snapshot, name), samples=False).replace("\n", " ")
    sentence, dot, _ = text.partition(". ")
    return sentence + ("." if dot else "")


def _blocks(snapshot: Snapshot, name: OperatorName, notation: Notation) -> Iterator[str]:
    definition = snapshot.definition(name)
    if definition is None:
        return
    text = snapshot.source(name.path).text
    for block in definition.blocks:
        if isinstance(block, nodes.Block) and block.kind in _TITLES:
            span = snapshot.locate(Elsewhere(name.path, name.name, span=block.span)).span
            yield f"{_TITLES[block.kind]}:"
            if block.kind is BlockKind.LOWER:
                yield from _mathematics(definition, notation)
            yield code_block(_dedented(text[span.start : span.end]))


def _mathematics(definition: nodes.Definition, notation: Notation) -> Iterator[str]:
    found = mathematics_of(definition, notation)
    if found is not None:
        yield code_block(found.equations, "math" if notation is LATEX else "text")
        yield " ".join(found.notes)
        yield "As code:"


def _dedented(block: str) -> str:
    lines = block.split("\n")
    return "\n".join(line.removeprefix("    ") for line in lines)
