"""The text of a model: version, extensions, fragments, and the graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from snd_analysis.nnef1.format import format_text
from snd_analysis.nnef1.syntax import Dialect
from snd_server.exchange.nnef1_export.scope import Statement, WrittenFragment

_WIDTH = 100


def document_text(
    dialect: Dialect,
    extensions: Iterable[str],
    fragments: Sequence[WrittenFragment],
    name: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    statements: Iterable[Statement],
    comments: Iterable[str] = (),
) -> str:
    """Return a model as text, in snd's style."""
    needed = list(extensions)
    if fragments and dialect is Dialect.KHRONOS:
        needed.append("KHR_enable_fragment_definitions")
    lines = [*(f"# {each}".rstrip() for each in comments), "version 1.0;", ""]
    lines += [f"extension {each};" for each in needed]
    for fragment in fragments:
        lines += ["", *_fragment(fragment)]
    lines += ["", f"graph {name}({', '.join(inputs)}) -> ({', '.join(outputs)})", "{"]
    lines += [f"    {each.text}" for each in statements]
    return format_text("\n".join([*lines, "}", ""]), _WIDTH)


def _fragment(fragment: WrittenFragment) -> list[str]:
    parameters, results = (
        ", ".join(f"{name}: tensor<{generic}>" for name, generic in named)
        for named in (fragment.parameters, fragment.results)
    )
    head = f"fragment {fragment.name}({parameters}) -> ({results})"
    return [head, "{", *(f"    {each.text}" for each in fragment.statements), "}"]
