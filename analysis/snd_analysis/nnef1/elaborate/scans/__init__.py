"""Scans of tract: their lists, and the loops that they become."""
