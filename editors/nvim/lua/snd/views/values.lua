--- The results of a graph or an operator, a line for each output.

local M = {}

-- Tensors with more elements are shown by their statistics.
local MOST_ELEMENTS = 100

local function number_text(value)
  return type(value) == "number" and ("%.4g"):format(value) or tostring(value)
end

local function statistics_text(statistics)
  local parts = { "n=" .. statistics.n }
  if statistics.min then
    table.insert(parts, ("x∈[%s, %s]"):format(number_text(statistics.min), number_text(statistics.max)))
  end
  for key, sign in vim.spairs({ mean = "μ", std = "σ", ["true"] = "true", distinct = "distinct" }) do
    if statistics[key] then
      table.insert(parts, ("%s=%s"):format(sign, number_text(statistics[key])))
    end
  end
  for _, key in ipairs({ "nan", "inf" }) do -- that there are none goes without saying
    if (statistics[key] or 0) ~= 0 then
      table.insert(parts, ("%s=%d"):format(key, statistics[key]))
    end
  end
  return table.concat(parts, " ")
end

--- A value as the language writes it: reals with a point.
local function literal(value, dtype)
  if type(value) == "table" then
    return "[" .. table.concat(vim.tbl_map(function(each)
      return literal(each, dtype)
    end, value), ", ") .. "]"
  end
  if dtype == "str" then
    return "'" .. value .. "'"
  end
  local text = type(value) == "number" and ("%.9g"):format(value) or tostring(value)
  return dtype == "real" and text:match("^-?%d+$") and text .. ".0" or text
end

local function value_lines(value, depth)
  local indentation = ("  "):rep(depth)
  if value.items then
    local lines = { ("%s%s: pack of %d"):format(indentation, value.name, #value.items) }
    for _, item in ipairs(value.items) do
      vim.list_extend(lines, value_lines(item, depth + 1))
    end
    return lines
  end
  if not value.dtype then
    return { ("%s%s: null"):format(indentation, value.name) }
  end
  local shape = table.concat(vim.tbl_map(tostring, value.shape), ",")
  local lines = {
    ("%s%s: %s[%s] %s"):format(indentation, value.name, value.dtype, shape, statistics_text(value.statistics)),
  }
  if value.values ~= nil and value.statistics.n <= MOST_ELEMENTS then
    table.insert(lines, indentation .. "  " .. literal(value.values, value.dtype))
  end
  return lines
end

---@param answer table of docs/run.schema.json
---@return snd.Row[]
function M.rows(answer)
  local title = answer.graph and "graph " .. answer.graph or "operator " .. answer.operator
  local rows = { { text = title, group = "Title" } }
  local function add(values)
    for _, value in ipairs(values) do
      for _, line in ipairs(value_lines(value, 0)) do
        table.insert(rows, { text = line })
      end
    end
  end
  add(answer.outputs)
  if #answer.random.inputs > 0 then
    table.insert(rows, { text = ("random, by seed %d:"):format(answer.seed), group = "Comment" })
    add(answer.random.inputs)
  end
  for _, diagnostic in ipairs(answer.diagnostics) do
    local at = { line = diagnostic.range.start.line - 1, character = 0 }
    table.insert(rows, {
      text = ("%s: %s [%s]"):format(diagnostic.severity, diagnostic.message, diagnostic.rule),
      range = { start = at, ["end"] = at },
      group = diagnostic.severity == "error" and "DiagnosticError" or "DiagnosticWarn",
    })
  end
  return rows
end

---@param buffer integer
---@param given { name: string?, kind: "graph"|"operator", attributes: string[], inputs: string[] }
function M.open(buffer, given)
  local parameters = { attributes = given.attributes, inputs = given.inputs }
  parameters[given.kind] = given.name
  require("snd.server").ask(buffer, "snd/evaluate", parameters, function(answer)
    require("snd.views.split").show("values", buffer, M.rows(answer), { place = "below" })
  end)
end

return M
