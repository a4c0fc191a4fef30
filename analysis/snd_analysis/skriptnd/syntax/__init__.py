"""Text to tree: tokens, an LALR(1) automaton with recovery, typed nodes, chunks that are read again only if changed.

``chunks.parse_file`` is the way in; ``nodes`` is what comes out. Any text gives a tree and the problems in it.
"""
