"""Rules about expressions; ``snd_analysis.skriptnd.types`` checks them (2.4, 2.4.1)."""

from __future__ import annotations

from snd_analysis.base.diagnostics import Severity
from snd_analysis.skriptnd.lints.rule import Rule


def _using(*entries: str, printed: str = "b", attributes: str = "a: int = 4;") -> str:
    """A whole file around some entries of ``@using``, the last of which defines ``printed``."""
    body = "\n        ".join(entries)
    return f"""\
operator scaled {{
    @attrib {{
        {attributes}
    }}
    @input {{
        x: real[n];
    }}
    @using {{
        {body}
    }}
    @output {{
        y: real[n];
    }}
    @assert {{
        a == a: "the values are {{{printed}}}";
    }}
    @lower {{
        y[i,] = x[i,], i < n;
    }}
}}

graph main {{
    @input {{
        x: real[2];
    }}
    @output {{
        y: real[2];
    }}
    @compose {{
        y = scaled(x);
    }}
}}
"""


TYPE_MISMATCH = Rule(
    name="type-mismatch",
    summary="Two values that must have one element type have different ones, or a value has not the type of its place.",
    why=(
        "SkriptND converts nothing by itself: `1` is an int and `1.0` a real, and no operation mixes them. That keeps "
        "every value exact and every shape computation in integers. Write the literal of the other type, or a cast "
        "such as `real(n)`."
    ),
    bad=_using("b = a * 2.0;"),
    good=_using("b = real(a) * 2.0;"),
    section="2.4",
)

OPERAND_TYPE = Rule(
    name="operand-type",
    summary="An operator, function or index is given a value of a type that it does not take.",
    why=(
        "Arithmetic is for int and real, logic for bool, `%` and `\\` for int alone, and functions such as `sqrt` for "
        "real. A generic type fits only if every type of its base does: `T: arith` may be bool, so it can't be added."
    ),
    bad=_using("b = !a;"),
    good=_using("b = !(a > 0);"),
    section="2.4",
)

LENGTH_MISMATCH = Rule(
    name="length-mismatch",
    summary="Packs that are combined item by item have different lengths.",
    why=(
        "Operations on packs go item by item, and every item needs a partner. Lengths are compared as far as they are "
        "known, symbols included: only those that can't be equal are reported."
    ),
    bad=_using("b = [1, 2] + [a, a, a];"),
    good=_using("b = [1, 2, 3] + [a, a, a];"),
    section="2.4",
)

PACK_EXPECTED = Rule(
    name="pack-expected",
    summary="A single value stands where a pack is needed.",
    why=(
        "Folds, the right side of `in`, interleaving and unpacking go over the items of a pack. A single value can be "
        "put into a list, `[a]`, or repeated, `[a ..(n)]`."
    ),
    bad=_using("b = 1 in a;"),
    good=_using("b = 1 in [a];"),
    section="2.4",
)

UNEXPECTED_PACK = Rule(
    name="unexpected-pack",
    summary="A pack stands where a single value is needed.",
    why="The place has room for one value. Take an item, `a[0]`, or fold the pack, `a + ..`.",
    bad=_using("b = [0:[a, a]];"),
    good=_using("b = [0:a];"),
    section="2.4",
)

NULL_NOT_ALLOWED = Rule(
    name="null-not-allowed",
    summary="A value that may be null stands where null is not allowed.",
    why=(
        "Null spreads through expressions; where a value is needed in any case, say what null means: `a ?? 0`, or use "
        "the value only under a null test, `?a ? a : 0`."
    ),
    bad=_using("b = c ?? d;", attributes="a: int = 4; c: optional int; d: optional int;"),
    good=_using("b = c ?? d ?? a;", attributes="a: int = 4; c: optional int; d: optional int;"),
    section="2.4.1",
)

COALESCE_NOT_OPTIONAL = Rule(
    name="coalesce-not-optional",
    summary="The left side of `??` can't be null.",
    why="Then the right side is never used. Either it can go, or the left side was meant to be something optional.",
    bad=_using("b = a ?? 0;"),
    good=_using("b = c ?? a;", attributes="a: int = 4; c: optional int;"),
    section="2.4",
)

NO_SUCH_FOLD = Rule(
    name="no-such-fold",
    summary="An operator without a cumulative form is followed by `...`.",
    why=(
        "Cumulative folds give all intermediate results, and exist where these have the type of the items: `+`, `*`, "
        "`&&`, `||`, `<?` and `>?`. The fold to a single value has two dots."
    ),
    bad=_using("b = [a, 2] == ...;"),
    good=_using("b = [a, 2] == ..;"),
    section="2.4",
)

DIVISION_BY_ZERO = Rule(
    name="division-by-zero",
    summary="The divisor of an int division is zero.",
    why="There is no result to go on with, whatever the operator is given.",
    bad=_using("b = a / 0;"),
    good=_using("b = a / 2;"),
    section="LANGUAGE",
)

NEGATIVE_EXPONENT = Rule(
    name="negative-exponent",
    summary="An int is raised to a negative power.",
    why="The result would not be an int. Cast to real first, `real(a) ** -1.0`.",
    bad=_using("b = a ** -1;"),
    good=_using("b = real(a) ** -1.0;"),
    section="LANGUAGE",
)

EMPTY_EXTREMUM = Rule(
    name="empty-extremum",
    summary="The minimum or maximum of an empty pack is taken.",
    why="Sum and product of nothing are 0 and 1, but there is no number to stand for the least of nothing.",
    bad=_using("b = (int([]) <? ..) + a;"),
    good=_using("b = ([a] <? ..) + a;"),
    section="2.4",
)

TENSOR_IN_EXPRESSION = Rule(
    name="tensor-in-expression",
    summary="A tensor stands in a compile-time expression.",
    why=(
        "Expressions are evaluated when a graph is composed, before there are tensors. What is known of a tensor then "
        "is its shape: `x.shape`, `x.rank`. To compute with its elements, invoke an operator or write a formula."
    ),
    bad=_using("b = x;", printed="a").replace('"the values are {a}"', '"the values are {a}", b'),
    good=_using("b = x.shape;"),
    section="2.10",
)

ZIP_NOT_EXPANDED = Rule(
    name="zip-not-expanded",
    summary="A tuple of packs is not followed by `..`.",
    why="A tuple interleaves packs into a list, so it exists only expanded: `[(a, b)..]`.",
    bad=_using("b = [([1, 2], [a, a])];"),
    good=_using("b = [([1, 2], [a, a])..];"),
    section="2.4",
)

PACK_NOT_EXPANDED = Rule(
    name="pack-not-expanded",
    summary="A pack is an item of a list without being expanded.",
    why="There are no packs of packs. `[a, b..]` puts the items of b into the list.",
    bad=_using("c = [a, a];", "b = [0, c];"),
    good=_using("c = [a, a];", "b = [0, c..];"),
    section="2.4",
)

EXPANSION_WITHOUT_LENGTH = Rule(
    name="expansion-without-length",
    summary="A single value is expanded without saying how often.",
    why="`a..` repeats a, and only a pack knows how many items it has. Write `a..(n)`.",
    bad=_using("b = [a.., 3];"),
    good=_using("b = [a..(2), 3];"),
    section="2.4",
)

RANGE_WITHOUT_END = Rule(
    name="range-without-end",
    summary="A range in a list lacks its first or last value.",
    why="Only a range that indexes a pack can leave them out, because there the pack says where to begin and end.",
    bad=_using("b = [0:] + a;"),
    good=_using("b = [0:3] + a;"),
    section="2.4",
)

ZERO_STEP = Rule(
    name="zero-step",
    summary="The step of a range is zero.",
    why="Such a range would never get to its end.",
    bad=_using("b = [0:a:0];"),
    good=_using("b = [0:a:1];"),
    section="2.4",
)

NOT_INDEXABLE = Rule(
    name="not-indexable",
    summary="Something is indexed that is neither a pack, a string nor a tensor, or a pack as if it were a tensor.",
    why=(
        "Packs and strings have one index, range or mask: `a[i]`, `a[1:]`. Several indices, or a comma behind one, "
        "read an element of a tensor."
    ),
    bad=_using("b = a[0];"),
    good=_using("b = [a, a][0];"),
    section="2.4",
)

INDEX_OUT_OF_RANGE = Rule(
    name="index-out-of-range",
    summary="An index or a bound of a slice lies outside of the pack.",
    why="Indices go from 0, or from -1 backwards. A bound that is left out is always right.",
    bad=_using("b = [a, a][2];"),
    good=_using("b = [a, a][1];"),
    section="LANGUAGE",
)

TYPE_AS_VALUE = Rule(
    name="type-as-value",
    summary="The name of a generic type stands where a value is needed.",
    why="A type has no value. `T(x)` casts to it, `T()` is its default value.",
    bad=_using("b = T;", printed="a")
    .replace("    @attrib", "    @dtype {\n        T: num = int;\n    }\n    @attrib", 1)
    .replace('"the values are {a}"', '"the values are {a}", b'),
    good=_using("b = T();").replace("    @attrib", "    @dtype {\n        T: num = int;\n    }\n    @attrib", 1),
    section="2.4",
)

ARGUMENT_COUNT = Rule(
    name="argument-count",
    summary="A built-in function, a cast or an operator is given too many or too few arguments.",
    why="Built-in functions and casts take one argument; operators take those that they declare.",
    bad=_using("b = abs(a, a);"),
    good=_using("b = abs(a);"),
    section="2.4",
)

ABSTRACT_TYPE = Rule(
    name="abstract-type",
    summary="`type`, `arith` or `num` stands where one concrete type is needed.",
    why=(
        "They stand for several types and say what a generic type may be. Declare one in `@dtype`, `T: num`, and use "
        "that."
    ),
    bad=_using("b = num(a);"),
    good=_using("b = real(a);"),
    section="2.3",
)

CAST_TYPE = Rule(
    name="cast-type",
    summary="A cast from or to a type that can't be cast, or of infinity to int.",
    why='Casts are between int, real and bool. A string is made of a value by formatting: `"{a}"`.',
    bad=_using("b = int('3') + a;"),
    good=_using("b = int(3.5) + a;"),
    section="2.4",
)

BOUNDED_OUTSIDE_INDEX = Rule(
    name="bounded-outside-index",
    summary="A guarded index `|i|` is not a whole index of a tensor.",
    why=(
        "The guard compares an index with the extent of the tensor that it indexes, and skips or remaps the access. As "
        "a part of a calculation, or elsewhere, there is no extent to compare with: write `|i - 1 + 1|`."
    ),
    bad=_using("b = |a|;"),
    good=_using("b = abs(a);"),
    section="2.12",
)

MIXED_LOGICAL_OPERATORS = Rule(
    name="mixed-logical-operators",
    summary="`&&`, `||` and `^` are mixed without parentheses.",
    why=(
        "In SkriptND they have one precedence and go from left to right, unlike in most languages: `a || b && c` is "
        "`(a || b) && c`. Parentheses say what is meant; the fix writes those that keep the meaning."
    ),
    bad=_using("b = a > 0 || a < 5 && a != 2;"),
    good=_using("b = a > 0 || (a < 5 && a != 2);"),
    section="LANGUAGE",
    severity=Severity.WARNING,
)

CHAINED_POWER = Rule(
    name="chained-power",
    summary="Powers follow one another without parentheses.",
    why=(
        "In SkriptND `**` goes from left to right: `2 ** 3 ** 2` is 64, where mathematics and most languages have 512. "
        "The fix writes the parentheses that keep the meaning."
    ),
    bad=_using("b = a ** 3 ** 2;"),
    good=_using("b = a ** (3 ** 2);"),
    section="LANGUAGE",
    severity=Severity.WARNING,
)
