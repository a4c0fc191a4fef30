"""Formulas as functions in machine code: numba, where it is installed (the extra ``snd[fast]``)."""
