"""Random operators as data, with their text: indices, guards, conditions, assertions, packs, ranks, optional inputs."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

Expr = tuple[Any, ...]
"""An int, condition or real: the name of a form, and its parts."""


@dataclass
class Tensor:
    name: str
    shape: list[Expr]
    """Extents; ``("spread", "s")`` for the extents of a rank."""
    length: str | None = None
    """The length of a pack."""
    optional: bool = False
    dtype: str = "real"


@dataclass
class Index:
    mode: str
    value: Expr
    below: Expr | None = None
    above: Expr | None = None
    text: str | None = None
    """The text of the index, where ``value`` does not tell it."""


@dataclass
class Formula:
    target: str
    item: Expr | None
    places: list[Index]
    operator: str
    value: Expr
    bounds: list[tuple[str, Expr]]
    condition: Expr | None = None
    unroll: tuple[str, Expr] | None = None
    local: tuple[str, Expr] | None = None
    """A name for an int of the formula."""


@dataclass
class Operator:
    attributes: dict[str, str]
    """``int``, ``bool``, ``str``, or ``int..(q)`` by name."""
    inputs: list[Tensor]
    outputs: list[Tensor]
    using: list[tuple[str, Expr]] = field(default_factory=list)
    assertions: list[Expr] = field(default_factory=list)
    formulas: list[Formula] = field(default_factory=list)
    generic: bool = False

    @property
    def extents(self) -> list[str]:
        found = [part[1] for each in self.inputs for part in each.shape if part[0] == "var"]
        return list(dict.fromkeys(found))

    @property
    def lengths(self) -> list[str]:
        packs = [each.length for each in self.inputs if each.length]
        given = [type_[6:-1] for type_ in self.attributes.values() if type_.startswith("int..")]
        return list(dict.fromkeys([*packs, *given]))

    @property
    def has_rank(self) -> bool:
        return any(part[0] == "spread" for each in self.inputs for part in each.shape)


# ---- text ------------------------------------------------------------------------------------------------------------
def text_of(e: Expr) -> str:
    match e:
        case ("num", value) | ("var", value):
            return str(value)
        case ("+" | "-" | "*" | "/" | "\\" | "%" | "**" | "<?" | ">?" | "&&" | "||" | "=>" | "^" as sign, a, b):
            return f"{_part(a)} {sign} {_part(b)}"
        case ("<" | "<=" | ">" | ">=" | "==" | "!=" as sign, a, b):
            return f"{_part(a)} {sign} {_part(b)}"
        case ("!", a):
            return f"!{_part(a)}"
        case ("select" | "choose", c, a, b):
            return f"{_part(c)} ? {_part(a)} : {_part(b)}"
        case ("item", pack, at):
            return f"{pack}[{text_of(at)}]"
        case ("fold", sign, pack):
            return f"({pack} {sign} ..)"
        case ("part", pack, first, last):
            return f"({pack}[{text_of(first)}:{text_of(last)}] + ..)"
        case ("rounded", a, b):
            return f"int(ceil(real({text_of(a)}) / real({text_of(b)})))"
        case ("in", a, *items):
            return f"{_part(a)} in [{', '.join(map(str, items))}]"
        case ("or else", a):
            return f"{text_of(a)} ?? 0.0"
        case ("is", name, value):
            return f"{name} == '{value}'"
        case ("flag", name):
            return str(name)
        case ("spread", name):
            return f"{name}.."
        case ("real", a):
            return f"real({text_of(a)})"
        case ("read", name, item, places):
            chosen = "" if item is None else f"[{text_of(item)}]"
            return f"{name}{chosen}[{places_text(places)}]"
        case ("data", read):
            return f"{text_of(read)} > 0.0"
    raise AssertionError(e)


def _part(e: Expr) -> str:
    plain = e[0] in ("num", "var", "item", "read", "real", "flag", "fold", "part", "rounded") and not (
        e[0] == "num" and e[1] < 0
    )
    return text_of(e) if plain else f"({text_of(e)})"


def index_text(index: Index) -> str:
    if index.text is not None:
        return index.text
    value = text_of(index.value)
    if index.mode == "plain":
        return value
    if index.mode == "skip":
        return f"|{value}|"
    assert index.below is not None
    assert index.above is not None
    return f"|{value} <> {_part(index.below)} : {_part(index.above)}|"


def places_text(places: list[Index]) -> str:
    comma = "," if len(places) == 1 and places[0].value[0] != "spread" else ""
    return ", ".join(map(index_text, places)) + comma


def _tensor_text(tensor: Tensor, dtype: str) -> str:
    shape = ", ".join(
        "s..(d)" if part[0] == "spread" and tensor.name == "r" else text_of(part) for part in tensor.shape
    )
    pack = f"..({tensor.length})" if tensor.length else ""
    return f"{tensor.name}: {'optional ' if tensor.optional else ''}{dtype}[{shape}]{pack};"


def lines_of(operator: Operator, name: str) -> list[str]:
    """Return the text, with a line for each declaration, assertion and formula."""
    dtype = "T" if operator.generic else "real"
    found = [f"operator {name} {{", *(["    @dtype {", "        T: num;", "    }"] if operator.generic else [])]

    def block(kind: str, lines: list[str]) -> None:
        if lines:
            found.extend([f"    @{kind} {{", *(f"        {line}" for line in lines), "    }"])

    block("attrib", [f"{key}: {type_};" for key, type_ in operator.attributes.items()])
    block("input", [_tensor_text(each, dtype if each.name == "x" else "real") for each in operator.inputs])
    block("output", [_tensor_text(each, "real") for each in operator.outputs])
    block("using", [f"{key} = {text_of(value)};" for key, value in operator.using])
    block("assert", [f"{text_of(each)};" for each in operator.assertions])
    block("lower", list(map(_formula_text, operator.formulas)))
    return [*found, "}"]


def _formula_text(formula: Formula) -> str:
    unroll = "" if formula.unroll is None else f"unroll..({formula.unroll[0]} -> {text_of(formula.unroll[1])}) "
    item = "" if formula.item is None else f"[{text_of(formula.item)}]"
    bounds = "".join(f", {key} < {text_of(bound)}" for key, bound in formula.bounds)
    condition = "" if formula.condition is None else f" | {text_of(formula.condition)}"
    left = f"{formula.target}{item}[{places_text(formula.places)}]"
    local = "" if formula.local is None else f"with {formula.local[0]} = {text_of(formula.local[1])}: "
    return f"{unroll}{local}{left} {formula.operator} {text_of(formula.value)}{bounds}{condition};"


# ---- drawing ---------------------------------------------------------------------------------------------------------
class Drawing:
    """Generator of an operator. Drawn indices are mostly in bounds, or wrong by a little."""

    def __init__(
        self, rng: Random, *, is_wide: bool = False, is_strided: bool = False, is_chosen: bool = False
    ) -> None:
        self.rng = rng
        self.is_strided = is_strided
        """True if '=' writes at multiples of a number, mostly before another formula accumulates."""
        self.is_chosen = is_chosen
        """True if selections or conditions tell where '=' writes."""
        self.is_wide = is_wide
        """True if rarer operations are drawn, too."""
        self.operator = Operator({}, [], [])
        self.names: list[str] = []

    def chance(self, percent: int) -> bool:
        return self.rng.random() * 100 < percent

    def pick(self, *items: Any) -> Any:
        return self.rng.choice(items)

    def drawn(self) -> Operator:
        made = self.operator
        made.generic = self.chance(10)
        for key, type_, percent in (
            ("a", "int", 45),
            ("b", "int", 15),
            ("f", "bool", 12),
            ("mode", "str", 12),
            ("p", "int..(q)", 12),
        ):
            if self.chance(percent):
                made.attributes[key] = type_
        made.inputs.append(Tensor("x", [("var", "n")]))
        if self.chance(50):
            made.inputs.append(Tensor("z", [("var", "m"), ("var", self.pick("n", "l"))]))
        if self.chance(35):
            made.inputs.append(Tensor("xs", [("var", self.pick("n", "c"))], length="k"))
        if self.chance(20):
            made.inputs.append(Tensor("r", [("spread", "s")] if self.chance(60) else [("var", "n"), ("spread", "s")]))
        if self.chance(12):
            made.inputs.append(Tensor("w", [("var", "n")], optional=True))
        self.names = [*made.extents, *made.lengths, *(["d"] if made.has_rank else [])]
        self.names += [key for key, type_ in made.attributes.items() if type_ == "int"]
        if self.chance(20):
            made.using.append(("h", self.number(2)))
            self.names.append("h")
        for _ in range(self.pick(0, 1, 1, 2)):
            made.assertions.append(self.assertion())
        self.outputs()
        for output in made.outputs:
            self.formulas(output)
        return made

    def number(self, depth: int) -> Expr:
        """Return an int of sizes, lengths and attributes."""
        if depth == 0 or self.chance(45):
            return ("num", self.rng.randint(0, 3)) if self.chance(20) else ("var", self.pick(*self.names))
        if self.is_wide and self.chance(20):
            return self.rare(depth - 1)
        sign = self.pick("+", "+", "-", "-", "*", "/", "%", "\\", "<?", ">?", "select", "item")
        if sign == "select":
            return ("select", self.comparison(depth - 1), self.number(depth - 1), self.number(depth - 1))
        if sign == "item":
            pack = "p" if "p" in self.operator.attributes else "s" if self.operator.has_rank else None
            return self.number(depth) if pack is None else ("item", pack, self.number(0))
        second = ("num", self.rng.randint(1, 3)) if self.chance(60) else self.number(depth - 1)
        return (sign, self.number(depth - 1), second)

    def rare(self, depth: int) -> Expr:
        """Draw a partial operation that is used less often than division."""
        form = self.pick("**", "rounded", "fold", "part")
        if form == "**":
            return ("**", self.number(depth), self.pick(("num", 2), self.number(0)))
        if form == "rounded":
            return ("rounded", self.number(depth), self.pick(("num", 2), self.number(0)))
        pack = "p" if "p" in self.operator.attributes else "s" if self.operator.has_rank else None
        if pack is None:
            return self.number(depth)
        if form == "part":
            return ("part", pack, self.pick(("num", 0), self.number(0)), self.number(0))
        return ("fold", self.pick("+", "*", ">?", "<?"), pack)

    def comparison(self, depth: int = 1) -> Expr:
        if self.is_wide and self.chance(8):
            return ("in", self.number(depth), *sorted({self.rng.randint(0, 4) for _ in range(2)}))
        if "f" in self.operator.attributes and self.chance(15):
            return ("flag", "f")
        if "mode" in self.operator.attributes and self.chance(15):
            return ("is", "mode", self.pick("A", "B"))
        return (self.pick("<", "<=", ">", ">=", "==", "!="), self.number(depth), self.number(depth))

    def assertion(self) -> Expr:
        name = ("var", self.pick(*self.names))
        if self.is_wide and self.chance(20):
            return self.pick((self.pick("=>", "^"), self.comparison(), self.comparison()), ("!", self.comparison()))
        return self.pick(
            (self.pick(">=", ">"), name, ("num", self.rng.randint(0, 4))),
            (self.pick(">=", "<=", "=="), name, self.number(1)),
            ("==", ("%", name, ("var", self.pick(*self.names))), ("num", 0)),
            ("||", self.comparison(), self.comparison()),
            ("&&", (">", name, ("num", 0)), self.comparison()),
            self.comparison(2),
        )

    def outputs(self) -> None:
        made = self.operator
        if made.has_rank and self.chance(70):
            made.outputs.append(Tensor("t", [("spread", "s")]))
        if made.outputs and self.chance(40):
            return
        if "xs" in {each.name for each in made.inputs} and self.chance(25):
            made.outputs.append(Tensor("ys", [self.extent()], length="k"))
            return
        made.outputs.append(Tensor("y", [self.extent() for _ in range(self.pick(1, 1, 1, 2))]))

    def extent(self) -> Expr:
        return ("var", self.pick(*self.names)) if self.chance(45) else self.number(2)

    # ---- formulas ----------------------------------------------------------------------------------------------------
    def formulas(self, output: Tensor) -> None:
        if output.shape[0][0] == "spread":
            self.of_rank(output)
            return
        if self.is_chosen and not output.length:
            self.chosen(output)
            return
        if self.is_strided and not output.length:
            self.strided(output)
            return
        form = self.pick("plain", "plain", "plain", "conditions", "mixed", "scattered", "scattered")
        operator = self.pick("=", "=", "=", "+=", ">?=") if form in ("plain", "scattered") else "="
        if form == "conditions":
            self.plain(output, "=", condition=self.index_condition())
        elif form == "mixed":
            self.plain(output, "=", first_bound=self.pick(("num", 1), output.shape[0], self.number(1)))
            self.plain(output, self.pick("+=", "+=", ":="))
        elif form == "scattered":
            self.scattered(output, operator)
        else:
            condition = self.index_condition() if self.chance(25) else None
            self.plain(output, operator, condition=condition)

    def index_condition(self) -> Expr:
        first = self.pick(("var", "i"), ("var", "i"), ("%", ("var", "i"), ("num", 2)), ("var", self.pick(*self.names)))
        if self.chance(10):
            return ("data", ("read", "x", None, [Index(self.pick("plain", "skip"), ("var", "i"))]))
        return (self.pick("<", "<=", ">", ">=", "==", "!="), first, self.number(0))

    def plain(
        self,
        output: Tensor,
        operator: str,
        shift: Expr = ("num", 0),
        first_bound: Expr | None = None,
        condition: Expr | None = None,
    ) -> None:
        names = ["i", "j"][: len(output.shape)]
        bounds = [(key, extent) for key, extent in zip(names, output.shape, strict=True)]
        if first_bound is not None:
            bounds[0] = (bounds[0][0], first_bound)
        if self.chance(10):
            bounds[-1] = (bounds[-1][0], self.number(1))
        first: Expr = ("var", "i") if shift == ("num", 0) else ("+", ("var", "i"), shift)
        places = [Index(self.pick(*["plain"] * 7, "skip"), first), *(Index("plain", ("var", key)) for key in names[1:])]
        if self.chance(12):
            places[0].value = self.pick(
                ("-", ("-", output.shape[0], ("num", 1)), first),
                ("%", ("+", first, ("var", self.pick(*self.names))), output.shape[0]),
                ("+", first, ("num", 1)),
            )
        if self.chance(25) or operator in ("+=", ">?="):
            inner = self.pick(
                ("var", "i"), ("+", ("var", "i"), ("num", 1)), self.number(0), ("-", self.number(0), ("var", "i"))
            )
            if operator != "=":
                bounds.append(("g", inner))
        self.formula(output, places, operator, bounds, condition)

    def scattered(self, output: Tensor, operator: str) -> None:
        """Draw positions composed of two indices, or taken apart by division."""
        if len(output.shape) == 1:
            inner, outer = self.number(0), self.number(0)
            place: Expr = ("+", ("*", ("var", "i"), inner), ("var", "j"))
            if self.chance(50):
                output.shape = [("*", outer, inner)]
            bounds = [("i", outer), ("j", inner)]
            if self.chance(25):
                place = ("+", ("*", ("var", "j"), outer), ("var", "i"))
            self.formula(output, [Index("plain", place)], operator, bounds, None)
            return
        by = self.number(0)
        bounds = [("i", ("*", output.shape[0], output.shape[1]) if self.chance(60) else self.number(1))]
        by = output.shape[1] if self.chance(60) else by
        places = [Index("plain", ("/", ("var", "i"), by)), Index("plain", ("%", ("var", "i"), by))]
        self.formula(output, places, operator, bounds, None)

    def strided(self, output: Tensor) -> None:
        """Draw positions that are multiples of a number, which may be 0, and an accumulation into the same output."""
        by, extent = self.number(1), self.number(0)
        if self.chance(70):
            self.operator.assertions.append((self.pick(">=", ">=", ">"), by, ("num", self.pick(0, 0, 0, 1))))
        factor = self.pick(by, by, ("*", by, self.number(0)), ("*", by, by), ("+", by, ("num", 1)))
        bounds = [("i", extent)]
        place = self.multiple(("var", "i"), extent, factor)
        two = len(output.shape) > 1
        if two or self.chance(25):
            bounds.append(("j", self.pick(extent, factor, self.number(0))))
        if len(bounds) > 1 and not two:
            inner = ("+", ("*", ("var", "i"), bounds[1][1]), ("var", "j"))
            place = self.pick(("+", place, ("var", "j")), self.multiple(inner, ("*", extent, bounds[1][1]), factor))
        if self.chance(20):
            condition = (self.pick("<", ">=", "=="), ("var", "i"), self.number(0))
            other = self.pick(place, place, ("var", "i"), self.multiple(("var", "i"), extent, by))
            place = ("select", condition, *self.pick((place, other), (other, place)))
        places = [Index(self.pick(*["plain"] * 5, "skip"), place)]
        if two:
            other = self.pick(("var", "j"), ("*", ("var", "j"), by), ("%", ("var", "i"), ("num", 2)), ("num", 0))
            places.insert(self.pick(0, 1), Index("plain", other))
        # The extents are mostly great enough for all indices.
        for at, each in enumerate(places):
            most = ("+", ("+", ("*", extent, factor), extent), ("num", 4))
            output.shape[at] = self.pick(most, most, most, extent) if each.value is place else ("+", extent, ("num", 2))
        condition = self.index_condition() if self.chance(20) else None
        self.formula(output, places, "=", bounds, condition)
        made = self.operator.formulas[-1]
        if made.local is None and made.places[0].mode == "plain" and self.chance(20):
            made.local = ("e", made.places[0].value)
            made.places[0] = Index("plain", ("var", "e"))
        if self.chance(75):
            made.value = ("real", ("var", "i"))  # nothing else fails before the elements are counted
        if self.chance(85):
            zeros = [Index("plain", ("num", 0)) for _ in output.shape]
            self.formula(output, zeros, self.pick("+=", "+=", ">?="), [], None)
            self.operator.formulas[-1].value = ("real", ("num", 1))

    def chosen(self, output: Tensor) -> None:
        """Draw positions that a selection, or the condition after ``|``, tells."""
        extent, other = self.number(0), self.pick(self.number(0), ("num", self.rng.randint(1, 3)))
        i, j = ("var", "i"), ("var", "j")
        bounds: list[tuple[str, Expr]] = [("i", extent)]
        condition: Expr | None = None
        form = self.pick("selection", "remainder", "inner")
        place: Expr = i
        shape = self.pick(extent, extent, extent, ("+", extent, other))
        if form == "selection":
            by = self.pick(("num", 2), ("num", 2), other)
            half = ("/", ("+", extent, ("num", 1)), ("num", 2))
            branches = (
                i, ("-", i, other), ("+", i, other), ("-", ("-", other, ("num", 1)), i), ("/", i, by),
                ("+", half, ("/", i, by)), ("-", ("-", extent, ("num", 1)), i), ("*", i, other),
            )  # fmt: skip
            chooses = self.pick(
                ("<", i, other), (">=", i, other), ("==", ("%", i, by), ("num", 0)), ("!=", ("%", i, by), ("num", 0))
            )
            place = ("select", chooses, *self.rng.sample(branches, 2))
        elif form == "remainder":
            place = ("/", i, other)
            condition = (self.pick("==", "==", "==", "<=", "!="), ("%", i, other), ("num", self.pick(0, 0, 1)))
            shape = self.pick(extent, ("/", ("-", ("+", extent, other), ("num", 1)), other), ("/", extent, other))
        else:
            bounds.append(("j", self.pick(extent, other, ("+", extent, ("num", 1)))))
            told = self.pick(i, i, ("+", i, ("num", 1)), other, ("/", i, ("num", 2)), ("%", i, other))
            by = self.pick(("num", 1), ("num", 1), other)
            condition = (self.pick("==", "==", ">=", "<="), ("*", j, by), ("*", told, by))
            if self.chance(40):
                condition = ("&&", condition, (self.pick("<=", "<"), j, ("+", told, ("num", 1))))
        if self.chance(60):
            self.operator.assertions.append((">", other, ("num", 0)))
        output.shape = [shape]
        self.formula(output, [Index("plain", place)], "=", bounds, condition)
        self.operator.formulas[-1].value = ("real", i)
        if self.chance(30):
            self.formula(output, [Index("plain", ("num", 0))], "+=", [], None)
            self.operator.formulas[-1].value = ("real", ("num", 1))

    def multiple(self, index: Expr, extent: Expr, by: Expr) -> Expr:
        """Draw an index whose values are multiples of a number, or moved by a number."""
        return self.pick(
            ("*", index, by),
            ("*", index, by),
            ("+", ("*", index, by), ("num", self.rng.randint(1, 3))),
            ("*", ("*", index, by), ("num", 2)),
            ("-", ("*", extent, by), ("*", index, by)),
            ("*", ("-", extent, index), by),
            ("+", ("*", ("-", index, extent), by), ("*", extent, by)),
            ("/", ("*", index, by), ("num", 1)),
            ("-", ("*", index, ("+", by, ("num", 1))), index),
        )

    def formula(
        self, output: Tensor, places: list[Index], operator: str, bounds: list[tuple[str, Expr]], condition: Expr | None
    ) -> None:
        unroll, item = None, None
        if output.length:
            unroll, item = ("u", ("var", "k")), self.pick(("var", "u"), ("var", "u"), ("var", "u"), ("num", 0))
        elif self.chance(12):
            unroll = ("u", ("var", "k")) if "k" in self.names else None
        indices = [key for key, _ in bounds] + (["u"] if unroll else [])
        local = ("e", self.index(indices)) if self.is_wide and self.chance(25) else None
        value = self.value([*indices, *(["e"] * 3 if local else [])], 1)
        self.operator.formulas.append(
            Formula(output.name, item, places, operator, value, bounds, condition, unroll, local)
        )

    def of_rank(self, output: Tensor) -> None:
        value = self.value([], 1)
        if any(each.name == "r" and len(each.shape) == 1 for each in self.operator.inputs) and self.chance(70):
            value = ("read", "r", None, [Index("plain", ("spread", "i"))])
        operator = self.pick("=", "+=")
        self.operator.formulas.append(
            Formula(output.name, None, [Index("plain", ("spread", "i"))], operator, value, [("i", ("var", "s"))])
        )

    def value(self, indices: list[str], depth: int) -> Expr:
        form = (
            self.pick("read", "read", "read", "real", "sum", "choose") if depth else self.pick("read", "read", "real")
        )
        if form == "sum":
            return (self.pick("+", "*"), self.value(indices, depth - 1), self.value(indices, depth - 1))
        if form == "choose":
            condition: Expr = self.comparison(0)
            if indices and self.chance(75):
                condition = (self.pick("<", "<=", ">=", "=="), self.index(indices), self.number(0))
            return ("choose", condition, self.value(indices, 0), self.value(indices, 0))
        if form == "real":
            return ("real", self.index(indices))
        if self.is_wide and self.chance(40) and any(each.optional for each in self.operator.inputs):
            return ("or else", ("read", "w", None, [self.place(indices, ("var", "n"))]))
        tensors = [each for each in self.operator.inputs if each.name in ("x", "z", "xs")]
        tensor = self.pick(*tensors)
        item = None
        if tensor.length:
            item = self.pick(
                ("num", 0), *([("var", "u")] * 3 if "u" in indices else []), ("%", self.index(indices), ("var", "k"))
            )
        places = [self.place(indices, extent) for extent in tensor.shape]
        return (
            ("real", ("num", 1))
            if tensor.name == "x" and self.operator.generic
            else ("read", tensor.name, item, places)
        )

    def place(self, indices: list[str], extent: Expr) -> Index:
        mode = self.pick(*["plain"] * 8, "skip", "skip", "remap")
        value = self.index(indices)
        if mode == "remap":
            return Index(
                mode, value, self.pick(("num", 0), self.number(0)), ("-", extent, ("num", self.pick(1, 1, 1, 0, 2)))
            )
        return Index(mode, value)

    def index(self, indices: list[str]) -> Expr:
        if not indices or self.chance(8):
            return self.number(1)
        one = ("var", self.pick(*indices))
        if self.chance(50):
            return one
        other: Expr = ("var", self.pick(*indices)) if self.chance(35) else self.number(0)
        return self.pick(
            ("+", one, other),
            ("-", one, other),
            ("-", ("-", self.number(0), ("num", 1)), one),
            ("/", one, self.pick(("num", 2), other)),
            ("%", one, self.pick(("num", 2), other)),
            ("%", ("+", one, other), self.number(0)),
            ("<?", one, ("-", self.number(0), ("num", 1))),
            (">?", ("-", one, ("num", 1)), ("num", 0)),
            ("+", ("*", one, other), one),
        )


WIDE = 1_000_000
"""First of the seeds whose operators have rarer operations, too."""
STRIDED = 100_000_000
"""First of the seeds whose operators write at multiples of a number that may be 0."""


CHOSEN = 300_000_000
"""First of the seeds whose operators write where selections or conditions say."""


def drawn(seed: int) -> Operator:
    """Return the operator of a seed."""
    return Drawing(Random(seed), is_wide=seed >= WIDE, is_strided=seed >= STRIDED, is_chosen=seed >= CHOSEN).drawn()
