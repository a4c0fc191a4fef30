--- The configuration of the language client, the same for vim.lsp.config and for vim.lsp.start.

local M = {}

local function show_references(command, context)
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  local places = command.arguments[3]
  local items = vim.lsp.util.locations_to_items(places, client.offset_encoding)
  vim.fn.setqflist({}, " ", { title = command.title, items = items })
  vim.cmd("botright copen")
end

local function capabilities(options)
  -- `grammar`: of strings, comments and samples, the syntax file tells more than one token for the whole of each
  local ours = { experimental = { commands = { "snd.showReferences" }, grammar = true } }
  ours.workspace = {
    diagnostics = { refreshSupport = true },
    -- It does not say so, but it can, and applies no edit to a text that has changed meanwhile.
    workspaceEdit = { documentChanges = true },
  }
  if not vim.lsp.codelens.enable then -- Neovim before 0.12 does not request lenses again
    ours.workspace.codeLens = { refreshSupport = true }
  end
  ours = vim.tbl_deep_extend("force", ours, options.capabilities)
  if vim.fn.has("nvim-0.11") == 1 then -- adds them to its own
    return ours
  end
  return vim.tbl_deep_extend("force", vim.lsp.protocol.make_client_capabilities(), ours)
end

local function handlers()
  local ours = {
    ["workspace/diagnostic/refresh"] = function(...)
      return require("snd.diagnostics").refresh(...)
    end,
  }
  if not vim.lsp.codelens.enable then
    ours["workspace/codeLens/refresh"] = function(_, _, context)
      require("snd.lenses").refresh(context.client_id)
      return vim.NIL
    end
  end
  return ours
end

---@return vim.lsp.ClientConfig
function M.config()
  local options = require("snd.options").get()
  return {
    name = "snd",
    cmd = options.cmd,
    filetypes = require("snd.languages").filetypes,
    root_dir = function(buffer, found)
      found(require("snd.root").of(buffer))
    end,
    capabilities = capabilities(options),
    commands = { ["snd.showReferences"] = show_references },
    handlers = handlers(),
    -- an empty table would be sent as a list
    settings = { snd = next(options.settings) and options.settings or vim.empty_dict() },
    on_exit = require("snd.server").exited,
  }
end

return M
