"""Limits of symbolic integers, conditions and values, with their effects for users."""

from __future__ import annotations

MOST_BITS = 8192
"""Maximum number of bits of a computed number.

A larger bound counts as no bound, a larger power stays written as a power, and a larger coefficient makes an extent
unknown: composing then checks nothing about it, and the run does.
"""
MOST_TERMS = 400
"""Maximum number of terms of a sum to which a product is expanded.

A larger product stays a product: two ways of writing it may not be recognized as equal, and the run compares them.
"""
DEEPEST_INTEGER = 100
"""Maximum depth of nested operations on integers: code that walks integers recurses.

The result of a deeper one is unknown before the run, and shown as `...`.
"""
MOST_CONDITIONS = 16
"""Maximum number of conditions, at any depth, of a choice between integers: each may double the work.

The result of a choice by more conditions is unknown before the run.
"""
MOST_DIVISION_STEPS = 32
"""Maximum number of steps of a polynomial division by a sum. A longer division stays written as a division."""
MOST_DIVIDED_CONDITIONS = 3
"""Maximum number of conditions of a dividend that is divided case by case.

With more, the division stays written as a division.
"""
MOST_CANDIDATES = 12
"""Maximum number of operands of a minimum or maximum that are compared with each other.

Of more, only equal ones are merged, so the text that users see is longer.
"""
LONGEST_SPELLING = 300
"""Maximum number of characters by which the atoms of an integer are ordered.

The order of atoms with the same beginning is undefined.
"""
LONGEST_INTEGER = 300
"""Maximum number of characters of an integer in messages and hovers. A longer one is cut."""
MOST_SUMMANDS = 40
"""Maximum number of summands of an integer that is written out. One with more is cut."""
MOST_PRINTED_CONDITIONS = 6
"""Maximum number of conditions by which the text of an integer is split into cases: each may double the text.

One with more is cut.
"""
MOST_REPLACEMENTS = ((10, 3), (24, 2), (100, 1))
"""Numbers of successive replacements of parts of a sum by their bounds, each for sums up to a number of terms.

Each round multiplies the ways by the number of terms. For a larger sum, a decision at compile time may be left to the
run.
"""
MOST_REMEMBERED_BOUNDS = 4096
"""Maximum number of sums whose bounds are remembered: declarations compare the same extents over and over.

Users see no difference.
"""
MOST_COMBINED_FACTS = 64
"""Maximum number of combined assertions that are tried to bound a sum. Further ones may be left to the run."""
MOST_LITERALS = 8
"""Maximum number of atomic conditions of a condition that is decided by a truth table.

One with more may be left to the run.
"""
MOST_KEPT_LITERALS = 64
"""Maximum number of atomic conditions of a kept condition: an exclusive disjunction doubles its parts.

A larger condition is unknown, and the run decides it.
"""
MOST_POWER_TERMS = 64
"""Maximum number of terms of a sum to which a power of a sum is expanded. A larger power stays a power."""
MOST_CASE_CONDITIONS = 2
"""Maximum number of conditions by which two integers are compared case by case.

With more, a decision may be left to the run.
"""
DEEPEST = 60
"""Maximum depth of nested unknown operations on values: code that walks values recurses. A deeper result is unknown."""
LONGEST_WRITTEN_OUT = 1024
"""Maximum number of items of one value that are written out. Users see no difference: longer ones stay a run."""
MOST_ITEMS = 65_536
"""Maximum number of items of a pack that is written out.

A longer pack stays a run, or is an error where its items are needed.
"""
MOST_COMPARED = 32
"""Maximum number of items that are compared with each other, beside runs of unknown length.

Whether more items are the same is left to the run.
"""
LONGEST_TEXT = 120
"""Maximum number of characters of an unknown value. A longer text is cut."""
LONGEST_MESSAGE = 2000
"""Maximum number of characters of a string that the author has composed, such as the message of an assertion.

A longer one is cut.
"""
LONGEST_STRING = 1_000_000
"""Maximum number of characters of a string.

A longer one is an error: strings that are put together from others double with every step.
"""
