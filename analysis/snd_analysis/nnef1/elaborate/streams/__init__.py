"""Streams: operations of tract that keep items from one pulse to the next."""
