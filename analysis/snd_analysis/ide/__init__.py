"""Questions at a position: plain data in, plain data out. Offsets are code points; nothing here knows a client."""
