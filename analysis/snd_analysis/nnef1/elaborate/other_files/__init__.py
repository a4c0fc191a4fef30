"""Data that operations of tract read from files other than those of variables."""
