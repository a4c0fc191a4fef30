"""Conversion of pages for the site (`mkdocs.yml`).

Formulas in LaTeX, as GitHub shows them, become MathML, which browsers show by themselves.
"""

from __future__ import annotations

import re
from typing import Any

from latex2mathml.converter import convert

_FORMULA = re.compile(r"^```math\n(.*?)\n```$", re.MULTILINE | re.DOTALL)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Return a page with MathML instead of LaTeX."""
    return _FORMULA.sub(lambda found: f'<div style="overflow-x: auto">{_mathml(found[1])}</div>', markdown)


def _mathml(latex: str) -> str:
    found = convert(latex, display="block").replace("<mtable", '<mtable displaystyle="true"')
    return found.replace('columnalign="left"', 'style="text-align: left"')
