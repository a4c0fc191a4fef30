vim.filetype.add({ extension = { nnef = "nnef", quant = "nnef" } })
