"""Files: finding, reading and writing them, archives, and the texts that the analysis reads."""
