vim.filetype.add({ extension = { sknd = "skriptnd" } })
