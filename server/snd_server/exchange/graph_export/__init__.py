"""Mechanisms that exports to all formats share."""
