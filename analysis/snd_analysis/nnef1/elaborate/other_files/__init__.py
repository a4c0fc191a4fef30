"""What operations of tract take from other files than those of variables."""
