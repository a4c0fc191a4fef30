--- Code lenses that are shown, and asked for again when they may have changed.
---
--- Neovim 0.12 does this by itself. Before, lenses come only when they are asked for.

local M = {}

local PAUSE_MILLISECONDS = 200
local CONTENT_MODIFIED = -32801

---@type table<integer, uv.uv_timer_t>
local waiting = {}

local ask_soon

local function ask(client, buffer)
  if not vim.api.nvim_buf_is_loaded(buffer) or client:is_stopped() then
    return
  end
  local parameters = { textDocument = vim.lsp.util.make_text_document_params(buffer) }
  -- Not codelens.refresh(): it asks nothing as long as an answer is awaited, which may be one for an older text.
  require("snd.server").request(client, "textDocument/codeLens", parameters, function(problem, lenses, context)
    if problem and problem.code == CONTENT_MODIFIED then
      ask_soon(client, buffer)
    else
      vim.lsp.codelens.on_codelens(problem, lenses, context)
    end
  end, buffer)
end

function ask_soon(client, buffer)
  if waiting[buffer] then
    waiting[buffer]:stop()
  end
  waiting[buffer] = vim.defer_fn(function()
    waiting[buffer] = nil
    ask(client, buffer)
  end, PAUSE_MILLISECONDS)
end

---@param client vim.lsp.Client
---@param buffer integer
function M.show(client, buffer)
  if vim.lsp.codelens.enable then
    vim.lsp.codelens.enable(true, { bufnr = buffer })
    return
  end
  local group = vim.api.nvim_create_augroup("snd.lenses." .. buffer, {})
  vim.api.nvim_create_autocmd({ "TextChanged", "InsertLeave", "BufEnter" }, {
    group = group,
    buffer = buffer,
    callback = function()
      ask_soon(client, buffer)
    end,
  })
  vim.api.nvim_create_autocmd("LspDetach", {
    group = group,
    buffer = buffer,
    callback = function(event)
      if event.data.client_id == client.id then
        vim.api.nvim_del_augroup_by_id(group)
      end
    end,
  })
  ask(client, buffer)
end

--- Handles the message of the server that lenses changed.
---@param client_id integer
function M.refresh(client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  if not client or not require("snd.options").get().code_lenses then
    return
  end
  for buffer in pairs(client.attached_buffers) do
    ask(client, buffer)
  end
end

return M
