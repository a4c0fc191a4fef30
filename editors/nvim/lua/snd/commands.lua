--- The commands of buffers with SkriptND.

local M = {}

local function matching(words, beginning)
  return vim.tbl_filter(function(word)
    return vim.startswith(word, beginning)
  end, words)
end

--- Arguments are the name of a definition, and NAME=VALUE for its attributes and inputs. Nil if there is none such.
local function parse(buffer, arguments)
  local definitions = require("snd.definitions")
  local known = definitions.of(buffer)
  local values, name = {}, nil
  for _, argument in ipairs(arguments) do
    if argument:find("=", 1, true) then
      table.insert(values, argument)
    else
      name = argument
    end
  end
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local definition = definitions.chosen(known, name, line)
  if not definition then
    local missing = name and "definition " .. name or "graph"
    vim.notify(("snd: there is no %s here"):format(missing), vim.log.levels.WARN)
    return nil
  end
  local given = { name = definition.name, kind = definition.kind, attributes = {}, inputs = {} }
  for _, value in ipairs(values) do
    local key = value:match("^[^=]*")
    table.insert(vim.tbl_contains(definition.inputs, key) and given.inputs or given.attributes, value)
  end
  return given, definition
end

local function complete_definition(kinds)
  return function(beginning, line)
    local known = require("snd.definitions").of(0)
    local words, named = {}, nil
    for _, each in ipairs(known) do
      if kinds[each.kind] then
        table.insert(words, each.name)
        if line:find("%f[%w_]" .. each.name .. "%f[^%w_]") and each.name ~= beginning then
          named = each
        end
      end
    end
    named = named or require("snd.definitions").chosen(known, nil, vim.api.nvim_win_get_cursor(0)[1] - 1)
    for _, names in ipairs(named and { named.attributes, named.inputs } or {}) do
      for _, name in ipairs(names) do
        table.insert(words, name .. "=")
      end
    end
    return matching(words, beginning)
  end
end

--- Asks for the inputs that are not given, one after another; nothing said is a random one.
local function ask_inputs(given, names, done)
  local name = table.remove(names, 1)
  if not name then
    done(given)
    return
  end
  vim.ui.input({ prompt = ("%s (nothing for a random one): "):format(name) }, function(said)
    if said == nil then
      return -- given up
    end
    if said ~= "" then
      table.insert(given.inputs, name .. "=" .. said)
    end
    ask_inputs(given, names, done)
  end)
end

--- The arguments of a command about the current buffer, and the definition; nil without a server or a definition.
local function asked(call)
  local buffer = vim.api.nvim_get_current_buf()
  if not require("snd.server").client(buffer) then
    return buffer
  end
  return buffer, parse(buffer, call.fargs)
end

local function evaluate_graph(call)
  local buffer, given, definition = asked(call)
  if not given then
    return
  end
  local missing = {}
  if call.bang then
    missing = vim.tbl_filter(function(name)
      return not vim.iter(given.inputs):any(function(value)
        return vim.startswith(value, name .. "=")
      end)
    end, definition.inputs)
  end
  ask_inputs(given, missing, function(all)
    require("snd.views.values").open(buffer, all)
  end)
end

local function shapes(call)
  local buffer, given, definition = asked(call)
  if not given then
    return
  end
  if definition.kind == "operator" then
    if #call.fargs > 0 and vim.tbl_contains(call.fargs, given.name) then
      vim.notify("snd: the shapes of an operator are known where it is invoked; give a graph", vim.log.levels.WARN)
      return
    end
    given.name = nil -- the cursor is in an operator: the main graph
  end
  require("snd.views.shapes").open(buffer, given)
end

local function data_flow(call)
  local buffer = vim.api.nvim_get_current_buf()
  if not require("snd.server").client(buffer) then
    return
  end
  local definitions = require("snd.definitions")
  local definition = definitions.chosen(definitions.of(buffer), nil, vim.api.nvim_win_get_cursor(0)[1] - 1)
  require("snd.views.flow").open(buffer, {
    definition = definition and definition.name,
    cell = call.args ~= "" and call.args or nil,
  })
end

local function graph(call)
  local path = vim.api.nvim_buf_get_name(0)
  if vim.bo.modified then
    vim.notify("snd: the drawing is of the file as it was saved", vim.log.levels.INFO)
  end
  local picture = vim.fn.tempname() .. ".html"
  local arguments = { "graph", path, "-o", picture }
  if call.args ~= "" then
    vim.list_extend(arguments, { "--graph", call.args })
  end
  require("snd.program").run(arguments, function()
    if vim.fn.filereadable(picture) == 0 then
      return -- the error has been shown
    end
    local _, problem = vim.ui.open(picture)
    if problem then
      vim.notify(("snd: the drawing is in %s, which can't be shown: %s"):format(picture, problem), vim.log.levels.WARN)
    end
  end)
end

local function rule_at_cursor()
  local cursor = vim.api.nvim_win_get_cursor(0)
  local here = vim.diagnostic.get(0, { lnum = cursor[1] - 1 })
  table.sort(here, function(one, other)
    local function distance(each)
      return math.max(each.col - cursor[2], cursor[2] - each.end_col, 0)
    end
    return distance(one) < distance(other)
  end)
  return here[1] and here[1].code
end

local function rule(call)
  local name = call.args ~= "" and call.args or rule_at_cursor()
  if not name then
    vim.notify("snd: there is no diagnostic on this line; give the name of a rule", vim.log.levels.WARN)
    return
  end
  require("snd.program").run({ "rule", name }, function(page)
    vim.cmd("new")
    local buffer = vim.api.nvim_get_current_buf()
    vim.bo[buffer].buftype = "nofile"
    vim.bo[buffer].bufhidden = "wipe"
    vim.bo[buffer].swapfile = false
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(vim.trim(page), "\n"))
    vim.bo[buffer].filetype = "markdown"
    vim.bo[buffer].modifiable = false
  end)
end

local rule_names
local function complete_rule(beginning)
  if not rule_names then
    local listed = require("snd.program").output({ "rule", "--format", "json" })
    rule_names = listed and vim.tbl_map(function(each)
      return each.name
    end, vim.json.decode(listed))
  end
  return matching(rule_names or {}, beginning)
end

local function log()
  vim.cmd.split(vim.fn.fnameescape(vim.lsp.log.get_filename()))
  vim.cmd("normal! G")
end

local commands = {
  SndEvaluate = {
    function(call)
      require("snd.samples").evaluate(vim.api.nvim_get_current_buf(), call.line1, false)
    end,
    { range = true, desc = "Evaluate the sample at the cursor" },
  },
  SndRefresh = {
    function(call)
      require("snd.samples").evaluate(vim.api.nvim_get_current_buf(), call.line1, true)
    end,
    { range = true, desc = "Evaluate the sample at the cursor again" },
  },
  SndRecord = {
    function(call)
      require("snd.samples").record(vim.api.nvim_get_current_buf(), call.line1)
    end,
    { range = true, desc = "Write down what comes out of the sample at the cursor" },
  },
  SndEvaluateGraph = {
    evaluate_graph,
    {
      nargs = "*",
      bang = true,
      complete = complete_definition({ graph = true, operator = true }),
      desc = "Evaluate a graph or an operator; with ! it asks for inputs",
    },
  },
  SndShapes = {
    shapes,
    {
      nargs = "*",
      complete = complete_definition({ graph = true }),
      desc = "Show the tensors of a graph with their shapes",
    },
  },
  SndGraph = {
    graph,
    { nargs = "?", complete = complete_definition({ graph = true }), desc = "Draw a graph and open the drawing" },
  },
  SndDataFlow = {
    data_flow,
    { nargs = "?", desc = "Show what an element such as y[0,2] is computed from, or is read for" },
  },
  SndSyntaxTree = {
    function()
      require("snd.views.tree").open(vim.api.nvim_get_current_buf())
    end,
    { desc = "Show the syntax tree" },
  },
  SndRule = {
    rule,
    { nargs = "?", complete = complete_rule, desc = "Show the page of a rule, or of the diagnostic here" },
  },
  SndRestart = {
    function()
      require("snd.server").restart()
    end,
    { desc = "Start the language server again" },
  },
  SndLog = { log, { desc = "Open the log of language servers" } },
}

---@param buffer integer
function M.create(buffer)
  for name, command in pairs(commands) do
    vim.api.nvim_buf_create_user_command(buffer, name, command[1], command[2])
  end
end

---@param buffer integer
function M.remove(buffer)
  for name in pairs(commands) do
    pcall(vim.api.nvim_buf_del_user_command, buffer, name)
  end
end

return M
