"""The cases of an operator: ranks, lengths of packs, strings, optional values, and which of them decide about all."""
