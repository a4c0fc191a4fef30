"""Pieces to nodes, by recursive descent. It never fails: any text has nodes and problems.

The grammar is the union of the text of NNEF 1.0 and tract's notation. Rules about dialects, not the syntax, exclude
parts of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from snd_analysis import rules
from snd_analysis.base import Problem, Rule, Span
from snd_analysis.nnef1.limits import MOST_LEVELS, MOST_OPERATORS
from snd_analysis.nnef1.syntax import nodes

# ---- text to tokens: one compiled pattern, exact spans, and a token for everything invalid ---------------------------
# Every character of any text belongs to a token, a comment or white space.

# ---- text to tokens --------------------------------------------------------------------------------------------------
_TOKEN = re.compile(
    r"""(?P<SPACE>\s+|\#[^\r\n]*)
    |(?P<EXTENDED>i(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'))
    |(?P<NAME>[A-Za-z_]\w*)
    |(?P<NUMBER>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?(?![\w.]))
    |(?P<MALFORMED>\.?\d[\w.]*(?:(?<=[eE])[+-]\w*)?)
    |(?P<STRING>"(?:[^"\\\r\n]|\\[^\r\n])*"|'(?:[^'\\\r\n]|\\[^\r\n])*')
    |(?P<UNCLOSED>["'][^\r\n;]*)
    |(?P<SIGN>->|<=|>=|==|!=|&&|\|\||[-+*/^<>!=(){}\[\],;:?])
    |(?P<OTHER>\w+|.)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


class Nnef1Token(NamedTuple):
    """A word, number, string or sign at a span of the text. The kind of a sign is the sign itself."""

    kind: str
    start: int
    end: int
    text: str


END = "end"
"""The kind of the token after the last one."""


def tokenize(text: str) -> list[Nnef1Token]:
    """Return the tokens of a text without comments, followed by one of the kind ``END``."""
    found = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "SPACE":
            continue
        spelled = match[0]
        assert kind is not None
        found.append(Nnef1Token(spelled if kind == "SIGN" else kind, match.start(), match.end(), spelled))
    found.append(Nnef1Token(END, len(text), len(text), ""))
    return found


def string_value(spelled: str) -> str:
    """Return the value of a string literal."""
    inner = spelled[1:-1]
    return _ESCAPE.sub(r"\1", inner) if "\\" in inner else inner


# ---- pieces to nodes, by recursive descent ---------------------------------------------------------------------------
KEYWORDS = frozenset(
    [
        "version", "extension", "graph", "fragment", "tensor", "integer", "scalar", "logical", "string", "shape_of",
        "length_of", "range_of", "for", "in", "yield", "if", "else",
    ]
)  # fmt: skip
TYPES = frozenset(["integer", "scalar", "logical", "string"])
BUILT_INS = frozenset(["integer", "scalar", "logical", "string", "shape_of", "length_of", "range_of"])
_OPERATORS = (["in"], ["&&", "||"], ["<", ">", "<=", ">=", "==", "!="], ["+", "-"], ["*", "/"], ["^"])
_LEVELS = {operator: level for level, operators in enumerate(_OPERATORS) for operator in operators}
"""Precedence of binary operators; greater binds tighter."""
_PAIRS = {"(": ")", "[": "]", "<": ">"}
_BEHIND_NAMES = frozenset([END, "=", ",", ")", "]"])
"""Tokens that follow a name, and never a keyword of a comprehension or an ``if``."""
_WORDS = frozenset(["NAME", "NUMBER", "MALFORMED"])
_T = TypeVar("_T")


class _Unreadable(Exception):  # noqa: N818 - it ends the reading of a statement
    """The text does not follow the grammar; it is reported."""


class Parser:
    """The parser of one piece. Spans count from its start."""

    def __init__(self, text: str) -> None:
        self.problems: list[Problem] = []
        self._text = text
        self._tokens = tokenize(text)
        self._at = 0
        self._depth = 0

    # ---- items -------------------------------------------------------------------------------------------------------
    def item(self) -> nodes.Version | nodes.Extension | nodes.ErrorItem | nodes.Head:
        """Read a version, an extension, or a fragment that is only declared."""
        try:
            match self._next.text:
                case "version":
                    return self._version()
                case "extension":
                    return self._extension()
                case "fragment" | "graph":
                    return self.head()
            raise self._error("expected 'version', 'extension', 'fragment' or 'graph'")
        except _Unreadable:
            return nodes.ErrorItem(0, len(self._text))

    def _version(self) -> nodes.Version:
        self._take()
        number = self._expect("NUMBER", "the version as a number, such as '1.0'")
        self._expect_end()
        return nodes.Version(0, number.end, number.text)

    def _extension(self) -> nodes.Extension:
        self._take()
        name = self._name("the name of an extension")
        rest = self._text[name.end :]
        at = name.end + len(rest) - len(rest.lstrip())
        return nodes.Extension(0, len(self._text), name, rest.strip(), at)

    def head(self) -> nodes.Head | nodes.ErrorItem:
        """Read the head of a definition."""
        name = None
        try:
            kind = self._take()
            if kind.text not in ("fragment", "graph"):
                raise self._error("expected 'fragment' or 'graph' before a body in braces", kind)
            name = self._name(f"the name of the {kind.text}")
            generic = self._generic() if self._next.kind == "<" else None
            parameters = self._listed("(", lambda: self._parameter(kind.text))
            self._expect("->", "'->' before the results")
            results = self._listed("(", lambda: self._result(kind.text))
            self._expect_end("'{'" if kind.text == "graph" else "'{' or ';'")
            return nodes.Head(0, self._behind, kind.text, name, generic, tuple(parameters), tuple(results))
        except _Unreadable:
            return nodes.ErrorItem(0, len(self._text), None if name is None else name.text)

    def _generic(self) -> nodes.Generic:
        start = self._take().start
        self._expect("?", "'?'")
        default = None
        if self._accept("="):
            default = self._primitive()
        self._expect(">", "'>'")
        return nodes.Generic(start, self._behind, default)

    def _parameter(self, kind: str) -> nodes.Parameter:
        name = self._name("the name of a parameter")
        type_ = self._declared_type(kind, name)
        default = self._expression() if type_ is not None and self._accept("=") else None
        return nodes.Parameter(name.start, self._behind, name, type_, default)

    def _result(self, kind: str) -> nodes.Result:
        name = self._name("the name of a result")
        type_ = self._declared_type(kind, name)
        return nodes.Result(name.start, self._behind, name, type_)

    def _declared_type(self, kind: str, name: nodes.Identifier) -> nodes.Type | None:
        if kind == "graph":
            return None
        if not self._accept(":"):
            raise self._error(f"expected ':' and the type of '{name.text}'")
        return self._type()

    # ---- quantization ------------------------------------------------------------------------------------------------
    def quantization(self) -> nodes.Quantization | None:
        """Read a line of a ``graph.quant`` file; None if it can't be read."""
        try:
            token = self._next
            if token.kind not in ("STRING", "EXTENDED"):
                raise self._error("expected the name of a tensor in quotes")
            self._take()
            extended = token.kind == "EXTENDED"
            tensor = _identifier(token) if extended else nodes.String(token.start, token.end, string_value(token.text))
            self._expect(":", "':' and the operation that quantizes the tensor")
            operation = self._primary()
            if not isinstance(operation, nodes.Call):
                place = Nnef1Token("", operation.start, operation.end, "")
                message = "expected an operation, such as 'linear_quantize(min = 0.0, max = 1.0, bits = 8)'"
                raise self._reported(rules.SYNTAX_ERROR, place, message)
            self._expect_end()
        except _Unreadable:
            return None
        return nodes.Quantization(token.start, operation.end, tensor, operation)

    # ---- types -------------------------------------------------------------------------------------------------------
    def _type(self) -> nodes.Type:
        with_depth = self._deeper()
        start = self._next.start
        if self._next.kind == "(":
            items = self._listed("(", self._type)
            found: nodes.Type = nodes.TupleType(start, self._behind, tuple(items))
        elif self._next.text == "tensor":
            self._take()
            self._expect("<", "'<' and the type of the items")
            item = None if self._next.kind == ">" else self._primitive()
            self._expect(">", "'>'")
            found = nodes.TensorType(start, self._behind, item)
        else:
            found = self._primitive()
        while self._next.kind == "[":
            self._take()
            self._expect("]", "']'")
            found = nodes.ArrayType(start, self._behind, found)
        self._depth = with_depth
        return found

    def _primitive(self) -> nodes.PrimitiveType:
        token = self._next
        if token.kind == "?" or token.text in TYPES:
            self._take()
            return nodes.PrimitiveType(token.start, token.end, token.text)
        raise self._error("expected a type: 'integer', 'scalar', 'logical', 'string' or 'tensor<…>'")

    # ---- statements --------------------------------------------------------------------------------------------------
    def statements(self) -> tuple[nodes.Statement, ...]:
        """Read the statements of a piece: one, unless a semicolon is missing."""
        found: list[nodes.Statement] = []
        while self._next.kind != END:
            first, start = self._at, self._next.start
            try:
                assignment = self._assignment()
                if self._next.kind != END and not self._is_word_too_many():
                    self._missing_semicolon()
                found.append(assignment)
                if self._is_word_too_many():
                    self._error("expected ';'")
                    word = self._take()
                    found.append(nodes.ErrorStatement(word.start, word.end, ()))
            except _Unreadable:
                found.append(self._broken(first, start))
        return tuple(found)

    def _is_word_too_many(self) -> bool:
        """Return whether one word is left behind a closing bracket. The assigned names stay known during typing.

        Behind a name, the word may be an operand whose operator is missing, and the value longer than the parsed part.
        """
        last, word, *rest = self._tokens[self._at - 1 : self._at + 2]
        return last.kind in (")", "]") and word.kind in _WORDS and rest[0].kind == END

    def _assignment(self) -> nodes.Assignment:
        start = self._next.start
        target = self._target()
        self._expect("=", "'='")
        value = self._expression()
        if self._next.kind == ",":
            message = "the items of a tuple stand in parentheses here, as in '(a, b)'"
            raise self._reported(rules.SYNTAX_ERROR, self._next, message)
        return nodes.Assignment(start, self._behind, target, value)

    def _target(self) -> nodes.Expression:
        start = self._next.start
        items = [self._postfix()]
        while self._accept(","):
            items.append(self._postfix())
        return items[0] if len(items) == 1 else nodes.Tuple(start, self._behind, tuple(items))

    def _missing_semicolon(self) -> None:
        """Report a missing semicolon if the next tokens begin a statement on a line of its own; raise otherwise."""
        if not self._begins_statement(self._at):
            raise self._error("expected ';'")
        span = Span(self._behind, self._behind)
        self.problems.append(Problem(rules.SYNTAX_ERROR, span, "expected ';' at the end of the statement"))

    def _begins_statement(self, at: int) -> bool:
        """Return whether a line begins with ``name =`` or ``name, name = ``, in brackets or not."""
        token = self._tokens[at]
        line = self._text[self._tokens[at - 1].end : token.start] if at else "\n"
        if "\n" not in line and "\r" not in line:
            return False
        kinds = [each.kind for each in self._tokens[at : at + 40]]
        while kinds and kinds[0] in ("(", "[", "NAME", "EXTENDED", ",", ")", "]"):
            kinds.pop(0)
        return token.kind in ("(", "[", "NAME", "EXTENDED") and kinds[:1] == ["="]

    def _broken(self, first: int, start: int) -> nodes.ErrorStatement:
        """Return the unparsable text, up to the start of another statement."""
        self._depth = 0
        self._at = max(self._at, first + 1)
        while self._next.kind != END and not self._begins_statement(self._at):
            self._at += 1
        self._at = min(self._at, len(self._tokens) - 1)
        return nodes.ErrorStatement(start, self._behind, self._assigned(first))

    def _assigned(self, first: int) -> tuple[nodes.Identifier, ...]:
        """Return the names before the ``=`` of a broken statement; its first name if there is no ``=``."""
        names: list[nodes.Identifier] = []
        for token in self._tokens[first : self._at]:
            if token.kind in ("NAME", "EXTENDED"):
                names.append(_identifier(token))
            elif token.kind not in ("(", "[", ",", "]", ")"):
                return tuple(names if token.kind == "=" else names[:1])
        return tuple(names[:1])

    # ---- expressions -------------------------------------------------------------------------------------------------
    def expression(self) -> nodes.Expression:
        """Read a whole piece as one expression."""
        try:
            found = self._expression()
            self._expect_end()
        except _Unreadable:
            return nodes.ErrorExpression(0, len(self._text))
        return found

    def _expression(self) -> nodes.Expression:
        before = self._deeper()
        start = self._next.start
        value = self._binary(0)
        if self._next.text == "if":
            self._take()
            condition = self._binary(0)
            if self._next.text != "else":
                raise self._error("expected 'else'")
            self._take()
            value = nodes.Select(start, 0, value, condition, self._expression())
            value = nodes.Select(start, self._behind, value.value, value.condition, value.alternative)
        self._depth = before
        return value

    def _binary(self, least: int) -> nodes.Expression:
        """Parse an expression whose operators have at least the precedence ``least``."""
        start = self._next.start
        left = self._unary()
        operators = 0
        while (level := self._level()) >= least:
            operators = self._one_more(operators)
            operator = self._take().text
            right = self._binary(level + 1)
            left = nodes.Binary(start, self._behind, left, operator, right)
        return left

    def _level(self) -> int:
        """Return the precedence of the current token; -1 if it is no binary operator."""
        token = self._next
        return _LEVELS.get(token.text, -1) if token.kind in (token.text, "NAME") else -1

    def _unary(self) -> nodes.Expression:
        if self._next.kind in ("-", "+", "!"):
            before = self._deeper()
            operator = self._take()
            operand = self._unary()
            self._depth = before
            return nodes.Unary(operator.start, self._behind, operator.text, operand)
        return self._postfix()

    def _postfix(self) -> nodes.Expression:
        start = self._next.start
        found = self._primary()
        operators = 0
        while self._next.kind == "[":
            operators = self._one_more(operators)
            bracket = self._take()
            index = self._index()
            self._close(bracket)
            found = nodes.Subscript(start, self._behind, found, index)
        return found

    def _index(self) -> nodes.Expression | nodes.Range:
        start = self._next.start
        first = None if self._next.kind == ":" else self._expression()
        if not self._accept(":"):
            assert first is not None
            return first
        last = None if self._next.kind == "]" else self._expression()
        return nodes.Range(start, self._behind, first, last)

    def _primary(self) -> nodes.Expression:
        token = self._next
        match token.kind:
            case "NUMBER":
                self._take()
                return nodes.Number(token.start, token.end, token.text)
            case "STRING":
                self._take()
                self._demand_ascii(token)
                return nodes.String(token.start, token.end, string_value(token.text))
            case "[":
                return self._array()
            case "(":
                items = self._listed("(", self._expression)
                if len(items) == 1:
                    return items[0]
                return nodes.Tuple(token.start, self._behind, tuple(items))
            case "NAME" if token.text in ("true", "false"):
                self._take()
                return nodes.Logical(token.start, token.end, token.text == "true")
            case "NAME" | "EXTENDED" if token.text not in ("for", "in", "yield", "if", "else"):
                return self._named()
            case "NAME" if self._tokens[self._at + 1].kind in _BEHIND_NAMES:
                self._keyword_as_name(token)
                return _identifier(self._take())
        raise self._error("expected an expression")

    def _named(self) -> nodes.Expression:
        token = self._take()
        name = _identifier(token)
        generic = None
        if self._next.kind == "<" and self._is_generic():
            self._take()
            generic = self._primitive()
            self._expect(">", "'>'")
        if self._next.kind != "(":
            if generic is not None:
                raise self._error(f"expected the arguments of '{name.text}' in parentheses")
            if token.kind == "NAME" and token.text in KEYWORDS:
                self._keyword_as_name(token)
            return name
        arguments = self._listed("(", self._argument)
        return nodes.Call(token.start, self._behind, name, generic, tuple(arguments))

    def _is_generic(self) -> bool:
        following = self._tokens[self._at + 1 : self._at + 4]
        inner = following[0].kind == "?" or following[0].text in TYPES
        return inner and [each.kind for each in following[1:]] == [">", "("]

    def _argument(self) -> nodes.Argument:
        start = self._next.start
        name = None
        if self._next.kind in ("NAME", "EXTENDED") and self._tokens[self._at + 1].kind == "=":
            name = _identifier(self._take())
            self._take()
        value = self._expression()
        return nodes.Argument(start, self._behind, name, value)

    def _array(self) -> nodes.Expression:
        bracket = self._next
        if self._tokens[self._at + 1].text == "for":
            return self._comprehension()
        items = self._listed("[", self._expression)
        return nodes.Array(bracket.start, self._behind, tuple(items))

    def _comprehension(self) -> nodes.Comprehension:
        bracket = self._take()
        self._take()
        iterators = [self._iterator()]
        while self._accept(","):
            iterators.append(self._iterator())
        condition = None
        if self._next.text == "if":
            self._take()
            condition = self._expression()
        if self._next.text != "yield":
            raise self._error("expected 'yield' and the items of the array")
        self._take()
        item = self._expression()
        self._close(bracket)
        return nodes.Comprehension(bracket.start, self._behind, tuple(iterators), condition, item)

    def _iterator(self) -> nodes.Iterator:
        start = self._next.start
        target = self._postfix()
        if self._next.text != "in":
            raise self._error("expected 'in' and an array")
        self._take()
        source = self._binary(1)
        return nodes.Iterator(start, self._behind, target, source)

    # ---- tokens ------------------------------------------------------------------------------------------------------
    @property
    def _next(self) -> Nnef1Token:
        return self._tokens[self._at]

    @property
    def _behind(self) -> int:
        """Return the end offset of the last consumed token."""
        return self._tokens[self._at - 1].end if self._at else 0

    def _take(self) -> Nnef1Token:
        token = self._next
        if token.kind != END:
            self._at += 1
        return token

    def _accept(self, kind: str) -> bool:
        if self._next.kind != kind:
            return False
        self._take()
        return True

    def _expect(self, kind: str, what: str) -> Nnef1Token:
        if self._next.kind != kind:
            raise self._error(f"expected {what}")
        return self._take()

    def _expect_end(self, what: str = "';'") -> None:
        if self._next.kind != END:
            raise self._error(f"expected {what}")

    def _name(self, what: str) -> nodes.Identifier:
        token = self._next
        if token.kind not in ("NAME", "EXTENDED"):
            raise self._error(f"expected {what}")
        if token.text in KEYWORDS:
            self._keyword_as_name(token)
        return _identifier(self._take())

    def _keyword_as_name(self, token: Nnef1Token) -> None:
        message = f"'{token.text}' is a keyword and can't be a name"
        self.problems.append(Problem(rules.KEYWORD_AS_NAME, Span(token.start, token.end), message))

    def _demand_ascii(self, token: Nnef1Token) -> None:
        for at, character in enumerate(token.text):
            if not " " <= character <= "~":
                place = Span(token.start + at, token.start + at + 1)
                message = f"strings hold printable ASCII characters, not '{character}'"
                self.problems.append(Problem(rules.ILLEGAL_CHARACTER, place, message))
                return

    def _listed(self, opening: str, item: Callable[[], _T]) -> list[_T]:
        bracket = self._expect(opening, f"'{opening}'")
        found: list[_T] = []
        if self._next.kind != _PAIRS[opening]:
            found.append(item())
            while self._accept(","):
                found.append(item())
        self._close(bracket)
        return found

    def _close(self, bracket: Nnef1Token) -> None:
        closing = _PAIRS[bracket.kind]
        if self._accept(closing):
            return
        if self._next.kind == END or self._begins_statement(self._at):
            message = f"this '{bracket.kind}' is never closed"
            raise self._reported(rules.UNCLOSED_BRACKET, bracket, message)
        raise self._error(f"expected ',' or '{closing}'")

    def _deeper(self) -> int:
        """Count one more level of nesting; return how many there were."""
        before = self._depth
        self._depth += 1
        if self._depth > MOST_LEVELS:
            message = f"expressions are nested in more than {MOST_LEVELS} levels here: more than snd can handle"
            raise self._reported(rules.NESTING_TOO_DEEP, self._next, message)
        return before

    def _one_more(self, operators: int) -> int:
        """Return the number of consecutive operators, including the current one."""
        if operators == MOST_OPERATORS:
            message = f"there are more than {MOST_OPERATORS} operators in a row here: more than snd can handle"
            raise self._reported(rules.NESTING_TOO_DEEP, self._next, message)
        return operators + 1

    def _error(self, expected: str, token: Nnef1Token | None = None) -> _Unreadable:
        token = token or self._next
        match token.kind:
            case "MALFORMED":
                message = f"'{token.text}' is no number: digits stand before the point, as in '0.5' or '1.0e-3'"
                return self._reported(rules.MALFORMED_NUMBER, token, message)
            case "UNCLOSED":
                return self._reported(rules.UNCLOSED_STRING, token, "this string is never closed")
            case "OTHER":
                message = f"'{token.text}' does not occur in NNEF 1.0 outside of strings and comments"
                return self._reported(rules.ILLEGAL_CHARACTER, token, message)
            case "end":
                here = Nnef1Token(END, self._behind, self._behind, "")
                return self._reported(rules.SYNTAX_ERROR, here, f"{expected}, but the statement ends here")
        return self._reported(rules.SYNTAX_ERROR, token, f"{expected}, but found '{token.text}'")

    def _reported(self, rule: Rule, token: Nnef1Token, message: str) -> _Unreadable:
        self.problems.append(Problem(rule, Span(token.start, token.end), message))
        return _Unreadable()


def _identifier(token: Nnef1Token) -> nodes.Identifier:
    if token.kind == "EXTENDED":
        return nodes.Identifier(token.start, token.end, string_value(token.text[1:]), True)
    return nodes.Identifier(token.start, token.end, token.text)
