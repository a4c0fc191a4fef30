--- The tensors of a composed graph with their shapes, as a table beside the document.

local M = {}

local function shape_text(tensor)
  if tensor.items then
    local items = vim.tbl_map(shape_text, tensor.items)
    return "(" .. table.concat(items, ", ") .. ")"
  end
  if not tensor.shape then
    return tensor.dtype and tensor.dtype .. "[?]" or "?"
  end
  local count = tensor.count and ("..(%s)"):format(tensor.count) or ""
  return ("%s[%s]%s"):format(tensor.dtype or "?", table.concat(vim.tbl_map(tostring, tensor.shape), ","), count)
end

--- Upper bounds, where an extent is known at the run only.
local function bound_text(tensor)
  if not tensor.shape or not tensor.bound then
    return ""
  end
  local dynamic = false
  local bounds = {}
  for place, extent in ipairs(tensor.shape) do
    dynamic = dynamic or type(extent) == "string"
    local bound = tensor.bound[place]
    table.insert(bounds, bound == vim.NIL and "∞" or tostring(bound))
  end
  return dynamic and "≤ [" .. table.concat(bounds, ",") .. "]" or ""
end

local function named(tensors)
  local names = {}
  for _, tensor in ipairs(tensors) do
    names[tensor.name] = true
  end
  return names
end

local function kind_text(kinds, name)
  for kind, names in pairs(kinds) do
    if names[name] then
      return kind
    end
  end
  return ""
end

--- The operations by the tensors that they give, and those of control flow inside of it.
local function collect(scope, kinds, depth, into)
  local operators = {}
  local function note(reference, operation)
    if type(reference) == "string" then
      operators[reference] = operation.operator
    elseif vim.islist(reference) then
      for _, each in ipairs(reference) do
        note(each, operation)
      end
    end
  end
  for _, operation in ipairs(scope.operations) do
    for _, output in ipairs(operation.outputs) do
      note(output, operation)
    end
  end
  for _, tensor in ipairs(scope.tensors) do
    table.insert(into, {
      cells = {
        ("  "):rep(depth) .. tensor.name,
        kind_text(kinds, tensor.name),
        shape_text(tensor),
        bound_text(tensor),
        operators[tensor.name] or "",
      },
      line = tensor.line,
    })
  end
  for _, operation in ipairs(scope.operations) do
    for name, inside in vim.spairs(operation.subgraphs or {}) do
      table.insert(into, { cells = { ("  "):rep(depth) .. operation.operator .. ": " .. name, "", "", "", "" } })
      collect(inside, {}, depth + 1, into)
    end
  end
  return into
end

local function aligned(entries)
  local widths = {}
  for _, entry in ipairs(entries) do
    for column, cell in ipairs(entry.cells) do
      widths[column] = math.max(widths[column] or 0, vim.fn.strdisplaywidth(cell))
    end
  end
  return vim.tbl_map(function(entry)
    local padded = {}
    for column, cell in ipairs(entry.cells) do
      table.insert(padded, cell .. (" "):rep(widths[column] - vim.fn.strdisplaywidth(cell)))
    end
    local at = entry.line and { line = entry.line - 1, character = 0 }
    return {
      text = (table.concat(padded, "  "):gsub("%s+$", "")),
      range = at and { start = at, ["end"] = at },
      group = entry.group,
    }
  end, entries)
end

---@param answer table of docs/shapes.schema.json
---@return snd.Row[]
function M.rows(answer)
  local attributes = {}
  for name, value in vim.spairs(answer.attributes) do
    table.insert(attributes, ("%s=%s"):format(name, vim.json.encode(value)))
  end
  local given = #attributes > 0 and (" {%s}"):format(table.concat(attributes, ", ")) or ""
  local title = "graph " .. answer.graph .. given
  local kinds = { input = named(answer.inputs), output = named(answer.outputs), variable = named(answer.variables) }
  local entries = { { cells = { "tensor", "kind", "shape", "at most", "operator" }, group = "Title" } }
  local rows = { { text = title, group = "Comment" } }
  -- Before the tensors, as 'snd shapes' prints them: a line with both is followed to the last row of it, the tensor.
  for _, diagnostic in ipairs(answer.diagnostics) do
    local at = { line = diagnostic.range.start.line - 1, character = 0 }
    local group = diagnostic.severity == "error" and "DiagnosticError" or "DiagnosticWarn"
    table.insert(rows, {
      text = ("%s: %s [%s]"):format(diagnostic.severity, diagnostic.message, diagnostic.rule),
      range = { start = at, ["end"] = at },
      group = group,
    })
  end
  return vim.list_extend(rows, aligned(collect(answer, kinds, 0, entries)))
end

---@param buffer integer
---@param given { name: string?, attributes: string[], inputs: string[] }
function M.open(buffer, given)
  local function refresh()
    require("snd.server").ask(buffer, "snd/composedGraph", {
      graph = given.name,
      attributes = given.attributes,
      inputs = given.inputs,
    }, function(answer)
      require("snd.views.split").show("shapes", buffer, M.rows(answer), { place = "below", refresh = refresh })
    end)
  end
  refresh()
end

return M
