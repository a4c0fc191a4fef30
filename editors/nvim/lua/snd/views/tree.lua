--- The syntax tree of a document, a node a line.

local M = {}

local function collect(node, depth, rows)
  local text = node.text and " " .. vim.fn.strtrans(node.text) or ""
  local cut = node.cut and " …" or ""
  local start = node.range.start
  table.insert(rows, {
    text = ("%s%s%s%s  %d:%d"):format(("  "):rep(depth), node.kind, text, cut, start.line + 1, start.character + 1),
    range = node.range,
  })
  for _, child in ipairs(node.children or {}) do
    collect(child, depth + 1, rows)
  end
  return rows
end

---@param buffer integer
function M.open(buffer)
  local function refresh()
    require("snd.server").ask(buffer, "snd/syntaxTree", {}, function(tree)
      local rows = collect(tree, 0, {})
      require("snd.views.split").show("tree", buffer, rows, { place = "right", refresh = refresh })
    end)
  end
  refresh()
end

return M
