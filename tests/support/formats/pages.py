"""The pages of the libraries of formats: `make docs` writes them, tests/runtime/test_format_pages.py keeps them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from support.formats import names

ROOT = Path(__file__).parents[3]
_SIGNATURE = re.compile(r"(\S+) (\w+)\((.*?)\)(.*)->(.*)")
_DEFINITION = re.compile(r"((?:^#[^\n]*\n)*)^operator (\w+) \{\n", re.MULTILINE)
_TEXTS = {"tosa": names.TOSA, "cvm": names.CVM, "tennis": names.TENNIS}


def page(module: str) -> str:
    """Return the page of a library: its operators, their sections in the text, and how each is verified."""
    library = ROOT / "analysis" / "snd_analysis" / "libraries" / module / f"{module}.sknd"
    documented = {name: comment for comment, name in _DEFINITION.findall(library.read_text(encoding="utf-8"))}
    rows = [*_rows(module, documented)]
    table = ["| operator | section | what it does | verified |", "|---|---|---|---|", *rows]
    decisions = [*_decisions(documented)]
    head = Path(__file__).with_name("heads") / f"{module}.md"
    parts = [head.read_text(encoding="utf-8"), f"## Operators\n\n{chr(10).join(table)}\n"]
    if decisions:
        parts.append("## Decisions\n\n" + "\n".join(decisions) + "\n")
    return "\n".join(parts)


def _rows(module: str, documented: dict[str, str]) -> Iterator[str]:
    bits, near = (_compared(name) if module == "tosa" else set() for name in ("MAKERS", "NEAR"))
    for section, written, *_ in _SIGNATURE.findall(_TEXTS[module]):
        name = written.lower() if module == "tosa" else written.lstrip("_")
        name = name if name in documented else f"{name}_"
        comment = documented[name]
        samples = comment.count("# >>> ")
        against = "NumPy, bits" if name in bits else "NumPy, near" if name in near else "NumPy"
        yield f"| `{module}.{name}` | {section} {written} | {_summary(comment)} | {against}, {samples} samples |"


def _compared(table: str) -> set[str]:
    """Return the operators of a table of the comparison with the reference model."""
    tree = ast.parse((ROOT / "tests" / "runtime" / "test_tosa_reference.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == table and isinstance(node.value, ast.Dict):
            return {key.value for key in node.value.keys if isinstance(key, ast.Constant)}
    raise KeyError(table)


def _paragraphs(comment: str) -> list[str]:
    lines = [line.removeprefix("#").strip() for line in comment.splitlines()]
    return [" ".join(part.split()) for part in "\n".join(lines).split("\n\n")]


def _summary(comment: str) -> str:
    first = _paragraphs(comment)[0]
    return re.split(r"(?<=[.;])\s", first)[0].rstrip(".;").replace("|", "\\|")


def _decisions(documented: dict[str, str]) -> Iterator[str]:
    """Yield what an operator's documentation says of its text, or assumes."""
    for name, comment in documented.items():
        for part in _paragraphs(comment):
            says = "Assumption" in part or re.search(r"\b[Tt]he text\b", part)
            if says and not part.startswith((">>>", "- ")) and not name.startswith("_"):
                yield f"- `{name}`: {part}"


def main() -> None:
    """Write all pages."""
    for module in _TEXTS:
        (ROOT / "docs" / f"{module}.md").write_text(page(module), encoding="utf-8")


if __name__ == "__main__":
    main()
