"""The command `snd`: the only part that reads files, the clock and the environment, and that knows its clients."""

import os

__version__ = "0.1.0"


def rule_url(name: str) -> str:
    """Return where the page that explains a rule stands.

    ``SND_DOCS_URL`` is the address of the site that ``make site`` builds. Without it, the answer is relative to the
    repository of snd, which has no address yet.
    """
    base = os.environ.get("SND_DOCS_URL", "").rstrip("/")
    return f"{base}/rules/#{name}" if base else f"docs/rules.md#{name}"
