"""Diagnostics of files: the checker, its cache, several processes, fixes and proofs."""
