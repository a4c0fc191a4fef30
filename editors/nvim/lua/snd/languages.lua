--- The filetypes that the server knows.

local M = { filetypes = { "skriptnd", "nnef" } }

---@param buffer integer
function M.is_ours(buffer)
  return vim.list_contains(M.filetypes, vim.bo[buffer].filetype)
end

return M
