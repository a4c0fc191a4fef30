"""Programs, models and texts that tests try: random ones, enumerated ones, and mutations of right ones."""
