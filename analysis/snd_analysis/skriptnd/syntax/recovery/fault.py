"""A place where the automaton can't go on: the token there, the expected terminals, and the open constructs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snd_analysis import rules
from snd_analysis.base import Edit, Note, Problem, Repair, Rule, Span
from snd_analysis.skriptnd.limits import LONGEST_LOOKAHEAD
from snd_analysis.skriptnd.syntax import expected, nodes
from snd_analysis.skriptnd.syntax.automaton import Automaton
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.syntax.table import END, run_states
from snd_analysis.skriptnd.syntax.tokens import Token, begins_line, is_closed_string, keywords

LOOKAHEAD = 6
"""Number of tokens after a repair that must parse."""
_BEHIND_SEMICOLON = 3
_SHORTEST_STATEMENT = 3
_BEFORE_COUNT = 2
CLOSERS = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
SYMBOLS = {"LPAR": "(", "RPAR": ")", "LSQB": "[", "RSQB": "]", "LBRACE": "{", "RBRACE": "}"}
DEFINITION_STARTS = frozenset({"PUBLIC", "OPERATOR", "GRAPH", "IMPORT"})
BLOCK_KINDS = {
    BlockKind.DTYPE: "B_DTYPE",
    BlockKind.ATTRIB: "B_PARAM",
    BlockKind.INPUT: "B_PARAM",
    BlockKind.OUTPUT: "B_PARAM",
    BlockKind.CONSTANT: "B_PARAM",
    BlockKind.VARIABLE: "B_PARAM",
    BlockKind.USING: "B_USING",
    BlockKind.ASSERT: "B_ASSERT",
    BlockKind.LOWER: "B_LOWER",
    BlockKind.COMPOSE: "B_COMPOSE",
    BlockKind.UPDATE: "B_COMPOSE",
    BlockKind.QUANTIZE: "B_QUANTIZE",
}
"""The terminal that begins each block."""
_ASSIGNMENTS = frozenset({"=", ":=", "+=", "*=", "&=", "|=", "<?=", ">?="})
_STATEMENT_WORDS = frozenset({"IF", "WITH", "FOR", "WHILE", "DO", "UNROLL", "YIELD", "IMPORT"})
_DECLARING_WORDS = frozenset({"let", "var", "val", "const", "auto", "def", "tensor", "Tensor", "float", "double"})
"""Words that declare a variable in other languages."""
NOTHING = "the next definition or the end of the file"


def span_of(token: Token) -> Span:
    """Return where a token stands."""
    return Span(token.start, token.end)


class Fault:
    """One error, at the token that the automaton can't take."""

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self.token = automaton.token()
        self.begins_line = begins_line(automaton.text, self.token)

    @property
    def ends_line(self) -> bool:
        """Return whether only comments follow on the line."""
        following = self.automaton.token(1)
        return following.kind == END or begins_line(self.automaton.text, following)

    @property
    def begins_entry(self) -> bool:
        """Return whether an entry of a block begins here."""
        return self.automaton.table.entry_states[self.automaton.stacks.states[-1]]

    @property
    def begins_statement(self) -> bool:
        """Return whether a statement of a composition could begin here."""
        row = self.automaton.table.actions[self.automaton.stacks.states[-1]]
        return "TILDE" in row and "RBRACE" in row and "ERROR" in row

    @property
    def at_document(self) -> bool:
        """Return whether a definition could begin here."""
        return "OPERATOR" in self.automaton.table.actions[self.automaton.stacks.states[-1]]

    @property
    def at_block(self) -> bool:
        """Return whether a block could begin here."""
        return "B_USING" in self.automaton.table.actions[self.automaton.stacks.states[-1]]

    @property
    def block(self) -> str:
        """The terminal that began the innermost block; empty outside of all."""
        tokens = (value for value in reversed(self.automaton.stacks.values) if isinstance(value, Token))
        return next((token.kind for token in tokens if token.kind.startswith("B_")), "")

    @property
    def is_second_shape(self) -> bool:
        """Return whether a bracket follows a type that has its shape, or its '..': ``real[m][n]`` and ``real..[n]``."""
        before = self.automaton.tokens[self.automaton.at - 1].kind if self.automaton.at else ""
        return self.token.kind == "LSQB" and self.block == "B_PARAM" and before in ("RSQB", "DOTS", "RPAR")

    @property
    def is_unnamed_shape(self) -> bool:
        """Return whether a shape has dots without a name before them, as in ``real[..]`` and ``real[...]``."""
        at = self.automaton.at
        before = [each.kind for each in self.automaton.tokens[max(at - 2, 0) : at]]
        if self.block != "B_PARAM" or not before:
            return False
        if self.token.kind == "ELLIPSIS":
            return before[-1] in ("LSQB", "COMMA")
        return self.token.kind in ("RSQB", "COMMA") and before in (["LSQB", "DOTS"], ["COMMA", "DOTS"])

    @property
    def in_iteration(self) -> bool:
        """Return whether the innermost open bracket holds the count of a loop."""
        opened = self.open_brackets()
        at = self.automaton.index_of(opened[-1].start) if opened else None
        if at is None or at < _BEFORE_COUNT:
            return False
        before = [each.kind for each in self.automaton.tokens[at - _BEFORE_COUNT : at]]
        return before in (["DO", "DOTS"], ["UNROLL", "DOTS"])

    @property
    def in_head(self) -> bool:
        """Return whether the opening brace of a definition is due."""
        values = self.automaton.stacks.values
        return len(values) > 1 and isinstance(values[-2], Token) and values[-2].kind in ("OPERATOR", "GRAPH")

    # ---- the text ----------------------------------------------------------------------------------------------------
    def word(self, token: Token) -> str:
        """Return the text at a token."""
        return self.automaton.text[token.start : token.end]

    def following(self, skipped: int = 0) -> list[str]:
        """Return the kinds of the next few tokens after ``skipped`` tokens.

        Fewer tokens of the next statement are returned: it may be wrong too.
        """
        kinds: list[str] = []
        for offset in range(skipped, skipped + LOOKAHEAD):
            kinds.append(self.automaton.token(offset).kind)
            if kinds[-1] == END or (len(kinds) > _BEHIND_SEMICOLON and kinds[-_BEHIND_SEMICOLON - 1] == "SEMI"):
                break
        return kinds

    def statement(self, skipped: int = 0) -> list[str]:
        """Return kinds of the tokens of the statement that begins after ``skipped`` tokens, to its ';'.

        Of a statement that has none on its line only that line: the next mistake is not to hide this one.
        """
        kinds: list[str] = []
        for offset in range(skipped, skipped + LONGEST_LOOKAHEAD):
            token = self.automaton.token(offset)
            enough = len(kinds) >= _SHORTEST_STATEMENT or (kinds[:1] == ["IMPORT"] and len(kinds) > 1)
            if enough and (token.kind == END or begins_line(self.automaton.text, token)):
                break
            kinds.append(token.kind)
            if token.kind in ("SEMI", END):
                break
        return kinds

    def following_line(self) -> list[str]:
        """Return kinds of the tokens from here to the end of the line."""
        kinds = [self.token.kind]
        for offset in range(1, LONGEST_LOOKAHEAD):
            token = self.automaton.token(offset)
            if token.kind == END or begins_line(self.automaton.text, token):
                break
            kinds.append(token.kind)
        return kinds

    def parses(self, kinds: Sequence[str], skipped: int = 0, states: list[int] | None = None) -> bool:
        """Return whether ``kinds`` and then the tokens of the text after the next ``skipped`` would parse."""
        wanted = [*kinds, *self.following(skipped)]
        return run_states(self.automaton.table, (states or self.automaton.stacks.states).copy(), wanted) == len(wanted)

    def parses_some(self, kinds: Sequence[str], count: int) -> bool:
        """Return whether ``kinds`` and then the next ``count`` tokens would parse."""
        wanted = [*kinds, *(self.automaton.token(offset).kind for offset in range(count))]
        return run_states(self.automaton.table, self.automaton.stacks.states.copy(), wanted) == len(wanted)

    def open_brackets(self) -> list[Token]:
        """Return the unclosed opening brackets on the stacks, outermost first."""
        opened: list[Token] = []
        for value in self.automaton.stacks.values:
            if isinstance(value, Token):
                if value.kind in CLOSERS:
                    opened.append(value)
                elif opened and value.kind == CLOSERS[opened[-1].kind]:
                    opened.pop()
        return opened

    # ---- words -------------------------------------------------------------------------------------------------------
    def found(self, token: Token) -> str:
        """Return a token, in words."""
        if token.kind == END:
            return NOTHING
        word = self.word(token)
        if token.kind == "STRING":
            return "a string"
        if word in keywords():
            return f"the keyword '{word}'"
        return f"'{word}'" if len(word) <= 40 else f"'{word[:40]}…'"

    def explanation(self) -> str | None:
        """Return the likely intention of the author, if it is known and no single symbol fixes the error; else None."""
        if self.is_second_shape:
            return "a type has one shape, before the '..' of a pack, as in 'real[m,n]..(k)'"
        if self.is_unnamed_shape:
            return "a shape of any rank has a name before the dots, as in 'real[s..]'"
        if self.token.kind == "WITH" and self.block == "B_LOWER":
            return "local values stand before the formula, as in 'with a = …: y[i,] = …'"
        if self._follows_dots:
            return "dots stand after the whole index, as in 'x[(i + 1)..]'"
        if self.in_iteration or self._is_bare_count:
            return "a loop has a count, as in 'do..(3)', or an index and a count, as in 'do..(i -> 3)'"
        if self._follows_version:
            return "a version is a number, as in 'version 2.0;'"
        if self.token.kind == "AS" and self.block:
            return "a label stands before what it names, as in 'y = first: f(x)'"
        if self.block == "B_COMPOSE" and (habit := self._about_results()) is not None:
            return habit
        if self.token.kind == "AS":
            return (
                "a module has no second name: leave out 'as' and what follows, and write the name of the module itself"
            )
        at = self.automaton.at
        if self.block == "B_PARAM" and at and self.automaton.tokens[at - 1].kind == "QUESTION" and not self.begins_line:
            return "an extent that is not known has a name, as in 'real[batch, 4]'"
        if self.block == "B_PARAM" and self.token.kind == "COLON" and self._block_word() == "@variable":
            return "a variable has no label: its values come from a file that has its name"
        return None

    @property
    def _follows_dots(self) -> bool:
        at = self.automaton.at
        operators = ("PLUS", "MINUS", "STAR", "SLASH")
        return self.block == "B_LOWER" and self.token.kind in operators and self.automaton.tokens[at - 1].kind == "DOTS"

    @property
    def _is_bare_count(self) -> bool:
        """Return whether a count without dots or parentheses follows ``do``: ``do 3``, ``do(3)`` and ``do..3``."""
        before = [each.kind for each in self.automaton.tokens[max(self.automaton.at - 4, 0) : self.automaton.at]]
        loops, counts = ("DO", "UNROLL"), ("INT", "ID")
        match before:
            case [*_, loop, "DOTS"] if loop in loops:
                return self.token.kind in counts
            case [*_, loop, count] if loop in loops and count in counts:
                return self.token.kind in ("ID", "LBRACE")
            case [loop, "LPAR", count, "RPAR"] if loop in loops and count in counts:
                return self.token.kind in ("ID", "LBRACE")
        return False

    def _about_results(self) -> str | None:
        """Return a message about words before the name of a result; None if there are none."""
        before = self.automaton.tokens[self.automaton.at - 1]
        if self.token.kind == "ID" and before.kind == "ID" and self.word(before) in _DECLARING_WORDS:
            return f"a statement begins with the names of its results: leave out '{self.word(before)}'"
        if (
            self.token.kind == "TYPE"
            and self.automaton.token(1).kind in ("ID", "LSQB")
            and before.kind in ("LBRACE", "SEMI")
        ):
            return f"the type of a result stands after its name, as in 'y: {self.word(self.token)}[n] = …'"
        return None

    @property
    def _follows_version(self) -> bool:
        at = self.automaton.at
        return at > 1 and self.automaton.tokens[at - 2].kind == "VERSION" and not self.begins_line

    def _about_dots(self) -> str | None:
        """Return a message about the dots of a packed index or of its bound; None if they are right."""
        at, kind = self.automaton.at, self.token.kind
        before = [each.kind for each in self.automaton.tokens[max(at - 2, 0) : at]]
        if self.block != "B_LOWER":
            return None
        if before == ["COMMA", "ID"] and kind in ("LE", "GT", "GE", "IN", "ASSIGN", "EQ"):
            return "an index runs from 0 to its bound: write 'i < n'"
        if before[-1:] == ["COMMA"] and kind == "INT" and self.automaton.token(1).kind in ("LE", "LT"):
            return "an index runs from 0 to its bound: write 'i < n'"
        if kind == "IF":
            return "a condition stands after the bounds, as in 'i < n | c'"
        if kind == "FOR" or (kind == "ID" and self.word(self.token) == "where"):
            return "bounds stand after a comma, as in 'y[i,] = x[i,], i < n'"
        if kind in ("DOTS", "ELLIPSIS", "STAR", "POWER") and before[-1:] in (["LSQB"], ["COMMA"]):
            return "dots stand after an index that is a pack, as in 'x[i..]'"
        if kind == "DOTS" and before in (["COMMA", "ID"], ["LT", "ID"]):
            return "a bound has no dots: write 'i < s', and 'x[i..]' where the index is used"
        return None

    def _block_word(self) -> str:
        values = reversed(self.automaton.stacks.values)
        return next((self.word(each) for each in values if isinstance(each, Token) and each.kind == self.block), "")

    def found_expected(self, wanted: str | None = None, found: str | None = None) -> str:
        """Return a phrase with the expected and the found token."""
        explanation = self.explanation()
        if explanation is not None:
            return explanation
        hint = self._about_dots()
        if hint is not None:
            return hint
        wanted = wanted or expected.phrase(self.automaton.table, self.automaton.stacks.states)
        if wanted == "'['" and self.word(self.token) in _ASSIGNMENTS:
            return "a formula writes elements: 'y[] = …' of a tensor of rank 0, 'y[i,] = …' of a vector"
        if found is None and self.token.kind == END:
            return f"expected {wanted} before {NOTHING}"
        return f"expected {wanted}, found {found or self.found(self.token)}"

    def place(self) -> Span:
        """Return the token; at the end of the text, where the last token ended."""
        end = self.automaton.last_end
        return Span(end, end) if self.token.kind == END else span_of(self.token)

    def context(self) -> tuple[Note, ...]:
        """Return where the innermost construct that has not ended began."""
        return tuple(self._constructs())[:1]

    def _constructs(self) -> Iterator[Note]:
        values, depth = self.automaton.stacks.values, 0
        for at in range(len(values) - 1, -1, -1):
            value = values[at]
            if not isinstance(value, Token):
                continue
            if value.kind in ("RPAR", "RSQB", "RBRACE"):
                depth += 1
            elif value.kind in CLOSERS and depth:
                depth -= 1
            elif value.kind == "LBRACE" and at and isinstance(values[at - 1], Token):
                continue  # of a block or a definition: the next tokens down say so
            elif value.kind in CLOSERS:
                yield Note(span_of(value), f"this '{SYMBOLS[value.kind]}' is still open")
            elif value.kind.startswith("B_"):
                yield Note(span_of(value), f"in this block '{self.word(value)}'")
            elif value.kind in ("OPERATOR", "GRAPH"):
                yield Note(span_of(value), f"in this {self.word(value)}")
            elif value.kind in _STATEMENT_WORDS:
                yield Note(span_of(value), f"this '{self.word(value)}' is not complete")

    # ---- reports -----------------------------------------------------------------------------------------------------
    def report(
        self, rule: Rule, span: Span, message: str, notes: tuple[Note, ...] = (), repair: Repair | None = None
    ) -> None:
        """Add a problem, unless a string or bracket that is not closed in the same statement explains it."""
        problems = self.automaton.builder.problems
        entry = self.automaton.entry
        said = [] if entry is None else problems[entry.problems :]
        if rule is rules.SYNTAX_ERROR and any(each.rule is rules.UNCLOSED_BRACKET for each in said):
            return
        again = any(each.message == message for each in said)
        if again and message in (self.explanation(), self._about_dots()):
            return  # the same habit in the same statement
        if not self._after_unclosed_string():
            problems.append(Problem(rule, span, message, notes, repair))

    def report_keyword(self, token: Token) -> None:
        """Report a keyword that is used as a name."""
        message = f"'{self.word(token)}' is a keyword and can't be used as a name"
        if token.kind == "OPTIONAL":
            message = "'optional' stands before a type, as in 'optional int': it is a keyword and no type itself"
        self.report(rules.KEYWORD_AS_NAME, span_of(token), message)

    def report_missing(self, kind: str) -> None:
        """Report that a terminal is missing before the token."""
        place = self.automaton.last_end
        if kind == "ID":
            self.report(rules.SYNTAX_ERROR, self.place(), self.found_expected(), self.context())
            return
        at_line_end = self.begins_line and self.token.kind != END
        symbol = self.automaton.table.literals[kind]
        spaced = f" {symbol} " if symbol.isalpha() else " {" if kind == "LBRACE" else symbol
        at_end = self.begins_line or self.token.kind == END
        repair = None
        if self.explanation() is None:  # otherwise the supplied symbol is not the author's intention
            repair = Repair(f"insert '{symbol}'", (Edit(Span(place, place), spaced),), safe=kind == "SEMI" and at_end)
        span = Span(place, place) if kind == "SEMI" or at_line_end else self.place()
        found = "the end of the line" if at_line_end else None
        self.report(rules.SYNTAX_ERROR, span, self.found_expected(f"'{symbol}'", found), self.context(), repair)

    def report_unclosed(self, opened: Sequence[Token], insertion: str | None = None) -> None:
        """Report the brackets that one mistake left open, innermost first: one problem at the innermost of them.

        ``insertion`` is the text that fixes it, if that is more than the closing brackets; empty if there is no simple
        fix.
        """
        symbols = "".join(SYMBOLS[CLOSERS[bracket.kind]] for bracket in opened)
        innermost, end = opened[0], self.automaton.last_end
        missing = Note(self.place(), f"'{symbols}' is missing before {self.found(self.token)}")
        also = (Note(span_of(bracket), f"this '{SYMBOLS[bracket.kind]}' is open too") for bracket in opened[1:])
        notes = (missing, *also)
        text = symbols if insertion is None else insertion
        repair = Repair(f"insert '{text}'", (Edit(Span(end, end), text),), safe=False) if text else None
        message = f"this '{SYMBOLS[innermost.kind]}' is never closed"
        self._forget_consequences(innermost)
        self.report(rules.UNCLOSED_BRACKET, span_of(innermost), message, notes, repair)

    def _forget_consequences(self, bracket: Token) -> None:
        """Drop problems behind an unclosed bracket in the same statement: it is one mistake."""
        tokens = self.automaton.tokens
        ends = (token.start for token in tokens if token.kind == "SEMI" and token.start > bracket.start)
        inside = range(bracket.end, next(ends, self.automaton.last_end) + 1)
        problems = self.automaton.builder.problems
        problems[:] = (each for each in problems if each.rule != rules.SYNTAX_ERROR or each.span.start not in inside)

    def _after_unclosed_string(self) -> bool:
        automaton = self.automaton
        first = (
            max(automaton.entry.at, automaton.at - LONGEST_LOOKAHEAD)
            if automaton.entry
            else max(automaton.at - LONGEST_LOOKAHEAD, 0)
        )
        return any(
            token.kind == "STRING" and not is_closed_string(automaton.text, token)
            for token in automaton.tokens[first : automaton.at + 1]
        )

    def unknown_block(self) -> str:
        """Return the message about a word after ``@`` that is not the name of a block."""
        word = self.word(self.token)
        likely = [name for name in BLOCK_KINDS if len(word) > 1 and name.startswith(word[1:])]
        hint = (
            f"; did you mean '@{likely[0]}'?"
            if likely
            else f"; the blocks are {', '.join(map('@{}'.format, BLOCK_KINDS))}"
        )
        return f"there is no block '{word}'{hint}"

    def callee_before(self, bracket: Token) -> nodes.Qualified | None:
        """Return the name right before an open bracket, if there is one."""
        values = self.automaton.stacks.values
        at = next((at for at, value in enumerate(values) if value is bracket), 0)
        before = values[at - 1] if at else None
        return before if isinstance(before, nodes.Qualified) else None
