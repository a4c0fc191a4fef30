"""Limits of proofs, and what is said where one is met."""

MEMORY_MEGABYTES = 1024
"""What z3 may take. It gives up then: the verdict is unknown."""
MOST_CASES = 600
"""Ranks, lengths, strings and optional values of an operator that are looked at, each with all sizes."""
LONGEST_LENGTH = 3
"""The longest pack of unknown length that is looked at, unless the operator names a greater number."""
MOST_NAMED = 6
"""Numbers above this that an operator names do not make lengths longer that are looked at."""
SECONDS = 5.0
"""Of one operator. What is not decided then is unknown."""
MILLISECONDS = 400
"""Of one question to z3."""
MOST_TRIED = 200
"""Small sizes that are tried where z3 is missing or gives up."""
