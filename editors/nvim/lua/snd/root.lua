--- The folder of the project that a file belongs to.

local M = {}

local LIBRARY = "/snd_analysis/libraries/"

--- Nil for a file that belongs to no project. The standard library belongs to the one that it was reached from, so that
--- going to a definition in it starts no other server.
---@param buffer integer
---@return string?
function M.of(buffer)
  local path = vim.fs.normalize(vim.api.nvim_buf_get_name(buffer))
  if path:find(LIBRARY, 1, true) then
    local before = vim.fn.bufnr("#")
    local here = before ~= -1 and vim.lsp.get_clients({ name = "snd", bufnr = before })[1]
    local running = here or vim.lsp.get_clients({ name = "snd" })[1]
    if running then
      return running.config.root_dir
    end
  end
  for _, marker in ipairs(require("snd.options").get().root_markers) do
    local root = vim.fs.root(buffer, marker)
    if root then
      return root
    end
  end
end

return M
