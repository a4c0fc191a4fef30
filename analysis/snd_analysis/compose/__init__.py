"""Graph composition: binding of invocations, evaluation of what operators declare, and the model (chapter 3)."""
