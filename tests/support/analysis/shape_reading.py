"""Printed integers and conditions, read by the parser of the language into the trees of these tests."""

from __future__ import annotations

from generators.shape_trees import PROPOSITIONS, RELATIONS, Tree
from snd_analysis.skriptnd.syntax import nodes
from support.analysis.expression_reading import expression


def read(text: str) -> Tree:
    """Return the tree of an expression of the language."""
    return tree(expression(text))


def tree(node: object) -> Tree:
    match node:
        case nodes.Literal(value=number):
            return ("number", number)
        case nodes.Qualified(text=name):
            return ("proposition" if name in PROPOSITIONS else "variable", name)
        case nodes.Parenthesized(inner=inner):
            return tree(inner)
        case nodes.Unary(operator=operator, operand=operand):
            return ("negate" if operator.text == "-" else operator.text, tree(operand))
        case nodes.Binary(left=left, operator=operator, right=right):
            assert operator.text in (*RELATIONS, "+", "-", "*", "/", "\\", "%", "**", "<?", ">?", "&&", "||")
            return (operator.text, tree(left), tree(right))
        case nodes.Select(condition=condition, consequent=consequent, alternative=alternative):
            return ("?", tree(condition), tree(consequent), tree(alternative))
        case nodes.Call(function=function, arguments=arguments):
            return (function.text, *map(tree, arguments))
    raise AssertionError(type(node).__name__)
