"""Programs for tests of the language server."""

RIGHT = """operator f {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,], i < n; }
}
"""
UNKNOWN_NAME = RIGHT.replace("= x[i,]", "= z[i,]")
BROKEN = RIGHT.replace("x: real[n];", "x: real[n")

BLOCKS = """# Doubles.
operator double {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,] + x[i,], i < n; }
}
"""
MAIN = """import blocks;

graph main {
    @input { a: real[4]; }
    @output { b: real[4]; }
    @compose { b = blocks.double(a); }
}
"""
