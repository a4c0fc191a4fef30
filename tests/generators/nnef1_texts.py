"""Texts in NNEF 1.0 that are right, with everything that occurs in the two dialects."""

from __future__ import annotations

TEXTS = (
    """version 1.0;

# A graph in flat syntax.
graph flat(x) -> (y, z)
{
    x = external(shape = [1, 2, 9]);
    a = variable<scalar>(shape = [3, 2, 3], label = 'block/a');  # the filter
    b = conv(x, a, 0.0, padding = [(1, 1)], stride = [2], border = "constant");
    c = add(b, -1.5e-3);
    y = relu(c);
    z = concat([y, b], axis = 1);
}
""",
    """version 1.0;
extension KHR_enable_fragment_definitions;
extension KHR_enable_operator_expressions;

fragment scaled<? = scalar>( x: tensor<?>, factors: scalar[] = [1.0, 2.0], name: string = 'a' ) -> ( y: tensor<?>[] )
{
    y = [for f in factors, i in range_of(factors) if i >= 0 && name == 'a' yield x * f + scalar(i)];
}
fragment power( x: tensor<scalar>, n: integer ) -> ( y: tensor<scalar> )
{
    y = power(x * x, n = n - 1) if n > 0 else x;
}
graph composed(x) -> (y)
{
    x = external<scalar>(shape = [2, 3]);
    [a, b] = scaled(x, factors = [0.5, 1.5]);
    (mean, variance) = (a - b, -a / 2.0);
    p = power(mean ^ 2.0, n = 2);
    y = select(!(p > variance || p <= 0.0), p, a);
}
""",
    """version 1.0;
extension tract_registry tract_core;
extension tract_symbol B;
extension tract_assert B >= 1;

fragment tract_core_properties(
) -> (properties: (string, tensor<scalar>)[])
{
  properties = [
    ("tract_nnef_ser_version", "0.23.9"),
  ("tract_nnef_format_version", "beta1")
  ];
}

graph network( i"in/put.0" ) -> ( output )
{
  i"in/put.0" = tract_core_external(shape = [B, (B + 2), 4], datum_type = "F32");
  s = tract_core_shape_of(i"in/put.0");
  n = s[1];
  m = max(i"in/put.0", [[[0.0]]]);
  t = reshape(m, shape = [0, n * 2, -1]);
  output = softmax(t, 1);
}
""",
)
