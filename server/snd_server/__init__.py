"""The command `snd`: the only part that reads files, the clock and the environment, and that knows its clients."""

__version__ = "0.1.0"

HOMEPAGE = "https://github.com/snd-lang/snd"
"""Where the project lives; the pages of the rules and the place for bug reports are named relative to it."""


def rule_url(name: str) -> str:
    """Address of the page that explains a rule."""
    return f"{HOMEPAGE}/blob/main/docs/rules.md#{name}"
