"""Data that operations of tract read from other files than variables."""
