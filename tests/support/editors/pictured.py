"""Programs that stand in the pictures of several editors."""

from __future__ import annotations

NNEF = """\
version 1.0;

extension tract_registry tract_core;
extension tract_symbol B;
extension tract_symbol S;
extension tract_assert S <= 512;

fragment layer_norm(input: tensor<scalar>, scale: tensor<scalar>, epsilon: scalar) -> (output: tensor<scalar>)
{
    centered = input - mean_reduce(input, axes = [2]);
    variance = mean_reduce(centered * centered, axes = [2]);
    output = centered * rsqrt(variance + epsilon) * scale;
}

graph encoder(tokens) -> (hidden)
{
    tokens = tract_core_external(datum_type = 'i64', shape = [B, S]);
    table = variable<scalar>(label = 'embedding.weight', shape = [100, 8]);
    positions = variable<scalar>(label = 'positions', shape = [1, 12, 8]);
    scale = variable<scalar>(label = 'norm.weight', shape = [1, 1, 8]);
    w = variable<scalar>(label = 'dense.weight', shape = [1, 8, 8]);
    embedded = tract_core_gather(table, tokens, axis = 0);
    placed = add(embedded, positions);
    normed = layer_norm(placed, scale, epsilon = 1e-05);
    projected = matmul(normed, w, transposeB = true);
    scaled = mul(projected, 1);
    hidden = relu(scaled);
}
"""
