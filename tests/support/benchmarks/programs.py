"""The programs that the benchmarks measure."""

from __future__ import annotations

from pathlib import Path

from snd_analysis.skriptnd.syntax import parse_file

ROOT = Path(__file__).parents[3]
LIBRARY = ROOT / "analysis" / "snd_analysis" / "libraries" / "std"
MODULES = {file.stem: file.read_text(encoding="utf-8") for file in sorted(LIBRARY.glob("*.sknd"))}
EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/expected.json"))


def chain(operations: int) -> str:
    """Return a graph of convolutions, activations and additions, one statement each, in the style of exporters."""
    variables, statements, before = [], [], "x"
    for at in range(operations // 3):
        variables.append(f"        k{at}: real[64, 64, 3, 3];\n")
        statements.append(f"        c{at} = nn.conv{{stride=1, padding=1}}({before}, k{at});\n")
        statements.append(f"        r{at} = nn.relu(c{at});\n        a{at} = math.add(r{at}, x);\n")
        before = f"a{at}"
    return (
        "import nn, math;\n\ngraph net {\n    @input { x: real[1, 64, 56, 56]; }\n"
        f"    @output {{ y: real[1, 64, 56, 56]; }}\n    @variable {{\n{''.join(variables)}    }}\n"
        f"    @compose {{\n{''.join(statements)}        y = nn.relu({before});\n    }}\n}}\n"
    )


def operator_of_lines(count: int) -> str:
    """Return the operator of the library whose number of lines is nearest to ``count``."""
    chunks = [placed.chunk.text for text in MODULES.values() for placed in parse_file(text).chunks]
    return min(chunks, key=lambda text: abs(text.count("\n") - count))


def dependants(count: int) -> dict[str, str]:
    """Return an operator in ``base.sknd``, and files with an operator that invokes it."""
    base = (
        "operator scaled {\n    @attrib { factor: real = 1.0; }\n    @input { x: real[n]; }\n"
        "    @output { y: real[n]; }\n    @lower { y[i,] = factor * x[i,], i < n; }\n}\n"
    )
    user = (
        "import base;\n\noperator twice {\n    @input { x: real[n]; }\n    @output { y: real[n]; }\n"
        "    @compose {\n        t = base.scaled{factor=2.0}(x);\n        y = base.scaled(t);\n    }\n}\n"
    )
    return {"base.sknd": base} | {f"user{at}.sknd": user for at in range(count)}
