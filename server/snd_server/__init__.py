"""The command `snd`: the only part that reads files, the clock and the environment, and that knows its clients."""

__version__ = "0.1.0"
