"""Outlines hold every definition, also of broken files; symbols are found by similar names; links lead to modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from snd_analysis.ide.navigation import DocumentSymbol, document_links, document_symbols, similarity, workspace_symbols
from snd_analysis.skriptnd.syntax import nodes
from support.memory import read_program, snapshot_of
from support.sampling import sample

ROOT = Path(__file__).parents[3]
PROGRAMS = [
    *sorted((ROOT / "analysis" / "snd_analysis" / "libraries" / "std").glob("*.sknd")),
    *(path for path in sorted(ROOT.glob("examples/*"))),
]
TEXT = """import math;

public operator block {
    @dtype { T: num = real; }
    @attrib { sizes: int..(d) = [1, 2]; }
    @input { x: T[n, 2 * m]; }
    @using { [a, b..] = sizes; rest = n; }
    @output { y: T[n, 2 * m]; }
    @lower { y[i, j] = x[i, j], i < n, j < 2 * m; }
}

graph main {
    @attrib { flag: bool = true; }
    @input { u: real[3, 4]; }
    @output { v: real[3, 4]; }
    @compose {
        s, t = both(u);
        w = first: math.add(u, 1.0);
        v = if flag then { inner = block(w); yield inner; } else { yield u; };
    }
    @quantize { u: block; }
}

operator both {
    @input { x: real[n..]; }
    @output { y: real[n..]; z: real[n..]; }
    @lower {
        y[i..] = x[i..], i < n;
        z[i..] = x[i..], i < n;
    }
}
"""


def _lines(symbols: tuple[DocumentSymbol, ...] | list[DocumentSymbol], depth: int = 0) -> list[str]:
    lines = []
    for each in symbols:
        lines.append(f"{'  ' * depth}{each.kind} {each.name}: {each.detail}".rstrip(" :"))
        lines += _lines(each.children, depth + 1)
    return lines


def test_the_outline_of_a_file():
    symbols = document_symbols(snapshot_of({"main.sknd": TEXT}), "main.sknd")
    assert _lines(symbols[:2]) == [
        "operator block: public operator",
        "  block @dtype",
        "    type T: num",
        "  block @attrib",
        "    attribute sizes: int..(d)",
        "  block @input",
        "    parameter x: T[n, 2 * m]",
        "  block @using",
        "    value a: sizes",
        "    value b: sizes",
        "    value rest: n",
        "  block @output",
        "    parameter y: T[n, 2 * m]",
        "  block @lower",
        "    formula y: [i, j] = x[i, j], i < n, j < 2 * m",
        "graph main: graph",
        "  block @attrib",
        "    attribute flag: bool",
        "  block @input",
        "    parameter u: real[3, 4]",
        "  block @output",
        "    parameter v: real[3, 4]",
        "  block @compose",
        "    tensor s: real[3,4]",
        "    tensor t: real[3,4]",
        "    tensor w: real[3,4]",
        "      label first: math.add",
        "    tensor v: real[3,4]",
        "      tensor inner: real[3,4]",
        "  block @quantize",
        "    quantization u: block",
    ]


@pytest.mark.parametrize("program", sample(PROGRAMS, 10), ids=lambda path: path.stem)
def test_outlines_hold_every_definition_and_lie_in_their_places(program: Path):
    files = read_program(program)
    snapshot = snapshot_of(files)
    for path in files:
        symbols = document_symbols(snapshot, path)
        definitions = [*snapshot.tree(path).definitions]
        assert [each.name for each in symbols] == [each.name.text or each.kind for _, each in definitions]
        for symbol, (_, definition) in zip(symbols, definitions, strict=True):
            blocks = [each for each in definition.blocks if isinstance(each, nodes.Block)]
            assert [each.name for each in symbol.children] == [f"@{each.kind}" for each in blocks]
        pending = [*symbols]
        while pending:
            each = pending.pop()
            assert each.name
            assert each.whole.start <= each.name_span.start <= each.name_span.end <= each.whole.end
            pending += each.children


def test_a_broken_file_has_an_outline():
    text = "graph g {\n    @input { x: real[2]; : ; z: int[]; }\n    @compose { y = = ; w = f(x);\n\noperator {\n"
    symbols = document_symbols(snapshot_of({"main.sknd": text}), "main.sknd")
    lines = [line.strip() for line in _lines(symbols)]
    assert lines[0] == "graph g: graph"
    assert "parameter x: real[2]" in lines
    assert "parameter z: int[]" in lines


def _found(query: str, with_library: bool = True) -> list[str]:
    snapshot = snapshot_of({"main.sknd": TEXT})
    return [
        f"{each.module}.{each.name.name}" for each in workspace_symbols(snapshot, query, ["main.sknd"], with_library)
    ]


def test_symbols_of_the_workspace():
    assert _found("") == ["main.block", "main.both", "main.main"]
    assert _found("bl", with_library=False) == ["main.block"]
    assert _found("ConV")[:2] == ["layer.conv", "nn.conv"]
    assert _found("nn.conv")[0] == "nn.conv"
    assert "nn.batch_norm" in _found("bn")
    assert "nn.batch_norm" in _found("nn.bano")
    assert _found("qqq") == []


def test_symbols_of_the_library_have_names_in_other_frameworks():
    assert _found("LayerNorm")[0] == "nn.mean_variance_norm"
    assert "layout.concat" in _found("torch.cat")
    assert _found("LayerNorm", with_library=False) == []


def test_symbols_stand_at_their_names():
    snapshot = snapshot_of({"main.sknd": TEXT})
    for each in workspace_symbols(snapshot, "o", ["main.sknd"]):
        text = snapshot.source(each.location.path).text
        assert text[each.location.span.start : each.location.span.end] == each.name.name


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("conv", "conv", "deconv"),
        ("conv", "conv", "conv_transpose"),
        ("bn", "batch_norm", "urban"),
        ("pool", "max_pool", "p_o_o_l"),
        ("max_p", "max_pool", "maximal_sharp"),
        ("LN", "LayerNorm", "lane"),
    ],
)
def test_similar_names_come_first(query: str, better: str, worse: str):
    first, second = similarity(query, better), similarity(query, worse)
    assert first is not None
    assert second is None or first > second


def test_links_lead_to_modules():
    files = {"main.sknd": "import math, nowhere;\nimport blocks.a;\n", "blocks/a.sknd": ""}
    found = [
        (files["main.sknd"][each.span.start : each.span.end], each.target)
        for each in document_links(snapshot_of(files), "main.sknd")
    ]
    assert found == [("math", "snd:math"), ("blocks.a", "blocks/a.sknd")]
