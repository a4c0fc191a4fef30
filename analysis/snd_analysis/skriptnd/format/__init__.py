"""One style for all files: how wide lines are is all that can be chosen. See ``docs/formatting.md``."""
