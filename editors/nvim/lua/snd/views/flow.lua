--- The elements that an element of a tensor is computed from, or read for: a grid for each tensor, below the document.

local M = {}

-- Larger tensors would not fit into a window; the words above the grids say the same.
local MOST_COLUMNS = 100
local MOST_ROWS = 60
local MOST_SLICES = 8
local INDENT = 2

--- Of the last dimensions; a tensor of lower rank has one row, or one cell.
local function extents(tensor)
  local rank = #tensor.shape
  return rank > 1 and tensor.shape[rank - 1] or 1, rank > 0 and tensor.shape[rank] or 1
end

--- The slices along the last two dimensions with elements that take part, in order: where data decide, an index is NIL.
local function slices(tensor)
  local rank = #tensor.shape
  local found, order = {}, {}
  for _, cell in ipairs(tensor.cells) do
    local at = vim.list_slice(cell, 1, math.max(0, rank - 2))
    local name = table.concat(
      vim.tbl_map(function(index)
        return index == vim.NIL and "*" or tostring(index)
      end, at),
      ","
    )
    if not found[name] then
      found[name] = { at = at, name = name, cells = {} }
      table.insert(order, found[name])
    end
    local row, column = rank > 1 and cell[rank - 1] or 0, rank > 0 and cell[rank] or 0
    table.insert(found[name].cells, { row, column })
  end
  return order
end

local function is_in(cells, row, column)
  return vim.iter(cells):any(function(cell)
    return (cell[1] == vim.NIL or cell[1] == row) and (cell[2] == vim.NIL or cell[2] == column)
  end)
end

--- A cell as the server reads it, such as `y[0,2]`; where data decide about an index, any is as good as another.
local function cell_text(tensor, slice, row, column)
  local index = vim.tbl_map(function(each)
    return each == vim.NIL and 0 or each
  end, slice.at)
  vim.list_extend(index, vim.list_slice({ row, column }, 3 - math.min(2, #tensor.shape)))
  return ("%s[%s]"):format(tensor.name, table.concat(index, ","))
end

local function add_grid(rows, tensor, slice, sign, ask)
  local height, width = extents(tensor)
  for row = 0, height - 1 do
    local signs = {}
    for column = 0, width - 1 do
      table.insert(signs, is_in(slice.cells, row, column) and sign or "·")
    end
    table.insert(rows, {
      text = (" "):rep(INDENT) .. table.concat(signs, " "),
      pick = function(screen_column)
        local column = math.floor((screen_column - INDENT) / 2)
        if 0 <= column and column < width then
          ask(cell_text(tensor, slice, row, column))
        end
      end,
    })
  end
end

local function add_tensor(rows, tensor, sign, ask)
  local height, width = extents(tensor)
  local title = ("%s[%s]"):format(tensor.name, table.concat(tensor.shape, ","))
  table.insert(rows, { text = title, group = "Identifier" })
  if height > MOST_ROWS or width > MOST_COLUMNS then
    table.insert(rows, { text = (" "):rep(INDENT) .. "too large for a window", group = "Comment" })
    return
  end
  local found = slices(tensor)
  for number, slice in ipairs(found) do
    if number > MOST_SLICES then
      local text = ("and %d more slices"):format(#found - MOST_SLICES)
      table.insert(rows, { text = (" "):rep(INDENT) .. text, group = "Comment" })
      return
    end
    if slice.name ~= "" then
      table.insert(rows, { text = ("%s[%s,:,:]"):format(tensor.name, slice.name), group = "Comment" })
    end
    add_grid(rows, tensor, slice, sign, ask)
  end
end

---@param answer table of snd/dataFlow, docs/lsp.md
---@param ask fun(cell: string) asks about another element
---@return snd.Row[]
function M.rows(answer, ask)
  local rows = { { text = ("%s %s"):format(answer.definition, (answer.sizes:gsub("`", ""))), group = "Title" } }
  for _, line in ipairs(answer.text) do
    table.insert(rows, { text = line })
  end
  local function add_others()
    for _, tensor in ipairs(answer.tensors) do
      add_tensor(rows, tensor, "■", ask)
    end
  end
  if answer.direction == "reads" then
    add_others()
  end
  add_tensor(rows, answer.of, "◆", ask)
  if answer.direction ~= "reads" then
    add_others()
  end
  return rows
end

---@param buffer integer
---@param given { definition: string?, cell: string? }
function M.open(buffer, given)
  local function refresh()
    local parameters = { definition = given.definition, cell = given.cell }
    require("snd.server").ask(buffer, "snd/dataFlow", parameters, function(answer)
      local function ask(cell)
        given.cell = cell
        refresh()
      end
      local rows = M.rows(answer, ask)
      require("snd.views.split").show("flow", buffer, rows, { place = "below", refresh = refresh })
    end)
  end
  refresh()
end

return M
