"""Giving up on a statement, a block or an item of a document: an error node for it, and on after it."""

from __future__ import annotations

from snd_analysis.base import Span
from snd_analysis.skriptnd.limits import LONGEST_LOOKAHEAD
from snd_analysis.skriptnd.syntax.automaton import Automaton
from snd_analysis.skriptnd.syntax.recovery.fault import DEFINITION_STARTS, Fault
from snd_analysis.skriptnd.syntax.table import END, run_states
from snd_analysis.skriptnd.syntax.tokens import Token, at_column_zero, begins_line

_BEHIND_BLOCK = frozenset({"RBRACE", "SEMI", "COMMA", "ELSE", "ELIF", "THEN", "WHILE", END})


def panic(automaton: Automaton, whole: bool = False, block: bool = False) -> None:
    """Make an error node of broken text and go on after it; always take a token or close something.

    The broken text is the innermost statement, or the ``whole`` entry of a block with all statements inside. With
    ``block``, the brace that can't be taken begins a block and ends with it.
    """
    stacks = automaton.stacks
    token = automaton.token()
    start = token.start
    depth = len(stacks.values)
    if whole and automaton.entry is not None and automaton.entry.depth < depth:
        depth = automaton.entry.depth
        start = stacks.starts[depth]
    while depth and "ERROR" not in automaton.table.actions[stacks.states[depth]]:
        depth -= 1
        start = min(start, stacks.starts[depth])
    brackets = [value.kind for value in stacks.values[depth:] if isinstance(value, Token)]
    stacks.cut(depth)
    _skip(automaton, max(brackets.count("LBRACE") - brackets.count("RBRACE"), 0), whole, block)
    end = max(automaton.last_end, start)
    if end > token.start:
        automaton.skipped.append(Span(token.start, end))
    if end > start:
        automaton.supply("ERROR", start, end)
    elif token.kind != "RBRACE" and "RBRACE" in automaton.table.actions[stacks.states[-1]]:
        automaton.supply("RBRACE", automaton.last_end, automaton.last_end)
    else:
        automaton.supply("ERROR", token.start, token.end)
        automaton.at += 1


def _skip(automaton: Automaton, depth: int, whole: bool, block: bool) -> None:
    """Skip to a token that can continue the construct on the stacks; ``depth`` braces of the skipped text are open."""
    row = automaton.table.actions[automaton.stacks.states[-1]]
    surroundings = "document" if "OPERATOR" in row else "definition" if "B_USING" in row else "block"
    first = automaton.at
    while (token := automaton.token()).kind != END:
        if _belongs_elsewhere(automaton, token, depth, surroundings):
            return
        may_begin = surroundings == "block" and automaton.at > first and not (whole and depth)
        if may_begin and begins_line(automaton.text, token) and _begins_statement(automaton):
            return
        opens = token.kind == "LBRACE" and (
            block or automaton.at > first or surroundings != "block" or _has_partner(automaton)
        )
        automaton.at += 1
        automaton.last_end = token.end
        if opens:
            depth += 1
        elif token.kind == "RBRACE" and depth:
            depth -= 1
            if depth == 0 and surroundings != "block":
                if automaton.token().kind == "SEMI":  # the semicolon belongs to the skipped text
                    automaton.last_end = automaton.token().end
                    automaton.at += 1
                return
        elif token.kind == "SEMI" and depth == 0 and surroundings != "document":
            return


def _belongs_elsewhere(automaton: Automaton, token: Token, depth: int, surroundings: str) -> bool:
    """Return whether a token is not part of the skipped text, but begins or ends a construct around it."""
    outside = depth == 0 or begins_line(automaton.text, token)
    if token.kind in DEFINITION_STARTS:
        return outside
    if surroundings == "document":
        return False
    if token.kind == "RBRACE":
        return at_column_zero(automaton.text, token) or (depth == 0 and _may_close(automaton))
    return outside and token.kind.startswith("B_") and token.kind != "B_UNKNOWN"


def _may_close(automaton: Automaton) -> bool:
    """Return whether the tokens after the next closing brace could follow a block."""
    following = automaton.token(1)
    return (
        following.kind in _BEHIND_BLOCK
        or following.kind in DEFINITION_STARTS
        or following.kind.startswith("B_")
        or begins_line(automaton.text, following)
    )


def _has_partner(automaton: Automaton) -> bool:
    """Return whether the next brace, which can't stand there, has a partner in its statement."""
    for offset in range(1, LONGEST_LOOKAHEAD):
        kind = automaton.token(offset).kind
        if kind in ("RBRACE", "SEMI", END):
            return kind == "RBRACE"
    return True


def _begins_statement(automaton: Automaton) -> bool:
    """Return whether the next tokens are a whole statement."""
    following = Fault(automaton).statement()
    wanted = ["ERROR", *following]
    return (
        2 < len(following) < LONGEST_LOOKAHEAD
        and following[-1] == "SEMI"
        and run_states(automaton.table, automaton.stacks.states.copy(), wanted) == len(wanted)
    )
