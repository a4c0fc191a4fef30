"""Facts of the specifications of other formats, and their reference programs."""
