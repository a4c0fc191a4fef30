"""`snd.toml`: its schema, the configuration of each file, and the selection of rules."""
