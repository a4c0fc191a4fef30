"""Second implementations, as simple as possible, which tests compare the results of snd with."""
