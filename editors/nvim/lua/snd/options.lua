--- Options of users: from setup(), or from the table vim.g.snd without it.

local M = {}

---@class snd.Options
---@field cmd string[] the language server
---@field root_markers string[] what stands in the folder of a project, the most telling first
---@field settings table the section `snd` of docs/language-server.md and docs/lsp.md
---@field capabilities table what the client can do besides what Neovim does; of completion plugins
---@field inlay_hints boolean whether values, shapes and names are shown beside the code
---@field code_lenses boolean whether lenses are shown above samples and definitions
---@field folding boolean whether definitions and blocks can be folded

---@type snd.Options
local defaults = {
  cmd = { "snd", "lsp" },
  root_markers = { "snd.toml", "pyproject.toml", ".git" },
  settings = {},
  capabilities = {},
  inlay_hints = true,
  code_lenses = true,
  folding = true,
}

local chosen = {}

---@param options table?
function M.choose(options)
  local unknown = vim.tbl_filter(function(name)
    return defaults[name] == nil
  end, vim.tbl_keys(options or {}))
  if #unknown > 0 then
    table.sort(unknown)
    vim.notify("snd: there is no option " .. table.concat(unknown, ", ") .. " (:help snd-options)", vim.log.levels.WARN)
  end
  for name, value in pairs(options or {}) do
    if defaults[name] ~= nil and type(value) ~= type(defaults[name]) then
      error(("snd: the option %s must be a %s (:help snd-options)"):format(name, type(defaults[name])), 0)
    end
  end
  chosen = options or {}
end

---@return snd.Options
function M.get()
  local merged = vim.tbl_deep_extend("force", defaults, vim.g.snd or {}, chosen)
  -- a list is one value: its items are not merged with those of another
  for _, name in ipairs({ "cmd", "root_markers" }) do
    merged[name] = chosen[name] or (vim.g.snd or {})[name] or defaults[name]
  end
  return merged
end

return M
