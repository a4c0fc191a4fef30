-- For Neovim 0.11 and newer: vim.lsp.enable("snd").
return require("snd.client").config()
