[
  (definition)
  (body)
  (array)
] @fold
