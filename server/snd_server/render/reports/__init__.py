"""Output formats of diagnostics: each module turns a report into the text of one format."""
