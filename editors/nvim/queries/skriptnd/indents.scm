; Each node has the capture of Neovim and that of Helix.

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
  (arguments)
  (attributes)
  (list_expression)
  (result_list)
] @indent.begin @indent

[ "}" ")" "]" ] @indent.branch @indent.end @outdent
