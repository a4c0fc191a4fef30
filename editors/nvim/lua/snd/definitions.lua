--- The graphs and operators of a document with what they take, from its outline.

local M = {}

local Kind = vim.lsp.protocol.SymbolKind
local WAIT_MILLISECONDS = 2000

---@class snd.Definition
---@field name string
---@field kind "graph"|"operator"
---@field range lsp.Range
---@field attributes string[]
---@field inputs string[]

local function names_in(symbol, block)
  for _, child in ipairs(symbol.children or {}) do
    if child.name == block then
      return vim.tbl_map(function(each)
        return each.name
      end, child.children or {})
    end
  end
  return {}
end

--- Empty without a server.
---@param buffer integer
---@return snd.Definition[]
function M.of(buffer)
  local parameters = { textDocument = vim.lsp.util.make_text_document_params(buffer) }
  local found = {}
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = buffer, name = "snd" })) do
    local answers = vim.lsp.buf_request_sync(buffer, "textDocument/documentSymbol", parameters, WAIT_MILLISECONDS)
    for _, symbol in ipairs(((answers or {})[client.id] or {}).result or {}) do
      if symbol.kind == Kind.Class or symbol.kind == Kind.Function then
        table.insert(found, {
          name = symbol.name,
          kind = symbol.kind == Kind.Class and "graph" or "operator",
          range = symbol.range,
          attributes = vim.list_extend(names_in(symbol, "@dtype"), names_in(symbol, "@attrib")),
          inputs = names_in(symbol, "@input"),
        })
      end
    end
  end
  return found
end

--- The definition of this name; without one that in which a line is, else the first graph.
---@param definitions snd.Definition[]
---@param name string?
---@param line integer from 0
---@return snd.Definition?
function M.chosen(definitions, name, line)
  local graph
  for _, each in ipairs(definitions) do
    if each.name == name then
      return each
    end
    if not name and each.range.start.line <= line and line <= each.range["end"].line then
      return each
    end
    graph = graph or (each.kind == "graph" and each or nil)
  end
  return not name and graph or nil
end

return M
