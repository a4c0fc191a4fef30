"""Runs of commands: each asks the rooms for a result and shows it."""
