r"""Errors of integer operations without a value (2.4: `/`, `\`, `%` and `**` for int)."""


class DivisionByZero(ArithmeticError):  # noqa: N818
    """A division, or its remainder, by an integer that is zero."""


class NegativeExponent(ArithmeticError):  # noqa: N818
    """An integer raised to a negative power."""


FAILURES = (DivisionByZero, NegativeExponent)
"""Exceptions of operations without a value."""
