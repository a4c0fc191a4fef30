"""Exported programs of PyTorch for tests that run without PyTorch."""
