"""Rules about the names in a definition."""
