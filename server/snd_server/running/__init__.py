"""Evaluation of one definition: arguments, inputs, weights, state and expected outputs."""
