(definition) @function.around
[
  (lower_block)
  (compose_block)
] @function.inside
(parameter) @parameter.around
(comment) @comment.around
