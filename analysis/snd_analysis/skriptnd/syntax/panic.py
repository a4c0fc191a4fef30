"""Giving up on a statement, a block or an item of a document: an error node for it, and on behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snd_analysis.base.text import Span
from snd_analysis.skriptnd.syntax.fault import DEFINITION_STARTS, LONGEST_LOOKAHEAD, Fault
from snd_analysis.skriptnd.syntax.stacks import run_states
from snd_analysis.skriptnd.syntax.table import END
from snd_analysis.skriptnd.syntax.tokens import Token, at_column_zero, begins_line

if TYPE_CHECKING:
    from snd_analysis.skriptnd.syntax.parser import Run

_BEHIND_BLOCK = frozenset({"RBRACE", "SEMI", "COMMA", "ELSE", "ELIF", "THEN", "WHILE", END})


def panic(run: Run, whole: bool = False, block: bool = False) -> None:
    """Makes an error node of what is broken and goes on behind it; always takes a token or closes something.

    That is the innermost statement, or the ``whole`` entry of a block with all statements inside. With ``block``, the
    brace that can't be taken begins a block and ends with it.
    """
    stacks = run.stacks
    token = run.token()
    start = token.start
    depth = len(stacks.values)
    if whole and run.entry is not None and run.entry.depth < depth:
        depth = run.entry.depth
        start = stacks.starts[depth]
    while depth and "ERROR" not in run.table.actions[stacks.states[depth]]:
        depth -= 1
        start = min(start, stacks.starts[depth])
    brackets = [value.kind for value in stacks.values[depth:] if isinstance(value, Token)]
    stacks.cut(depth)
    _skip(run, max(brackets.count("LBRACE") - brackets.count("RBRACE"), 0), whole, block)
    end = max(run.last_end, start)
    if end > token.start:
        run.skipped.append(Span(token.start, end))
    if end > start:
        run.supply("ERROR", start, end)
    elif token.kind != "RBRACE" and "RBRACE" in run.table.actions[stacks.states[-1]]:
        run.supply("RBRACE", run.last_end, run.last_end)
    else:
        run.supply("ERROR", token.start, token.end)
        run.at += 1


def _skip(run: Run, depth: int, whole: bool, block: bool) -> None:
    """Skips to where the construct that the stacks are in can go on; ``depth`` braces of what is given up are open."""
    row = run.table.actions[run.stacks.states[-1]]
    surroundings = "document" if "OPERATOR" in row else "definition" if "B_USING" in row else "block"
    first = run.at
    while (token := run.token()).kind != END:
        if _belongs_elsewhere(run, token, depth, surroundings):
            return
        may_begin = surroundings == "block" and run.at > first and not (whole and depth)
        if may_begin and begins_line(run.text, token) and _begins_statement(run):
            return
        opens = token.kind == "LBRACE" and (block or run.at > first or surroundings != "block" or _has_partner(run))
        run.at += 1
        run.last_end = token.end
        if opens:
            depth += 1
        elif token.kind == "RBRACE" and depth:
            depth -= 1
            if depth == 0 and surroundings != "block":
                return
        elif token.kind == "SEMI" and depth == 0 and surroundings != "document":
            return


def _belongs_elsewhere(run: Run, token: Token, depth: int, surroundings: str) -> bool:
    """Whether a token is not part of what is given up, but begins or ends something around it."""
    outside = depth == 0 or begins_line(run.text, token)
    if token.kind in DEFINITION_STARTS:
        return outside
    if surroundings == "document":
        return False
    if token.kind == "RBRACE":
        return at_column_zero(run.text, token) or (depth == 0 and _may_close(run))
    return outside and token.kind.startswith("B_") and token.kind != "B_UNKNOWN"


def _may_close(run: Run) -> bool:
    """Whether what follows the closing brace that is next could stand behind a block."""
    following = run.token(1)
    return (
        following.kind in _BEHIND_BLOCK
        or following.kind in DEFINITION_STARTS
        or following.kind.startswith("B_")
        or begins_line(run.text, following)
    )


def _has_partner(run: Run) -> bool:
    """Whether the brace that is next, and can't stand there, is closed in its statement: else it is a stray one."""
    for offset in range(1, LONGEST_LOOKAHEAD):
        kind = run.token(offset).kind
        if kind in ("RBRACE", "SEMI", END):
            return kind == "RBRACE"
    return True


def _begins_statement(run: Run) -> bool:
    """Whether what follows is a whole statement."""
    following = Fault(run).statement()
    wanted = ["ERROR", *following]
    return (
        2 < len(following) < LONGEST_LOOKAHEAD
        and following[-1] == "SEMI"
        and run_states(run.table, run.stacks.states.copy(), wanted) == len(wanted)
    )
