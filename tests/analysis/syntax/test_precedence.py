"""The table of precedence in LANGUAGE: every pair of operators, and the forms that have rules of their own."""

from __future__ import annotations

import pytest

from snd_analysis.skriptnd.syntax import nodes, parse

# Low to high, as LANGUAGE lists them; all of a level associate to the left.
LEVELS = [
    ["=>"],
    ["&&", "||", "^"],
    ["<", "<=", ">", ">=", "==", "!=", "is", "in"],
    ["<?", ">?"],
    ["+", "-"],
    ["*", "/", "\\", "%"],
    ["**"],
]
LEVEL = {operator: level for level, operators in enumerate(LEVELS) for operator in operators}
FOLDS = ["&&", "||", "<", "<=", ">", ">=", "==", "!=", ":=", "<?", ">?", "+", "*"]

FORMS = {
    # ternaries and ?? take whole expressions to their right
    "a ? b : c ? d : e": "(a ? b : (c ? d : e))",
    "a ? b ? c : d : e": "(a ? (b ? c : d) : e)",
    "a ? b ? c : d": "(a ? (b ? c : d))",
    "a ? b": "(a ? b)",
    "a => b ? c => d : e => f": "((a => b) ? (c => d) : (e => f))",
    "a ?? b ?? c": "(a ?? (b ?? c))",
    "a + b ?? c + d": "((a + b) ?? (c + d))",
    "a ? b : c ?? d": "(a ? b : (c ?? d))",
    "a ?? b ? c : d": "(a ?? (b ? c : d))",
    # signs take a following power, and nothing else
    "-k ** 2": "(-(k ** 2))",
    "-a * b": "((-a) * b)",
    "!a && b": "((!a) && b)",
    "!a == b": "((!a) == b)",
    "a ** -b ** c": "(a ** (-(b ** c)))",
    "- - a": "(-(-a))",
    "-!+?a": "(-(!(+(?a))))",
    "a - -b": "(a - (-b))",
    "?a ? b : c": "((?a) ? b : c)",
    "?a && ?b": "((?a) && (?b))",
    # powers associate to the left: 64
    "2 ** 3 ** 2": "((2 ** 3) ** 2)",
    # folds take what was read at their level, and any operator may follow
    "2 * p + ..": "((2 * p) + ..)",
    "p + .. * 2": "((p + ..) * 2)",
    "a + p * ..": "(a + (p * ..))",
    "a * p + .. == b": "(((a * p) + ..) == b)",
    "p + ... + q": "((p + ...) + q)",
    "p != .. && q": "((p != ..) && q)",
    "a && p != ..": "(a && (p != ..))",
    "p * .. + .. <? ..": "(((p * ..) + ..) <? ..)",
    "-p + ..": "((-p) + ..)",
    "[k ..(0)] := ..": "([k ..(0)] := ..)",
    "p ** .. ": None,
    # a substitution takes the rest of the expression
    "a[i] <- b + c": "a[i <- (b + c)]",
    "x + a[i] <- b ? c : d": "(x + a[i <- (b ? c : d)])",
    "-a[i] <- b ** c": "(-a[i <- (b ** c)])",
    "a[i] <- b[j] <- c": "a[i <- b[j <- c]]",
    # what binds tightest
    "-a[i]": "(-a[i])",
    "a.b[i](c)": None,
    "a[i][j]": "a[i][j]",
    "f(x) ** g(y)": "(f(x) ** g(y))",
    "real(x) * y": "(real(x) * y)",
    "(a + b) * c": "((a + b) * c)",
    "|i + 1| - 1": "(|(i + 1)| - 1)",
    "a < b": "(a < b)",
    "a < b > (c)": None,  # generic arguments: a<b>(c)
}


def parenthesised(text: str) -> str | None:
    """The expression with parentheses around everything that an operator makes; None if it is not one expression."""
    parsed = parse(f"operator f {{ @using {{ z = {text}; }} }}")
    if parsed.problems:
        return None
    entry = parsed.document.items[0].blocks[0].entries[0]
    value = entry.statement.value
    return shown(value)


def shown(node: nodes.Node | None) -> str:
    match node:
        case nodes.Binary():
            return f"({shown(node.left)} {node.operator.text} {shown(node.right)})"
        case nodes.Fold():
            return f"({shown(node.operand)} {node.operator.text} {'...' if node.cumulative else '..'})"
        case nodes.Unary():
            return f"({node.operator.text}{shown(node.operand)})"
        case nodes.Select(alternative=None):
            return f"({shown(node.condition)} ? {shown(node.consequent)})"
        case nodes.Select():
            return f"({shown(node.condition)} ? {shown(node.consequent)} : {shown(node.alternative)})"
        case nodes.Coalesce():
            return f"({shown(node.value)} ?? {shown(node.fallback)})"
        case nodes.Substitution():
            return f"{shown(node.target)}[{', '.join(map(shown, node.index.items))} <- {shown(node.value)}]"
        case nodes.Subscript():
            return f"{shown(node.target)}[{', '.join(map(shown, node.index.items))}]"
        case nodes.Parenthesized():
            return shown(node.inner)
        case nodes.Qualified():
            return node.text
        case nodes.Literal():
            return str(node.value)
        case nodes.Call():
            generics = f"<{', '.join(item.text for item in node.generics.items)}>" if node.generics else ""
            return f"{node.function.text}{generics}({', '.join(map(shown, node.arguments))})"
        case nodes.Cast():
            return f"{node.type.text}({shown(node.value)})"
        case nodes.Bounded():
            return f"|{shown(node.value)}|"
        case nodes.List():
            return f"[{', '.join(map(shown, node.items))}]"
        case nodes.Expanded():
            return f"{shown(node.item)} ..({shown(node.expansion.length)})"
    raise AssertionError(node)


@pytest.mark.parametrize("first", LEVEL)
def test_pairs(first: str) -> None:
    for second in LEVEL:
        _demand_pair(first, second)


def _demand_pair(first: str, second: str) -> None:
    expected = f"((a {first} b) {second} c)" if LEVEL[first] >= LEVEL[second] else f"(a {first} (b {second} c))"
    assert parenthesised(f"a {first} b {second} c") == expected


@pytest.mark.parametrize("operator", LEVEL)
def test_folds(operator: str) -> None:
    for fold in FOLDS:
        _demand_fold(operator, fold)


def _demand_fold(operator: str, fold: str) -> None:
    level = LEVEL.get(fold, LEVEL["=="])
    left = f"((a {operator} p) {fold} ..)" if LEVEL[operator] >= level else f"(a {operator} (p {fold} ..))"
    assert parenthesised(f"a {operator} p {fold} ..") == left
    right = f"((p {fold} ..) {operator} a)"
    assert parenthesised(f"p {fold} .. {operator} a") == right


@pytest.mark.parametrize("operator", LEVEL)
def test_signs_bind_tighter_than_all_but_powers(operator: str) -> None:
    expected = "(-(a ** b))" if operator == "**" else f"((-a) {operator} b)"
    assert parenthesised(f"-a {operator} b") == expected


@pytest.mark.parametrize("text", FORMS)
def test_forms(text: str) -> None:
    expected = FORMS[text]
    if text == "a < b > (c)":
        expected = "a<b>(c)"
    assert parenthesised(text) == expected
