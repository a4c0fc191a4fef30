"""Limits of composing, with their effects for users."""

from __future__ import annotations

MOST_STEPS = 100_000
"""Maximum number of steps of composing one definition with all that it invokes.

Steps are statements, iterations of unrolled loops, and specializations. The invocation or loop that leads to more is
an error.
"""
MOST_STEPS_OF_FILE = 4 * MOST_STEPS
"""Maximum number of steps of composing all definitions and samples of a file, beyond their own statements.

Definitions beyond it are not composed; the first is an error.
"""
STEPS_OF_SPECIALIZATION = 30
"""Steps that a specialization counts for, besides its statements, and one for each 200 characters: it takes as long as
thirty statements of a loop."""
STEPS_PER_STATEMENT = 60
"""Further steps for each statement of the definition itself: a long graph is no reason to refuse it."""
MOST_LEVELS = 400
"""Maximum number of levels in which operators are composed of others: everything that walks them recurses.

A deeper invocation is an error.
"""
MOST_OPERATIONS = 20_000
"""Maximum number of operations of a flat graph.

Operators that would exceed it are kept whole: operators that invoke others twice double with every level.
"""
MOST_TENSORS = 1024
"""Maximum number of tensors of one kind in a pack that are listed. Of a longer pack, users see its length."""
MOST_ELEMENTS_TRIED = 256
"""Maximum number of elements of a formula that are evaluated to find failures.

The run finds a mistake in other elements.
"""
MOST_JOINED_CONDITIONS = 3
"""Maximum number of conditions of an extent after a branch.

With more, the extent is dynamic, since each query about an extent looks at all cases.
"""
MOST_ITERATIONS = 4096
"""Maximum number of iterations of a loop that is unrolled.

The body of a loop with more is composed once, as if the count were not known.
"""
GREATEST_COUNT = 10_000_000
"""Maximum count of a loop. A greater one is an error, since no run would reach its end."""
MOST_ITEMS = 64
"""Maximum number of iterations for which bodies are composed one by one. With more, extents that change are dynamic."""
MOST_LOOP_TRIALS = 4
"""Maximum number of times that a body is composed to find changing extents; each time finds at least one more.

Beyond it, extents that may change are dynamic.
"""
MOST_NOTES = 8
"""Maximum number of invocations that lead to a mistake. The middle of a longer chain is left out."""
MOST_DYNAMIC_EXTENTS = 64
"""Maximum number of dynamic extents that are kept apart. Further ones are only where an output has them."""
MOST_UNKNOWNS = 3
"""Maximum number of unknowns of a condition for which a counterexample is sought.

With more, nothing is reported before the run.
"""
MOST_ASSIGNMENTS = 2000
"""Maximum number of assignments of numbers to unknowns that are tried for a counterexample.

Then nothing is reported before the run.
"""
MOST_OBLIGATIONS = 100
"""Maximum number of conditions of one definition for which a counterexample is sought.

For further ones, nothing is reported before the run.
"""
MOST_PATHS = 8
"""Maximum number of different conditions under which an operator is invoked. It is judged by the first ones."""
MOST_COUNTEREXAMPLES_TRIED = 3
"""Maximum number of assignments of one condition with which a graph is composed.

Then nothing is reported before the run.
"""
MOST_COMPOSED = 24
"""Maximum number of times that a graph of ordinary size is composed to see whether numbers are a counterexample.

Then nothing is reported before the run.
"""
MOST_OMISSIONS = 16
"""Maximum number of choices of optional inputs with which a graph is composed. The run finds other failures."""
MOST_UNROLLED_VALUES = 64
"""Maximum number of formulas of an unrolled one whose values are checked. The run finds other mistakes."""
MOST_FORMULAS = 1 << 14
"""Maximum number of formulas into which one formula is unrolled. With more, running it is an error."""
LONGEST_PACK = 1 << 16
"""Maximum number of items of a pack in a formula. With more, running it is an error."""
MOST_POINTS = 1 << 10
"""Maximum number of points of a formula that are evaluated one by one before the run.

With more, only bounds of sums are known, and other mistakes are found by the run.
"""
LONGEST_DECLARATION = 60
"""Maximum number of characters of a declaration that a message about an argument quotes. A longer one is not quoted."""
MOST_UNKNOWNS_OF_NEED = 5
"""Maximum number of extents in a condition of an invocation that is searched for two extents that must be equal.

With more, nothing is reported.
"""
MOST_UNKNOWNS_OF_NUMBER = 2
"""Maximum number of extents in a condition of an invocation that is searched for an extent that must be a number.

With more, nothing is reported.
"""
GREATEST_NEEDED_NUMBER = 256
"""Numbers that are tried as the one size with which an invocation works. Nothing is reported of a greater one."""
MOST_KNOWN_DECLARATIONS = 128
"""Maximum number of kept argument combinations of an operator, with their declarations."""
MOST_KEPT_SPECIALIZATIONS = 4096
"""Maximum number of specializations that are kept until a lasting result refers to them."""
