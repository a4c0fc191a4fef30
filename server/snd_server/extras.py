"""Packages that not every installation has."""

from __future__ import annotations


class MissingExtraError(Exception):
    """Something is asked for that takes a package that is not installed; the message says which."""
