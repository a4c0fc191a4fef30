--- SkriptND in Neovim: what users call.

local M = {}

local function start(buffer)
  if vim.bo[buffer].buftype ~= "" or vim.b[buffer].snd_unstarted then
    return
  end
  local config = require("snd.client").config()
  if vim.fn.executable(config.cmd[1]) == 0 then
    vim.b[buffer].snd_unstarted = true -- told once
    vim.notify(
      ("snd: there is no program %s: install it, or set the option cmd (:help snd-install)"):format(config.cmd[1]),
      vim.log.levels.WARN
    )
    return
  end
  require("snd.server").start(config, buffer)
end

--- Starts the language server for SkriptND, in this and in all further buffers. Options: :help snd-options.
---@param options snd.Options?
function M.setup(options)
  if vim.fn.has("nvim-0.10") == 0 then
    error("snd needs Neovim 0.10 or newer", 0)
  end
  require("snd.options").choose(options)
  if vim.lsp.config and vim.lsp.enable then
    vim.lsp.config("snd", require("snd.client").config())
    vim.lsp.enable("snd")
    return
  end
  vim.api.nvim_create_autocmd("FileType", {
    group = vim.api.nvim_create_augroup("snd.setup", {}),
    pattern = require("snd.languages").filetypes,
    callback = function(event)
      start(event.buf)
    end,
  })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and require("snd.languages").is_ours(buffer) then
      start(buffer)
    end
  end
end

return M
