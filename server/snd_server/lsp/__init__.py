"""The language server: the only part that knows the types of the protocol (invariant 1)."""
