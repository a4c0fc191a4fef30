if vim.b.did_ftplugin then
  return
end
vim.b.did_ftplugin = true

local options = require("snd.options").get()

vim.bo.comments = ":#"
vim.bo.commentstring = "# %s"
vim.opt_local.formatoptions:remove("t")
vim.opt_local.formatoptions:append("croqlj")
vim.bo.formatexpr = "v:lua.require'snd.text'.format()"
vim.bo.iskeyword = "48-57,65-90,97-122,_"
vim.bo.suffixesadd = ".sknd"
vim.bo.include = [[^\s*import\>]]
vim.bo.includeexpr = "v:lua.require'snd.text'.module(v:fname)"
vim.bo.define = [[^\s*\%(public\s\+\)\=\%(graph\|operator\)\>]]
vim.bo.expandtab = true
vim.bo.shiftwidth = 4
vim.bo.softtabstop = 4
vim.b.match_words = [[\<if\>:\<then\>:\<elif\>:\<else\>,\<\%(with\|for\|while\)\>:\<do\>]]
vim.b.match_skip = [[s:comment\|string]]

local undo = "setl com< cms< fo< fex< isk< sua< inc< inex< def< et< sw< sts<"
  .. " | unlet! b:match_words b:match_skip"
if options.folding then
  vim.wo[0][0].foldmethod = "expr"
  vim.wo[0][0].foldexpr = "v:lua.require'snd.text'.fold()"
  vim.wo[0][0].foldlevel = 99
  undo = undo .. " | setl fdm< fde< fdl<"
end
vim.b.undo_ftplugin = (vim.b.undo_ftplugin and vim.b.undo_ftplugin .. " | " or "")
  .. undo
  .. " | lua require('snd.commands').remove(0)" -- the last: `lua` takes bars for its own

require("snd.commands").create(0)

pcall(vim.treesitter.start) -- where the parser of editors/tree-sitter-skriptnd is installed; else the syntax file colours
