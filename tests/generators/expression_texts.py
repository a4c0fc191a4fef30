"""Random expressions, well typed, over packs of one unknown length and single unknowns.

``s`` and ``t`` are packs of ints, ``q`` of bools and ``r`` of reals, all of length ``d``; ``p`` has three ints; ``m``
and ``n`` are ints, ``c`` a bool, ``x`` a real, ``w`` a string; ``o`` is an optional int.
"""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

Text = st.SearchStrategy[str]


def _join(template: str, *parts: Text) -> Text:
    return st.tuples(*parts).map(lambda given: template.format(*given))


def _one_of(template: str, choices: str, *parts: Text) -> Text:
    return _join(template, parts[0], st.sampled_from(choices.split()), *parts[1:])


SMALL = st.integers(-3, 4).map(str)


@cache
def ints(depth: int) -> Text:
    leaf = st.one_of(st.sampled_from(["m", "n", "d", "s[0]", "p[1]"]), SMALL.map(lambda text: f"({text})"))
    if depth == 0:
        return leaf
    single, pack, condition = ints(depth - 1), any_packs(depth - 1), bools(depth - 1)
    return st.one_of(
        leaf,
        _one_of("({} {} {})", "+ - * / \\ % <? >?", single, single),
        _join("({} ** {})", single, st.integers(0, 2).map(str)),
        _join("(-{})", single),
        _join("({} ? {} : {})", condition, single, single),
        _join("abs({})", single),
        _join("sign({})", single),
        _join("int({})", condition),
        _join("int(round({}))", reals(depth - 1)),
        _one_of("({} {} ..)", "+ * <? >?", pack),
        _join("({})[{}]", pack, SMALL),
        _join("({})[{}]", pack, single),
        # The origin of an empty pack decides whether it has a uniform value.
        _join("(([{}.., {}] := ..) ?? {})", pack, single, single),
        _join("(({} ? {}) ?? {})", condition, single, single),
        _join("(o + {} ?? {})", single, single),
        _join("(?o && o > {} ? o : {})", single, single),
    )


@cache
def bools(depth: int) -> Text:
    leaf = st.sampled_from(["c", "true", "false", "(m < n)", "(d > 2)", "(?o)"])
    if depth == 0:
        return leaf
    single, condition, pack = ints(depth - 1), bools(depth - 1), any_packs(depth - 1)
    return st.one_of(
        leaf,
        _one_of("({} {} {})", "< <= > >= == !=", single, single),
        _one_of("({} {} {})", "&& || ^ => == !=", condition, condition),
        _join("(!{})", condition),
        _one_of("({} {} ..)", "&& || == !=", bool_packs(depth - 1)),
        _one_of("({} {} ..)", "< <= > >= == !=", pack),
        _join("({} in {})", single, pack),
        _join("bool({})", single),
        _one_of("({} {} {})", "< == >=", reals(depth - 1), reals(depth - 1)),
        _one_of("({} {} {})", "== !=", strings(depth - 1), strings(depth - 1)),
        _join("({} ? {} : {})", condition, condition, condition),
    )


@cache
def reals(depth: int) -> Text:
    leaf = st.sampled_from(["x", "1.5", "(-0.25)", "2.0"])
    if depth == 0:
        return leaf
    real = reals(depth - 1)
    return st.one_of(
        leaf,
        _one_of("({} {} {})", "+ - * / <? >?", real, real),
        _join("real({})", ints(depth - 1)),
        _join("floor({})", real),
        _join("({} ? {} : {})", bools(depth - 1), real, real),
        _one_of("({} {} ..)", "+ * >?", real_packs(depth - 1)),
    )


@cache
def strings(depth: int) -> Text:
    leaf = st.sampled_from(["w", "'ab'"])
    if depth == 0:
        return leaf
    return st.one_of(
        leaf,
        _join("'<{{{}}}>'", ints(0)),
        _join("'{{{}}}'", st.sampled_from(["s", "q", "c", "x", "r"])),
        _join("({} ? {} : {})", bools(depth - 1), strings(depth - 1), strings(depth - 1)),
        _join("({})[0:1]", strings(depth - 1)),
    )


@cache
def packs(depth: int) -> Text:
    """Return a strategy for packs of ints of length ``d``."""
    leaf = st.sampled_from(["s", "t", "[0:d]", "[m ..(d)]"])
    if depth == 0:
        return leaf
    pack, single = packs(depth - 1), ints(depth - 1)
    return st.one_of(
        leaf,
        _one_of("({} {} {})", "+ - * / \\ % <? >?", pack, pack),
        _one_of("({} {} {})", "+ * - <?", pack, single),
        _one_of("({} {} {})", "+ * - <?", single, pack),
        _join("(-{})", pack),
        _join("({} ? {} : {})", bools(depth - 1), pack, pack),
        _join("({} ? {} : {})", bools(depth - 1), pack, single),
        _join("({} ? {} : {})", bool_packs(depth - 1), pack, pack),
        _join("({} ? {} : {})", bool_packs(depth - 1), single, pack),
        _one_of("({} {} ...)", "+ * <? >?", pack),
        _join("({})[::-1]", pack),
        _join("({0})[({1}) % d]", pack, pack),
        _join("({}[{}] <- {})", pack, SMALL, single),
        _join("({}[({}) % d] <- {})", pack, pack, pack),
        _join("int({})", bool_packs(depth - 1)),
        _join("abs({})", pack),
    )


@cache
def bool_packs(depth: int) -> Text:
    """Return a strategy for packs of bools of length ``d``."""
    leaf = st.sampled_from(["q", "(s > 2)", "[c ..(d)]"])
    if depth == 0:
        return leaf
    flags, pack = bool_packs(depth - 1), packs(depth - 1)
    return st.one_of(
        leaf,
        _one_of("({} {} {})", "< <= == !=", pack, pack),
        _one_of("({} {} {})", "&& || ^ =>", flags, flags),
        _one_of("({} {} {})", "&& ||", bools(depth - 1), flags),
        _join("(!{})", flags),
        _one_of("({} {} ...)", "&& ||", flags),
        _join("({} in {})", pack, any_packs(depth - 1)),
    )


@cache
def real_packs(depth: int) -> Text:
    """Return a strategy for packs of reals of length ``d``."""
    leaf = st.sampled_from(["r", "[x ..(d)]"])
    if depth == 0:
        return leaf
    pack = real_packs(depth - 1)
    return st.one_of(
        leaf,
        _one_of("({} {} {})", "+ - * <?", pack, pack),
        _one_of("({} {} {})", "+ *", pack, reals(depth - 1)),
        _join("real({})", packs(depth - 1)),
        _join("({})[::-1]", pack),
        _one_of("({} {} ...)", "+ *", pack),
    )


@cache
def any_packs(depth: int) -> Text:
    """Return a strategy for packs of ints of any length."""
    leaf = st.one_of(packs(0), st.sampled_from(["p", "[1, s..]", "[s.., 2]", "[m, n]"]))
    if depth == 0:
        return leaf
    pack, same, single = any_packs(depth - 1), packs(depth - 1), ints(depth - 1)
    bound = st.one_of(st.just(""), SMALL, st.just("d"), st.just("m"))
    step = st.sampled_from(["", ":2", ":-1", ":-2", ":3"])
    return st.one_of(
        leaf,
        same,
        _join("({})[{}:{}{}]", pack, bound, bound, step),
        _join("[{}.., {}, {}..]", pack, single, pack),
        _join("[({}, {})..]", same, same),
        _join("[({}, {}, {})..][{}::{}]", same, same, same, st.sampled_from("012"), st.sampled_from(["3", "2", "-1"])),
        _join("({})[{}]", same, bool_packs(depth - 1)),
        _join("({} ? {} : {})", bools(depth - 1), pack, pack),
        _join("[{}..({})]", single.map(lambda text: f"({text})"), single),
        _join("[{}..({})]", single.map(lambda text: f"({text})"), bools(depth - 1)),
        _join("[({})..({})]", pack, bools(depth - 1)),
        _join("[{}:{}{}]", single.map(lambda text: f"({text})"), single, step),
        _one_of("({} {} ...)", "+ *", pack),
        _one_of("(({0}) {1} ({2}))", "+ - *", pack, single),
        _join("(({0})[1:] - ({0})[:-1])", pack),
    )


def expressions(depth: int = 3) -> Text:
    """Return a strategy for expressions of any type."""
    kinds = (ints, bools, reals, strings, packs, bool_packs, real_packs, any_packs)
    return st.one_of(*(kind(depth) for kind in kinds))
