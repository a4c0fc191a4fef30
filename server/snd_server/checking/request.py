"""The parsed command line of ``snd check``."""

from __future__ import annotations

from msgspec import Struct, field

from snd_server.settings.rule_selection import RuleSettings

_FORMATS_WITH_HINTS = frozenset({"json", "jsonl", "sarif"})


class CheckRequest(Struct, frozen=True):
    """The command line, checked for contradictions."""

    paths: tuple[str, ...]
    stdin_filename: str | None = None
    """The name to give to the text on standard input; None if it is not checked."""
    format: str = "full"
    rules: RuleSettings = field(default_factory=RuleSettings)
    fix: bool = False
    diff: bool = False
    unsafe_fixes: bool = False
    statistics: bool = False
    use_cache: bool = True
    config: str | None = None
    exit_zero: bool = False
    error_on_warning: bool = False
    quiet: bool = False
    proofs: bool = False
    """True if operators are looked at for all sizes."""
    verbose: bool = False
    output_file: str | None = None
    pulse: tuple[str, int] | None = None
    """The symbol that graphs in NNEF 1.0 see pulse by pulse, and the number of items of a pulse."""

    @property
    def shows_hints(self) -> bool:
        """Hints are for editors and other programs; people see them if they ask."""
        return self.verbose or self.format in _FORMATS_WITH_HINTS
