"""Operators of one formula, run beside the element-by-element oracle."""

from __future__ import annotations

from typing import Any

from oracles.agreement import assert_agreement
from support.runtime.operators import compiled, run


def operator(inputs: str, outputs: str, lower: str, using: str = "", attributes: str = "", dtypes: str = "") -> str:
    blocks = {"dtype": dtypes, "attrib": attributes, "input": inputs, "using": using, "output": outputs, "lower": lower}
    written = "".join(
        f"    @{name} {{ {text} }}\n" for name, text in blocks.items() if text or name in ("input", "output")
    )
    return f"operator f {{\n{written}}}\n"


def check(text: str, *inputs: Any, **attributes: Any) -> Any:
    """Run an operator in chunks of several sizes against the oracle."""
    lowered = compiled(text, inputs, **attributes)
    assert assert_agreement(lowered, inputs) is None
    return run(text, *inputs, **attributes)
