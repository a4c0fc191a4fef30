--- Diagnostics that an edit of another buffer changed: the server tells when to request them again.
---
--- Neovim before 0.11 has no ear for that. Neovim 0.12 asks for those of the workspace, and keeps what they say of buffers
--- to itself, since it asks for each of these when it is edited.

local M = {}

local METHOD = "workspace/diagnostic/refresh"

---@param problem lsp.ResponseError?
---@param context lsp.HandlerContext
function M.refresh(problem, parameters, context)
  local theirs = vim.lsp.handlers[METHOD]
  if theirs then
    theirs(problem, parameters, context)
  end
  local client = vim.lsp.get_client_by_id(context.client_id)
  local provider = client and client.server_capabilities.diagnosticProvider
  for buffer in pairs(provider and client.attached_buffers or {}) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.diagnostic.is_enabled({ bufnr = buffer }) then
      require("snd.server").request(client, "textDocument/diagnostic", {
        identifier = provider.identifier,
        textDocument = vim.lsp.util.make_text_document_params(buffer),
      }, nil, buffer)
    end
  end
  return vim.NIL
end

return M
