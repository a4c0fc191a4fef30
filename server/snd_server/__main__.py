"""``python -m snd_server`` is ``snd``."""

from snd_server.cli import main

main()
