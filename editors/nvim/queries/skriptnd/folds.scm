[
  (definition)
  (dtype_block)
  (parameter_block)
  (using_block)
  (assert_block)
  (lower_block)
  (compose_block)
  (quantize_block)
  (region)
  (list_expression)
] @fold
