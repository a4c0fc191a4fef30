"""The formulas of an operator, from their syntax, as equations.

Where attributes only choose how the dimensions of a tensor are arranged, the equations show the arrangement of the
defaults, and a note says so. The values that an attribute chooses between all stand there, as cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from snd_analysis.ide.mathematics.notation import Notation
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of

_SYMBOLS = {
    "*": "·", "-": "−", "&&": "∧", "||": "∨", "==": "=", "is": "=", "!=": "≠", "<=": "≤", ">=": "≥", "in": "∈",
    "%": "mod", "^": "⊻",
}  # fmt: skip
_BIG = {"+": "∑", "*": "∏", "&&": "⋀", "&": "⋀", "||": "⋁", "|": "⋁", ">?": "max", "<?": "min"}
_FENCES = {"abs": ("|", "|"), "floor": ("⌊", "⌋"), "ceil": ("⌈", "⌉")}
_ROUNDING = frozenset({"floor", "ceil", "round"})


class Mathematics(Struct, frozen=True):
    """Equations in a notation, and notes that a reader needs, in Markdown."""

    equations: str
    notes: tuple[str, ...]


def mathematics_of(definition: nodes.Definition, notation: Notation) -> Mathematics | None:
    """Return the formulas of an operator as mathematics; None if it has none."""
    formulas = [each for _, each in entries_of(definition, BlockKind.LOWER, nodes.Lowering)]
    return _Writer(definition, notation).written(formulas) if formulas else None


class _Writer:
    def __init__(self, definition: nodes.Definition, notation: Notation) -> None:
        self._to = notation
        self._defaults = dict(_defaults(definition))
        self._types = dict(_types(definition))
        self._helpers = {
            each.target.name.text: each.value
            for _, each in entries_of(definition, BlockKind.USING, nodes.Using)
            if isinstance(each.target, nodes.NameTarget) and isinstance(each.target.name, nodes.Name)
        }
        self._generics = {each.name.text for _, each in entries_of(definition, BlockKind.DTYPE, nodes.DtypeDeclaration)}
        self._lists: dict[str, nodes.List] = {}
        """Lists of indices that names denote in the current formula."""
        self._used: dict[str, None] = {}
        self._bound: set[str] = set()
        self._assumes = True
        """True if defaults may be assumed for more attributes; else only for attributes with an assumed default."""
        self._assumed: dict[str, str] = {}
        self._packs: dict[str, None] = {}
        self._notes: dict[str, None] = {}

    def written(self, formulas: Sequence[nodes.Lowering]) -> Mathematics:
        rows: list[str] = []
        previous: tuple[str, str, str] | None = None
        written: set[str] = set()
        for formula in formulas:
            name = formula.target.name.text
            target, relation, value, bounds = self._formula(formula, is_first=name not in written)
            if previous is not None and previous[::2] == (target, bounds) and relation == "+=":
                rows.pop()
                value, relation = f"{previous[1]} + {value}", "="
            rows.append(f"{target} {self._to.symbol(relation)} {value}{self._for(bounds)}")
            is_open = isinstance(formula.value, nodes.Coalesce | nodes.Select)
            where = [*self._where(formula)]
            previous = None if where else (target, self._to.fenced("(", value, ")") if is_open else value, bounds)
            written.add(name)
            rows.extend(where)
        rows.extend(self._helper_rows())
        return Mathematics(self._to.rows(rows), (*self._explanations(),))

    # ---- formulas ----------------------------------------------------------------------------------------------------
    def _formula(self, formula: nodes.Lowering, *, is_first: bool) -> tuple[str, str, str, str]:
        """Return the target, the relation, the value and the bounds of the formula."""
        self._lists = {}
        for local in formula.locals:
            if _is_list(local.value) and isinstance(chosen := self._folded(local.value), nodes.List):
                self._lists[local.name.text] = chosen
        for each in formula.bounds:
            self._types[each.name.text] = "int"
            self._bound.add(each.name.text)
        target = self._target(formula.target)
        kept = set(_names_in(formula.target)) | {
            name for each in _names_in(formula.target) for name in _names_in(self._lists.get(each))
        }
        bounds = [
            (each.name.text, f"{self._named(each.name.text)} < {self._shown(self._folded(each.bound))}")
            for each in formula.bounds
        ]
        if formula.unroll is not None and formula.unroll.name is not None:
            name = formula.unroll.name.text
            bounds.append((name, f"{self._named(name)} < {self._shown(formula.unroll.count)}"))
        free = ", ".join(text for name, text in bounds if name in kept)
        summed = ", ".join(text for name, text in bounds if name not in kept)
        every = ", ".join(text for _, text in bounds)
        value = self._shown(formula.value)
        condition = "" if formula.condition is None else self._shown(formula.condition)
        symbol = _BIG.get(formula.operator.text.removesuffix("="))
        if formula.operator.text == ":=":
            return target, "←", value, every + self._if(condition, " in this order, if ")
        if symbol is None:
            return target, "=", value, every + self._if(condition, ", if ")
        whole = self._big(symbol, summed, formula.value, value) if summed else value
        where = free + self._if(condition, ", if ")
        if is_first and summed and not any(_has(each, nodes.Bounded) for each in formula.target.indices):
            return target, "=", whole, where
        if symbol in ("∑", "∏"):
            return target, "+=" if symbol == "∑" else "*=", whole, where
        if symbol in ("max", "min"):
            return target, "←", self._function(symbol, f"{target}, {whole}"), where
        return target, "←", f"{target} {self._to.symbol({'⋀': '∧', '⋁': '∨'}[symbol])} {whole}", where

    def _big(self, symbol: str, bound: str, node: nodes.Node, value: str) -> str:
        is_sum = isinstance(node, nodes.Binary) and node.operator.text in ("+", "-")
        return self._to.over(symbol, bound, self._to.fenced("(", value, ")") if is_sum else value)

    def _if(self, condition: str, words: str) -> str:
        return f"{self._to.words(words)}{condition}" if condition else ""

    def _for(self, bounds: str) -> str:
        return f"{self._to.words('  for ')}{bounds}" if bounds else ""

    def _where(self, formula: nodes.Lowering) -> Iterator[str]:
        for local in formula.locals:
            if local.name.text not in self._lists:
                yield self._definition("where", local.name.text, self._shown(local.value))

    def _definition(self, word: str, name: str, value: str) -> str:
        return f"{self._to.words(f'  {word} ')}{self._to.name(name)} = {value}"

    def _helper_rows(self) -> Iterator[str]:
        self._lists, self._assumes = {}, False
        rows: dict[str, str] = {}
        while missing := [name for name in self._helpers if name in self._used and name not in rows]:
            for name in missing:
                rows[name] = self._shown(self._folded(self._helpers[name]))
        for name in self._helpers:
            if name in rows and rows[name] != self._to.name(name):
                yield self._definition("with", name, rows[name])

    def _explanations(self) -> Iterator[str]:
        if self._assumed:
            yield f"These are the equations for {', '.join(f'`{n}={v}`' for n, v in self._assumed.items())}."
        if self._packs:
            names = ", ".join(f"`{name}`" for name in self._packs)
            yield (
                f"{names}: an index for each dimension."
                if len(self._packs) == 1
                else f"{names}: indices for each dimension."
            )
        yield from self._notes

    # ---- tensors -----------------------------------------------------------------------------------------------------
    def _target(self, target: nodes.Access) -> str:
        *items, indices = target.indices
        item = self._indices(items[0]) if items else None
        return self._to.access(self._named(target.name.text), item, self._indices(indices))

    def _subscript(self, node: nodes.Subscript) -> str:
        if isinstance(node.target, nodes.Subscript):
            base, item = node.target.target, self._indices(node.target.index)
        else:
            base, item = node.target, None
        return self._to.access(self._shown(base), item, self._indices(node.index))

    def _indices(self, index: nodes.Index) -> str:
        return ", ".join(text for item in index.items for text in self._items(item))

    def _items(self, item: nodes.Node) -> Iterator[str]:
        """Yield an entry between the brackets of an access, or the entries of a named list."""
        match item:
            case nodes.Expanded(item=nodes.Qualified(text=name)) if name in self._lists:
                for each in self._lists[name].items:
                    yield from self._items(each)
            case nodes.Expanded(item=inner, expansion=nodes.Expansion(length=length)):
                known = None if length is None else self._truth(length)
                if isinstance(length, nodes.Select):
                    known = self._truth(length.condition)
                    known = known if known is None else (self._is_one(length.consequent) if known else False)
                if known is False:
                    return
                if length is None and isinstance(inner, nodes.Qualified) and inner.text in self._bound:
                    self._packs[inner.text] = None
                text = self._index(_inner(inner))
                if known is not None or length is None:
                    yield text
                else:
                    yield f"{text}{self._to.words(' (')}{self._shown(length)}{self._to.words(' times)')}"
            case nodes.Range(first=first, last=last, step=step):
                parts = [first, last, *([step] if step is not None else [])]
                yield ":".join("" if each is None else self._shown(each) for each in parts)
            case nodes.Tilde():
                yield "~"
            case _:
                yield self._index(item)

    def _index(self, node: nodes.Node) -> str:
        match folded := _inner(self._folded(node)):
            case nodes.Select(
                condition=condition, consequent=nodes.Literal() as zero, alternative=nodes.Qualified() as index
            ):
                inner = f"{self._shown(condition)} {self._to.symbol('↦')} {self._shown(zero)}"
                return f"{self._shown(index)}{self._to.fenced('[', inner, ']')}"
        return self._shown(folded)

    def _is_one(self, node: nodes.Node | None) -> bool:
        return isinstance(node, nodes.Literal) and node.value == 1

    # ---- defaults ----------------------------------------------------------------------------------------------------
    def _folded(self, node: nodes.Node) -> nodes.Node:
        """Return the branch that defaults take, where attributes choose between indices."""
        match node:
            case nodes.Select(
                condition=nodes.Binary(operator=nodes.Operator(text="is")), consequent=nodes.Literal(value=0)
            ):
                self._notes["An index along an extent of 1 is 0: that extent is broadcast."] = None
                return self._folded(node.alternative) if node.alternative is not None else node
            case nodes.Select(condition=condition, consequent=consequent, alternative=alternative):
                truth = self._truth(condition)
                if truth is None or (not truth and alternative is None):
                    return node
                return self._folded(consequent if truth or alternative is None else alternative)
            case nodes.Parenthesized(inner=inner):
                folded = self._folded(inner)
                return folded if folded is not inner else node
        return node

    def _truth(self, condition: nodes.Node) -> bool | None:
        """Return the value of a condition for the defaults of attributes; None if it depends on more."""
        match condition:
            case nodes.Parenthesized(inner=inner):
                return self._truth(inner)
            case nodes.Unary(operator=nodes.Operator(text="!"), operand=operand):
                truth = self._truth(operand)
                return None if truth is None else not truth
            case nodes.Qualified(text=name):
                default = self._default(name)
                return default if isinstance(default, bool) else None
            case nodes.Binary(
                left=nodes.Qualified(text=name),
                operator=nodes.Operator(text="==" | "in"),
                right=nodes.String() | nodes.List() as right,
            ):
                default = self._default(name)
                items = right.items if isinstance(right, nodes.List) else (right,)
                return None if default is None else default in [_string(each) for each in items]
        return None

    def _default(self, name: str) -> bool | str | None:
        """Return the default of an attribute that chooses, and note that it is assumed."""
        default = self._defaults.get(name)
        if default is not None and self._assumes:
            self._assumed[name] = f"'{default}'" if isinstance(default, str) else str(default).lower()
        return default if name in self._assumed else None

    # ---- expressions -------------------------------------------------------------------------------------------------
    def _named(self, name: str) -> str:
        self._used[name] = None
        return self._to.name(name)

    def _function(self, name: str, inner: str) -> str:
        shown = self._to.symbol(name) if name in _BIG.values() else self._to.name(name)
        return f"{shown}{self._to.fenced('(', inner, ')')}"

    def _shown(self, node: nodes.Node | None) -> str:
        match node:
            case nodes.Qualified(text=text):
                return self._to.symbol("π") if text == "pi" else self._named(text)
            case nodes.Literal():
                return self._literal(node)
            case nodes.String():
                return self._to.words(f"'{_string(node)}'")
            case nodes.List(items=items):
                return self._to.fenced("[", ", ".join(text for each in items for text in self._items(each)), "]")
            case nodes.Subscript():
                return self._subscript(node)
            case nodes.Substitution(target=target, index=index, value=value):
                inner = f"{self._indices(index)} {self._to.symbol('↦')} {self._shown(_inner(value))}"
                return f"{self._shown(target)}{self._to.fenced('[', inner, ']')}"
            case nodes.Unary(operator=nodes.Operator(text="?"), operand=operand):
                return f"{self._shown(operand)}{self._to.words(' is given')}"
            case nodes.Unary(operator=operator, operand=operand):
                sign = {"!": "¬", "-": "−"}.get(operator.text, operator.text)
                return f"{self._to.symbol(sign)}{self._shown(operand)}"
            case nodes.Binary():
                return self._binary(node)
            case nodes.Fold(operand=operand, operator=nodes.Operator(text=":=")):
                self._notes["The one value of a pack is given only if all its items are equal."] = None
                return f"{self._to.words('the one value of ')}{self._shown(operand)}"
            case nodes.Fold(operand=operand, operator=operator, cumulative=cumulative):
                if cumulative:
                    self._notes["A running Σ or Π has an item for each beginning of the pack."] = None
                elif operator.text in ("*", "+"):
                    self._notes["Σ and Π without indices go over all dimensions."] = None
                found = self._to.over(_BIG.get(operator.text, operator.text), "", self._shown(operand))
                return f"{self._to.words('running ')}{found}" if cumulative else found
            case nodes.Select():
                return self._to.cases([*self._cases(node)])
            case nodes.Coalesce(value=value, fallback=fallback):
                self._notes["*a* or *b* is *b* where *a* is not given."] = None
                return f"{self._shown(value)}{self._to.words(' or ')}{self._shown(fallback)}"
            case nodes.Call(function=function, arguments=arguments):
                return self._call(function.text, arguments)
            case nodes.Cast(value=value):
                return "0" if value is None else self._bare_cast(value)
            case nodes.Parenthesized(inner=inner):
                text = self._shown(inner)
                is_closed = isinstance(inner, nodes.Binary) and inner.operator.text in (">?", "<?")
                return text if is_closed else self._to.fenced("(", text, ")")
            case nodes.Bounded():
                return self._bounded(node)
            case nodes.Range() | nodes.Expanded():
                return ", ".join(self._items(node))
        return "…"

    def _literal(self, node: nodes.Literal) -> str:
        value = node.value
        if isinstance(value, bool):
            return self._to.words("true" if value else "false")
        if value == float("inf"):
            return self._to.symbol("∞")
        if isinstance(value, float) and abs(value - 3.141592653589793) < 1e-15:
            return self._to.symbol("π")
        return f"{value:.15g}"

    def _cases(self, node: nodes.Select) -> Iterator[tuple[str, str | None]]:
        rest: nodes.Node | None = node
        while isinstance(rest, nodes.Select):
            yield self._shown(_inner(rest.consequent)), self._shown(_inner(rest.condition))
            rest = _inner(rest.alternative)
        if rest is not None:
            yield self._shown(rest), None

    def _binary(self, node: nodes.Binary) -> str:
        operator = node.operator.text
        if operator in (">?", "<?"):
            parts = ", ".join(self._shown(_inner(each)) for each in _chain(node, operator))
            return self._function(_BIG[operator], parts)
        if operator in ("/", "\\"):
            quotient = self._to.fraction(self._shown(_inner(node.left)), self._shown(_inner(node.right)))
            kinds = (self._kind(node.left), self._kind(node.right))
            if operator == "\\":
                return self._to.fenced("⌈", quotient, "⌉")
            if kinds == ("int", "int"):
                return self._to.fenced("⌊", quotient, "⌋")
            if "real" not in kinds:
                self._notes["Quotients of ints are rounded down."] = None
            return quotient
        left, right = self._operand(node.left), self._operand(node.right)
        if operator == "**":
            return self._to.power(left, self._shown(_inner(node.right)))
        symbol = self._to.symbol(_SYMBOLS.get(operator, operator)).strip()
        if operator == "*":
            return self._to.product(left, right)
        return f"{left} {symbol} {right}"

    def _operand(self, node: nodes.Node) -> str:
        text = self._shown(node)
        return self._to.fenced("(", text, ")") if isinstance(node, nodes.Fold) else text

    def _call(self, name: str, arguments: Sequence[nodes.Node]) -> str:
        if name in self._generics:
            if not arguments:
                return "0"
            if _is_number(arguments[0]) or self._is_rounded(arguments[0]):
                return self._shown(arguments[0])
        inner = ", ".join(self._shown(_inner(each)) for each in arguments)
        if name in _FENCES:
            left, right = _FENCES[name]
            return self._to.fenced(left, inner, right)
        return self._to.root(inner) if name == "sqrt" else self._function(name, inner)

    def _is_rounded(self, node: nodes.Node) -> bool:
        return isinstance(node, nodes.Call) and node.function.text in _ROUNDING

    def _bare_cast(self, value: nodes.Node) -> str:
        """Omit a cast: formulas of the library cast no number to another value."""
        text = self._shown(value)
        if self._kind(value) == "bool":
            self._notes["A condition counts as 1 where it holds, and as 0 elsewhere."] = None
        is_open = isinstance(value, nodes.Binary) and value.operator.text not in ("/", "\\", "**", ">?", "<?")
        return self._to.fenced("(", text, ")") if is_open else text

    def _bounded(self, node: nodes.Bounded) -> str:
        text = self._shown(node.value)
        if node.below is None or node.above is None:
            self._notes["What has an index outside of its tensor is left out."] = None
            return text
        below, above = self._shown(node.below), self._shown(node.above)
        if isinstance(node.below, nodes.Literal) and node.below.value == 0:
            self._notes["`clamp(i, a, b)` is `i`, but not less than `a` and not more than `b`."] = None
            return self._function("clamp", f"{text}, {below}, {above}")
        self._notes["`inside(i, a, b)` is `i`, but `a` before the first element, and `b` after the last."] = None
        return self._function("inside", f"{text}, {below}, {above}")

    def _kind(self, node: nodes.Node | None, depth: int = 0) -> str | None:
        """Return ``int`` or ``real`` for an expression; None if it is generic, or neither."""
        if depth > 20:
            return None
        match node:
            case nodes.Literal(type=kind):
                return kind
            case nodes.Qualified(text=name):
                return self._types.get(name) or self._kind(self._helpers.get(name), depth + 1)
            case nodes.Cast(type=nodes.TypeName(text=kind)):
                return kind
            case nodes.Subscript(target=inner) | nodes.Parenthesized(inner=inner) | nodes.Unary(operand=inner):
                return self._kind(inner, depth + 1)
            case nodes.Substitution(target=inner) | nodes.Fold(operand=inner) | nodes.Bounded(value=inner):
                return self._kind(inner, depth + 1)
            case nodes.Binary(left=one, right=other) | nodes.Coalesce(value=one, fallback=other):
                return self._kind(one, depth + 1) or self._kind(other, depth + 1)
            case nodes.Select(consequent=one, alternative=alternative):
                return self._kind(one, depth + 1) or self._kind(alternative, depth + 1)
            case nodes.Call(function=nodes.Qualified(text=name), arguments=(inner, *_)) if name not in self._generics:
                return self._kind(inner, depth + 1)
            case nodes.List(items=(inner, *_)):
                return self._kind(inner, depth + 1)
            case nodes.Expanded(item=inner):
                return self._kind(inner, depth + 1)
        return None


def _is_list(node: nodes.Node | None) -> bool:
    return isinstance(node, nodes.List) or (isinstance(node, nodes.Select) and _is_list(node.consequent))


def _is_number(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Literal) or (isinstance(node, nodes.Unary) and _is_number(node.operand))


def _inner(node: nodes.Node | None) -> nodes.Node:
    """Return the node inside parentheses that the notation does not need."""
    while isinstance(node, nodes.Parenthesized):
        node = node.inner
    assert node is not None
    return node


def _chain(node: nodes.Node, operator: str) -> Iterator[nodes.Node]:
    inner = _inner(node)
    if isinstance(inner, nodes.Binary) and inner.operator.text == operator:
        yield from _chain(inner.left, operator)
        yield from _chain(inner.right, operator)
    else:
        yield inner


def _string(node: nodes.Node) -> str:
    parts = node.parts if isinstance(node, nodes.String) else ()
    return "".join(each.value for each in parts if isinstance(each, nodes.Text))


def _has(node: nodes.Node, kind: type[nodes.Node]) -> bool:
    return isinstance(node, kind) or any(_has(each, kind) for each in nodes.children(node))


def _names_in(node: nodes.Node | None) -> Iterator[str]:
    if isinstance(node, nodes.Qualified):
        yield node.text
    elif node is not None:
        for each in nodes.children(node):
            yield from _names_in(each)


def _defaults(definition: nodes.Definition) -> Iterator[tuple[str, bool | str]]:
    for _, each in entries_of(definition, BlockKind.ATTRIB, nodes.Parameter):
        value = None if each.default is None else each.default.value
        if isinstance(value, nodes.String):
            yield each.name.text, _string(value)
        elif isinstance(value, nodes.Literal) and isinstance(value.value, bool):
            yield each.name.text, value.value


def _types(definition: nodes.Definition) -> Iterator[tuple[str, str]]:
    for kind in (BlockKind.ATTRIB, BlockKind.INPUT, BlockKind.OUTPUT):
        for _, each in entries_of(definition, kind, nodes.Parameter):
            if each.type.is_keyword:
                yield each.name.text, each.type.text
            for extent in each.shape.extents if each.shape is not None else ():
                for name in _names_in(extent):
                    yield name, "int"
