"""Attributes that no condition depends on, and strings that an operator does not tell apart: they make no cases."""

from __future__ import annotations

import pytest

from snd_analysis.proofs.case_analysis.cases import ParameterCase, cases_of
from snd_analysis.skriptnd.names import OperatorName
from support.memory import snapshot_of

POOLING = """
operator pool {{
    @attrib {{
        size: int..(d);
        padding: optional int..(d);
        align: str = 'UPPER';
        format: str = 'NCX';
    }}
    @input {{ x: real[s..(d)]; }}
    @using {{
        aligns = ['LOWER', 'UPPER'];
        total = s - size;
        offset = padding ?? (align == 'UPPER' ? total / 2 : total \\ 2);
        first = {first};
    }}
    @output {{ y: real[s.., first]; }}
    @assert {{ align in aligns; format in ['NCX', 'NXC', 'XCN', 'CXN']; }}
    @lower {{ y[i.., j] = x[|i + offset|..], i < s, j < first; }}
}}
"""


def values_of(text: str, *names: str) -> set[tuple[object, ...]]:
    """Return the values that attributes have in the cases of the operator ``pool``, with whether there is padding."""
    snapshot = snapshot_of({"m.sknd": text})
    assert not snapshot.diagnostics("m.sknd")
    template = snapshot.template(OperatorName("m.sknd", "pool"))
    assert template is not None
    found = cases_of(snapshot.session(False), template, lambda: 5.0)
    assert found is not None
    cases = [each[0] for each in found if isinstance(each, tuple)]
    assert all(isinstance(each, ParameterCase) for each in cases)
    return {tuple(str(each.attributes[name]) for name in names) for each in cases}


def test_an_attribute_in_the_fallback_of_a_given_value_is_irrelevant():
    found = values_of(POOLING.format(first="1"), "padding", "align")
    assert {align for padding, align in found if padding == "NULL"} == {"LOWER", "UPPER"}
    assert len({align for padding, align in found if padding != "NULL"}) == 1


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ("1", {"NCX"}),
        ("format == 'NCX' ? 1 : 2", {"NCX", "NXC"}),
        ("format in ['NCX', 'NXC'] ? 1 : 2", {"NCX", "XCN"}),
        ("format in ['NCX', 'NXC'] || format == 'CXN' ? 1 : 2", {"NCX", "CXN", "XCN"}),
        # Compared with something else than literals, each string may matter.
        ("format == align ? 1 : 2", {"NCX", "NXC", "XCN", "CXN"}),
    ],
)
def test_strings_with_equal_comparisons_are_one(first: str, expected: set[str]):
    assert {format_ for (format_,) in values_of(POOLING.format(first=first), "format")} == expected
