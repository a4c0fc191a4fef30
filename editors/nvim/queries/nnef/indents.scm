; Each node has the capture of Neovim and that of Helix.

[
  (body)
  (parameters)
  (results)
  (arguments)
  (array)
  (comprehension)
] @indent.begin @indent

[ "}" ")" "]" ] @indent.branch @indent.end @outdent
