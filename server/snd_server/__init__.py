"""The command `snd`: the only part that reads files, the clock and the environment, and that knows its clients."""

__version__ = "0.1.0"


def rule_url(name: str) -> str:
    """Return where the page that explains a rule stands, relative to the repository of snd, which has no address
    yet."""
    return f"docs/rules.md#{name}"
