--- Features that are switched on in a buffer when the language server attaches to it.

local M = {}

---@param client vim.lsp.Client
---@param buffer integer
function M.attached(client, buffer)
  local options = require("snd.options").get()
  require("snd.server").remember(client)
  if options.inlay_hints then
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
  end
  if options.code_lenses then
    require("snd.lenses").show(client, buffer)
  end
end

return M
