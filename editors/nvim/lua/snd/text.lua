--- Options of buffers: formatting, folding, and where modules are.

local M = {}

local WAIT_MILLISECONDS = 1000

--- For 'formatexpr': comments are filled by Neovim itself, code is formatted by the server.
function M.format()
  local first, count = vim.v.lnum, vim.v.count
  for _, line in ipairs(vim.api.nvim_buf_get_lines(0, first - 1, first - 1 + count, false)) do
    if not line:match("^%s*#") and line:match("%S") then
      return vim.lsp.formatexpr()
    end
  end
  return 1
end

--- Returns a line without its strings and its comment.
---@param line string
---@return string
function M.bare(line)
  local code, quote, at = {}, nil, 1
  while at <= #line do
    local character = line:sub(at, at)
    if quote then
      if character == "\\" then
        at = at + 1
      elseif character == quote then
        quote = nil
      end
    elseif character == "#" then
      break
    elseif character == '"' or character == "'" then
      quote = character
      table.insert(code, "_")
    else
      table.insert(code, character)
    end
    at = at + 1
  end
  return (table.concat(code):gsub("%s+$", ""))
end

--- For 'foldexpr': braces over several lines.
function M.fold()
  local code = M.bare(vim.fn.getline(vim.v.lnum))
  local _, opening = code:gsub("{", "")
  local _, closing = code:gsub("}", "")
  if opening > closing then
    return "a" .. (opening - closing)
  end
  return closing > opening and "s" .. (closing - opening) or "="
end

--- The file of the module that the cursor is at, as the server links it.
local function linked()
  local parameters = { textDocument = vim.lsp.util.make_text_document_params(0) }
  local cursor = vim.api.nvim_win_get_cursor(0)
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = 0, name = "snd" })) do
    local answers = vim.lsp.buf_request_sync(0, "textDocument/documentLink", parameters, WAIT_MILLISECONDS)
    for _, link in ipairs(((answers or {})[client.id] or {}).result or {}) do
      local from, to = link.range.start, link.range["end"]
      -- modules have names of ASCII: columns are bytes
      if from.line == cursor[1] - 1 and from.character <= cursor[2] and cursor[2] < to.character and link.target then
        return vim.uri_to_fname(link.target)
      end
    end
  end
end

--- For 'includeexpr': `b.c` of an import is b/c.sknd beside the file, or wherever the server finds it.
---@param name string
function M.module(name)
  local path = linked()
  if path then
    return path
  end
  return (name:gsub("[,;]+$", ""):gsub("^.*,", ""):gsub("%.", "/"))
end

return M
