"""The command `snd`: the only part that reads files, the clock and the environment, and that knows its clients."""

import os

__version__ = "0.1.0"


def rule_url(name: str) -> str:
    """Return where the page that explains a rule stands.

    ``SND_DOCS_URL`` is the address of the site that ``make site`` builds. Without it, the answer is relative to the
    repository of snd, which has no address yet.
    """
    base = site()
    return f"{base}/rules/#{name}" if base else f"docs/rules.md#{name}"


def operator_url(module: str, operator: str) -> str | None:
    """Return where an operator of the library is explained on the site; None without ``SND_DOCS_URL``."""
    base = site()
    return f"{base}/library/{module}/#{module}{operator.lower()}" if base else None


def site() -> str:
    """Return the address of the site, without a slash at its end; empty if it is not known."""
    return os.environ.get("SND_DOCS_URL", "").rstrip("/")
