"""Sums of products as products of matrices in machine code: numba, where it is installed (the extra ``snd[fast]``)."""
