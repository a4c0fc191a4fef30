"""Placeholder written first so that others can build against it; replaced by the real one."""
