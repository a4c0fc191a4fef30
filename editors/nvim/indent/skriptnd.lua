if vim.b.did_indent then
  return
end
vim.b.did_indent = true

vim.bo.indentexpr = "v:lua.require'snd.indent'.of(v:lnum)"
vim.bo.indentkeys = "0},0),0],0=elif,0=else,!^F,o,O,e"
vim.bo.autoindent = true
vim.b.undo_indent = "setl inde< indk< ai<"
