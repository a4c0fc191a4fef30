"""Drawings of graphs and of data flow."""
