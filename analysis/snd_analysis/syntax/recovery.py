"""Going on after a syntax error.

First a repair is looked for: a token to insert, delete or replace, brackets to close, a closing brace to take back. One
is accepted only if the tokens behind it then parse, tried on a copy of the states. If none is, the broken statement
becomes an error node up to its ';', its block or its definition. The search is capped, so that a text that is no
SkriptND at all costs no more than a long one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from snd_analysis.source import Edit, Span
from snd_analysis.syntax import expected
from snd_analysis.syntax.problem import Note, Problem, Repair
from snd_analysis.syntax.spelling import close_matches
from snd_analysis.syntax.table import END, Table
from snd_analysis.syntax.tokens import Token, keywords

if TYPE_CHECKING:
    from snd_analysis.syntax.parser import Run

_LOOKAHEAD = 6
_MOST_IN_A_ROW = 3
NEAR = 8
"""Errors at most so many tokens apart are judged together."""
_CLOSERS = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE", "LGENERIC": "GT"}
_SYMBOLS = {
    "LPAR": "(",
    "RPAR": ")",
    "LSQB": "[",
    "RSQB": "]",
    "LBRACE": "{",
    "RBRACE": "}",
    "LGENERIC": "<",
    "GT": ">",
}
_BLOCKS = (
    "dtype", "attrib", "input", "output", "constant", "variable", "using", "assert", "lower", "compose", "update",
    "quantize",
)  # fmt: skip
_BLOCK_KINDS = {
    "dtype": "B_DTYPE", "using": "B_USING", "assert": "B_ASSERT", "lower": "B_LOWER", "quantize": "B_QUANTIZE",
    "compose": "B_COMPOSE", "update": "B_COMPOSE",
}  # fmt: skip
_DEFINITION_STARTS = frozenset({"PUBLIC", "OPERATOR", "GRAPH", "IMPORT"})
# What people write for something else: these replacements are tried first, and named in the message.
_CONFUSED = {
    "EQ": ("ASSIGN",), "ASSIGN": ("EQ", "COLON"), "COLON": ("ASSIGN", "SEMI"), "COMMA": ("SEMI",), "SEMI": ("COMMA", "COLON"),
    "DOT": ("COMMA", "DOTS"), "ELLIPSIS": ("DOTS",), "DOTS": ("ELLIPSIS",), "MAKE": ("ASSIGN",),
    "RPAR": ("RSQB", "RBRACE"), "RSQB": ("RPAR", "RBRACE"), "LPAR": ("LBRACE", "LSQB"), "LBRACE": ("LPAR",),
    "IMPLIES": ("ARROW", "GE"), "ARROW": ("IMPLIES",), "BAR": ("OR",),
}  # fmt: skip
_INSERTED = ("SEMI", "COMMA", "RPAR", "RSQB", "RBRACE", "ASSIGN", "COLON", "LBRACE", "DO", "THEN", "LPAR", "GT", "ID")


@dataclass(slots=True)
class Stacks:
    """What the automaton has read and not yet reduced: one state more than values."""

    states: list[int]
    values: list[Any]
    starts: list[int]

    def remember(self) -> Remembered:
        """How the stacks are now. Lists on them may grow later, so their lengths are part of it."""
        lengths = tuple(len(value) if isinstance(value, list) else -1 for value in self.values)
        return Remembered(Stacks(self.states.copy(), self.values.copy(), self.starts.copy()), lengths)

    def push(self, state: int, value: Any, start: int) -> None:
        self.states.append(state)
        self.values.append(value)
        self.starts.append(start)

    def pop(self, count: int) -> None:
        del self.states[-count:], self.values[-count:], self.starts[-count:]


@dataclass(frozen=True, slots=True)
class Remembered:
    """The stacks at an earlier point, to go back to."""

    stacks: Stacks
    lengths: tuple[int, ...]

    def restore(self) -> Stacks:
        """The stacks as they were."""
        for value, length in zip(self.stacks.values, self.lengths, strict=True):
            if length >= 0:
                del value[length:]
        return self.stacks


def run_states(table: Table, states: list[int], kinds: Sequence[str]) -> int:
    """How many of ``kinds`` the automaton could take in turn; ``states`` is left as the last of them left it."""
    for taken, kind in enumerate(kinds):
        while True:
            state = states[-1]
            default = table.defaults[state]
            action = 2 * default + 1 if default >= 0 else table.actions[state].get(kind)
            if action is None:
                accepted = kind == END and state in table.ends.values()
                return len(kinds) if accepted else taken
            if not action & 1:
                states.append(action >> 1)
                break
            production = table.productions[action >> 1]
            if production.length:
                del states[-production.length :]
            states.append(table.gotos[states[-1]][production.origin])
    return len(kinds)


class Recovery:
    """Brings a run past its error, and reports it."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._in_a_row = 0
        self._last_at = -NEAR

    def recover(self) -> None:
        """Changes the state of the run so that it can go on; always makes progress."""
        run = self._run
        if run.too_deep:
            self._report("nesting-too-deep", _span(run.token()), "brackets or operators nest too deeply here")
            return self._panic()
        if self._may_repair() and self._repair():
            return None
        return self._panic_reported()

    def _may_repair(self) -> bool:
        """Errors that follow one another closely are no slips: from the fourth on, nothing is guessed."""
        at = self._run.at
        self._in_a_row = self._in_a_row + 1 if at - self._last_at <= NEAR else 1
        self._last_at = at
        return self._in_a_row <= _MOST_IN_A_ROW

    # ---- repairs -----------------------------------------------------------------------------------------------------
    def _repair(self) -> bool:
        run = self._run
        token = run.token()
        return (
            self._keyword_as_name(token)
            or self._misspelt(token)
            or self._confused(token)
            or self._insert_one(token)
            or self._take_back_brace(token)
            or self._close_brackets(token)
            or self._delete(token)
        )

    def _parses(self, kinds: Sequence[str], skipped: int, states: list[int] | None = None) -> bool:
        """Whether ``kinds`` and then the tokens of the text behind the next ``skipped`` would parse."""
        run = self._run
        following = [run.token(offset).kind for offset in range(skipped, skipped + _LOOKAHEAD)]
        if END in following:
            following = following[: following.index(END) + 1]
        wanted = [*kinds, *following]
        return run_states(run.table, (states or run.stacks.states).copy(), wanted) == len(wanted)

    def _take(self, token: Token, kind: str, spelling: str | None = None) -> None:
        """Goes on as if the next token were of another kind."""
        self._run.shift_default(kind, token.start, token.end, spelling)
        self._run.at += 1

    def _keyword_as_name(self, token: Token) -> bool:
        word = self._word(token)
        if word not in keywords() or token.kind == "ID" or not self._parses(["ID"], 1):
            return False
        self._report("keyword-as-name", _span(token), f"'{word}' is a keyword and can't be used as a name")
        self._take(token, "ID", word)
        return True

    def _misspelt(self, token: Token) -> bool:
        word = self._word(token)
        if token.kind == "B_UNKNOWN":
            for name in (*close_matches(word[1:], _BLOCKS), *_BLOCKS):
                kind = _BLOCK_KINDS.get(name, "B_PARAM")
                if self._parses([kind], 1):
                    known = name in close_matches(word[1:], _BLOCKS)
                    repair = (
                        Repair(f"write '@{name}'", (Edit(_span(token), "@" + name),), safe=False) if known else None
                    )
                    hint = f"; did you mean '@{name}'?" if known else ""
                    self._report("syntax-error", _span(token), f"there is no block '{word}'{hint}", repair=repair)
                    if not known:
                        return False
                    self._take(token, kind, "@" + name)
                    return True
            return False
        if token.kind != "ID":
            return False
        words = keywords()
        for name in close_matches(word, [key for key, kind in words.items() if kind != "TYPE"]):
            if self._parses([words[name]], 1):
                repair = Repair(f"write '{name}'", (Edit(_span(token), name),), safe=False)
                self._report(
                    "syntax-error", _span(token), f"'{word}' can't stand here; did you mean '{name}'?", repair=repair
                )
                self._take(token, words[name])
                return True
        return False

    def _confused(self, token: Token) -> bool:
        for kind in _CONFUSED.get(token.kind, ()):
            if self._parses([kind], 1):
                wanted = self._run.table.literals[kind]
                repair = Repair(f"write '{wanted}'", (Edit(_span(token), wanted),), safe=False)
                self._report(
                    "syntax-error", _span(token), self._found_expected(token, f"'{wanted}'"), self._context(), repair
                )
                self._take(token, kind)
                return True
        return False

    def _insert_one(self, token: Token) -> bool:
        run = self._run
        opened = self._open_brackets()
        place = run.last_end
        for kind in _INSERTED:
            if kind in ("RPAR", "RSQB", "RBRACE") and (not opened or _CLOSERS[opened[-1].kind] != kind):
                continue
            if not self._parses([kind], 0):
                continue
            if opened and _CLOSERS[opened[-1].kind] == kind:
                self._report_unclosed([opened[-1]], token)
            else:
                self._report_missing(kind, token, place)
            run.shift_default(kind, place, place)
            return True
        return False

    def _report_missing(self, kind: str, token: Token, place: int) -> None:
        if kind == "ID":
            self._report("syntax-error", _span(token), self._found_expected(token), self._context())
            return
        symbol = self._run.table.literals[kind]
        message = self._found_expected(token, f"'{symbol}'")
        repair = Repair(f"insert '{symbol}'", (Edit(Span(place, place), symbol),), safe=kind == "SEMI")
        span = Span(place, place) if kind == "SEMI" else _span(token)
        self._report("syntax-error", span, message, self._context(), repair)

    def _take_back_brace(self, token: Token) -> bool:
        """A closing brace right before the error may have been one too many."""
        if self._run.before_brace is None:
            return False
        remembered, brace, base = self._run.before_brace
        at_line_start = brace.start == 0 or self._run.text[brace.start - 1] in "\r\n"
        if (at_line_start and token.kind in _DEFINITION_STARTS) or not self._parses([], 0, remembered.stacks.states):
            return False
        run = self._run
        found = self._found(token)
        repair = Repair("remove '}'", (Edit(_span(brace), ""),), safe=False)
        self._report("syntax-error", _span(brace), f"there is a '}}' too many here: {found} follows", repair=repair)
        run.stacks = remembered.restore()
        run.builder.base = base
        run.before_brace = None
        return True

    def _close_brackets(self, token: Token) -> bool:
        """Closes up to four brackets, the innermost first, and ends the statement if need be."""
        run = self._run
        opened = self._open_brackets()
        for count in range(1, min(4, len(opened)) + 1):
            closed = opened[-count:][::-1]
            kinds = [_CLOSERS[bracket.kind] for bracket in closed]
            for wanted in _with_semicolons(closed, kinds):
                if self._parses(wanted, 0):
                    self._report_unclosed(closed, token)
                    for kind in wanted:
                        run.shift_default(kind, run.last_end, run.last_end)
                    return True
        return False

    def _delete(self, token: Token) -> bool:
        if token.kind == END or not self._parses([], 1):
            return False
        repair = Repair(f"remove {self._found(token)}", (Edit(_span(token), ""),), safe=False)
        self._report("syntax-error", _span(token), self._found_expected(token), self._context(), repair)
        self._run.at += 1
        self._run.last_end = max(self._run.last_end, token.end)
        return True

    def _open_brackets(self) -> list[Token]:
        return [value for value in self._run.stacks.values if isinstance(value, Token) and value.kind in _CLOSERS]

    # ---- panic -------------------------------------------------------------------------------------------------------
    def _panic_reported(self) -> None:
        token = self._run.token()
        opened = self._open_brackets()
        if opened and (token.kind == END or token.kind in _DEFINITION_STARTS):
            self._report_unclosed(opened[::-1], token)
        elif (
            token.kind != "B_UNKNOWN"
            or not self._run.builder.problems
            or self._run.builder.problems[-1].span != _span(token)
        ):
            self._report("syntax-error", _span(token), self._found_expected(token), self._context())
        self._panic()

    def _panic(self) -> None:
        """Makes an error node of the broken statement (or block, or item) and goes on behind it."""
        run = self._run
        table, stacks = run.table, run.stacks
        start = run.token().start
        while "ERROR" not in table.actions[stacks.states[-1]] and len(stacks.states) > 1:
            start = min(start, stacks.starts[-1])
            stacks.pop(1)
        skipped = self._skip(stacks.states[-1])
        if skipped or start < run.token().start or run.token().kind == END:
            end = max(run.last_end, start)
            if end > start:
                run.shift_default("ERROR", start, end)
                return
        self._force(run.token())

    def _skip(self, state: int) -> bool:
        """Skips to where the construct that ``state`` is in can go on; says whether anything was skipped."""
        run = self._run
        in_document = "RBRACE" not in run.table.actions[state]
        depth, first = 0, run.at
        while (token := run.token()).kind != END:
            line_start = self._begins_line(token)
            if (
                token.kind in _DEFINITION_STARTS
                and (line_start or depth == 0)
                and token.kind != "PUBLIC"
                or token.kind == "PUBLIC"
            ):
                break
            if in_document:
                pass
            elif token.kind.startswith("B_") and (line_start or depth == 0):
                break
            elif token.kind == "RBRACE" and (depth == 0 or self._column_zero(token)):
                break
            elif token.kind == "SEMI" and depth == 0:
                run.at += 1
                run.last_end = token.end
                break
            elif token.kind in ("LBRACE", "RBRACE"):
                depth += 1 if token.kind == "LBRACE" else -1
            run.at += 1
            run.last_end = token.end
            if in_document and token.kind == "SEMI":
                break
        return run.at > first

    def _force(self, token: Token) -> None:
        """The next token can't be skipped and can't be taken: close what is open, or leave the token out."""
        run = self._run
        state = run.stacks.states[-1]
        if "RBRACE" in run.table.actions[state] and token.kind != "RBRACE":
            run.shift_default("RBRACE", run.last_end, run.last_end)
            return
        run.shift_default("ERROR", token.start, token.end)
        run.at += 1

    def _begins_line(self, token: Token) -> bool:
        before = self._run.text[: token.start] if token.start < 200 else self._run.text[token.start - 200 : token.start]
        stripped = before.rstrip(" \t")
        return not stripped or stripped[-1] in "\r\n"

    def _column_zero(self, token: Token) -> bool:
        return token.start == 0 or self._run.text[token.start - 1] in "\r\n"

    # ---- messages ----------------------------------------------------------------------------------------------------
    def _word(self, token: Token) -> str:
        return self._run.text[token.start : token.end]

    def _found(self, token: Token) -> str:
        if token.kind == END:
            return "the end of the text"
        word = self._word(token)
        if token.kind == "STRING":
            return "a string"
        if word in keywords():
            return f"the keyword '{word}'"
        return f"'{word}'" if len(word) <= 40 else f"'{word[:40]}…'"

    def _found_expected(self, token: Token, wanted: str | None = None) -> str:
        wanted = wanted or expected.phrase(self._run.table, self._run.stacks.states)
        return f"expected {wanted}, found {self._found(token)}"

    def _context(self) -> tuple[Note, ...]:
        """Where the innermost construct that is still open began."""
        for value in reversed(self._run.stacks.values):
            if isinstance(value, Token) and value.kind in _SYMBOLS:
                return (Note(_span(value), f"this '{_SYMBOLS[value.kind]}' is still open"),)
            if isinstance(value, Token) and value.kind.startswith("B_"):
                return (Note(_span(value), f"in the block '{self._word(value)}'"),)
        return ()

    def _report_unclosed(self, opened: Sequence[Token], token: Token) -> None:
        """One problem for all brackets that one mistake left open, at the innermost of them."""
        place = self._run.last_end
        symbols = "".join(_SYMBOLS[_CLOSERS[bracket.kind]] for bracket in opened)
        innermost = opened[0]
        where = Span(place, place) if token.kind == END else _span(token)
        notes = (Note(where, f"'{symbols}' is missing before {self._found(token)}"),)
        notes += tuple(Note(_span(bracket), f"this '{_SYMBOLS[bracket.kind]}' is open too") for bracket in opened[1:])
        repair = Repair(f"insert '{symbols}'", (Edit(Span(place, place), symbols),), safe=False)
        message = f"this '{_SYMBOLS[innermost.kind]}' is never closed"
        self._report("unclosed-bracket", _span(innermost), message, notes, repair)

    def _report(
        self, rule: str, span: Span, message: str, notes: tuple[Note, ...] = (), repair: Repair | None = None
    ) -> None:
        self._run.builder.problems.append(Problem(rule, span, message, notes, repair))


def _with_semicolons(closed: Sequence[Token], kinds: list[str]) -> Iterator[list[str]]:
    yield kinds
    yield [*kinds, "SEMI"]
    if kinds[-1] == "RBRACE" and len(kinds) > 1:
        yield [*kinds[:-1], "SEMI", kinds[-1]]
    if kinds == ["RBRACE"]:
        yield ["SEMI", "RBRACE"]
    if kinds == ["RBRACE", "RBRACE"]:
        yield ["SEMI", "RBRACE", "RBRACE"]


def _span(token: Token) -> Span:
    return Span(token.start, token.end)
