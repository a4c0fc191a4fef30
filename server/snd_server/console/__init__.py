"""Text on a terminal: printing, control characters made visible, progress."""
