"""Diagnostics about two places show both of them."""

from __future__ import annotations

from snd_analysis.base import Severity
from support.memory import check


def test_both_extents_are_shown():
    text = "operator op { @input { x: real[s..(d)]; y: real[s]; } @output { out: real[2]; }}"
    (item,) = check({"module.sknd": text})["module.sknd"]
    assert "'int..(d)'" in item.message
    (note,) = item.related
    assert text[note.location.span.start : note.location.span.end] == "s"
    assert note.location.span.start == text.index("s..(d)")


def test_both_types_are_shown():
    text = (
        "import math;\ngraph net { @input { x: real[2,3]; k: int[]; } @output { y: real[2,3]; }\n"
        "    @compose { y = math.add(x, k); }\n}\n"
    )
    (item,) = (each for each in check({"main.sknd": text})["main.sknd"] if each.severity is Severity.ERROR)
    assert "'real'" in item.message
    assert "'int'" in item.message
    assert [related.location.path for related in item.related] == ["main.sknd", "snd:math"]


def test_a_failure_inside_the_library_shows_where_it_is():
    main = (
        "import nn;\ngraph net {\n    @input { x: real[1,4,8,8]; w: real[6,3,3,3]; }\n    @output { y: real; }\n"
        "    @compose { y = nn.conv(x, w); }\n}\n"
    )
    (item,) = (each for each in check({"main.sknd": main})["main.sknd"] if each.severity is Severity.ERROR)
    assert item.rule.name == "assertion-fails"
    assert item.related[0].location.path == "snd:nn"
