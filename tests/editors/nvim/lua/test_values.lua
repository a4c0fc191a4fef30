local TEXT = [[
import math;

# Doubles.
# >>> double([1.0, 2.0])
# y: real[2] = [2.0, 4.0]
#
# >>> double([3.0])
operator double {
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @compose { y = math.add(x, x); }
}

graph net {
    @attrib { n: int = 2; }
    @input { a: real[n]; b: real[n]; }
    @output { y: real[n]; }
    @compose {
        t = math.add(a, b);
        y = double(t);
    }
}
]]

local function document(name)
  write("snd.toml", "")
  return edit(name .. ".sknd", TEXT)
end

local function await_hint(buffer, line, text)
  return await("the hint " .. text, function()
    return vim.iter(hints(buffer)):find(function(each)
      return vim.startswith(each, line .. ": ") and each:find(text, 1, true) ~= nil
    end)
  end)
end

--- Runs the lens of the line of the cursor that has a title.
local function run_lens(title)
  local select = vim.ui.select
  vim.ui.select = function(items, options, choose)
    vim.ui.select = select
    for _, item in ipairs(items) do
      if options.format_item(item):find(title, 1, true) then
        choose(item)
      end
    end
  end
  vim.lsp.codelens.run()
end

test("values of samples are shown beside them", function()
  local buffer = document("automatic")
  check(vim.lsp.inlay_hint.is_enabled({ bufnr = buffer }), "inlay hints are off")
  await_hint(buffer, 5, "✓")
  await_hint(buffer, 7, "[6.0]")
end)

test("values follow edits", function()
  local buffer = document("edits")
  await_hint(buffer, 7, "[6.0]")
  vim.api.nvim_buf_set_lines(buffer, 6, 7, false, { "# >>> double([5.0])" })
  await_hint(buffer, 7, "[10.0]")
end)

test("values are drawn", function()
  local buffer = document("drawn")
  await_hint(buffer, 7, "[6.0]")
  await("the drawn value", function()
    return drawn(buffer):find("%[6.0%]")
  end)
end)

test("hovers in a sample show its value as text", function()
  local buffer = document("hover")
  await_hint(buffer, 7, "[6.0]")
  at("double([3.0])")
  contains(ask("textDocument/hover").contents.value, "6.0")
end)

test(":SndEvaluate tells what comes out", function()
  document("evaluate")
  at("double([3.0])")
  vim.cmd("SndEvaluate")
  await_told("y: real[1] = [6.0]")
end)

test(":SndEvaluate says where there is no sample", function()
  document("no_sample")
  at("graph net")
  vim.cmd("SndEvaluate")
  await_told("there is no sample")
end)

test(":SndRefresh evaluates again, and :SndEvaluate what is not known", function()
  local buffer = document("refresh")
  await_hint(buffer, 7, "[6.0]")
  at("double([3.0])")
  local function seconds()
    return ask("snd/evaluate").seconds
  end
  local before = seconds()
  vim.cmd("SndEvaluate")
  await_told("y: real[1] = [6.0]")
  equal(seconds(), before)
  vim.cmd("messages clear")
  vim.cmd("SndRefresh")
  await_told("y: real[1] = [6.0]")
  await("another measurement", function()
    if seconds() ~= before then
      return true
    end
    vim.cmd("SndRefresh") -- it took as many microseconds
  end)
end)

test(":SndRecord writes the result below the sample", function()
  local buffer = document("record")
  at("double([3.0])")
  vim.cmd("SndRecord")
  await("the recorded line", function()
    return lines(buffer)[8] == "# y: real[1] = [6.0]"
  end)
  await_hint(buffer, 8, "✓")
end)

test("lenses are shown and count references", function()
  local buffer = document("lenses")
  local text = await("lenses", function()
    local found = drawn(buffer)
    return found:find("3 references", 1, true) and found:find("record result", 1, true) and found
  end)
  contains(text, "refresh")
end)

test("lenses are shown in a file that is said to be SkriptND", function()
  -- by a server of its own without samples, which has no other reason to ask for lenses to be shown again
  write("lenses/snd.toml", "")
  local code = "operator one { @input { x: real[]; } @output { y: real[]; } @compose { y = x; } }\n"
  code = code .. code:gsub("one", "two"):gsub("y = x", "y = one(x)")
  local function await_lenses(buffer)
    await("lenses", function()
      return drawn(buffer):find("1 reference", 1, true)
    end)
  end
  local first = edit("lenses/first.sknd", code)
  await_lenses(first)
  vim.cmd.edit(write("lenses/second.txt", code))
  local second = vim.api.nvim_get_current_buf()
  vim.bo.filetype = "skriptnd"
  equal(client(second).id, client(first).id)
  await_lenses(second)
end)

test("a lens is run", function()
  local buffer = document("run_lens")
  await("the lens", function()
    return drawn(buffer):find("record result", 1, true)
  end)
  at("double([3.0])")
  run_lens("record result")
  await("the recorded line", function()
    return lines(buffer)[8] == "# y: real[1] = [6.0]"
  end)
  await("the lenses to follow", function()
    return not drawn(buffer):find("record result", 1, true)
  end)
end)

test("the lens that counts references opens a list of them", function()
  local buffer = document("show_references")
  at("operator double")
  await("the lens", function()
    vim.cmd.redraw() -- newer versions count when they draw
    return vim.iter(vim.lsp.codelens.get(vim.lsp.codelens.enable and { bufnr = buffer } or buffer)):any(function(each)
      local lens = each.lens or each
      return lens.command ~= nil and lens.command.title == "3 references"
    end)
  end)
  vim.lsp.codelens.run()
  await("the list", function()
    return #vim.fn.getqflist() == 3
  end)
  contains(vim.fn.getqflist({ title = 0 }).title, "3 references")
  vim.cmd("cclose")
end)

test("a lens runs a graph by its sample, and values stand at its statements", function()
  local buffer = edit("graph_values.sknd", (TEXT:gsub("graph net", "# >>> net([1.0, 2.0], [3.0, 4.0])\ngraph net")))
  local line = at("graph net")
  await("the lens", function()
    return drawn(buffer):find("evaluate the graph", 1, true)
  end)
  run_lens("evaluate the graph")
  await_hint(buffer, line + 6, "[8.0, 12.0]")
end)

test(":SndEvaluateGraph shows what comes out of the graph", function()
  document("graph")
  at("graph net")
  vim.cmd("SndEvaluateGraph n=3 a=[1.0,2.0,3.0] b=ones[3]")
  local values = shown("values")
  contains(values, "graph net")
  contains(values, "y: real[3]")
  contains(values, "[4.0, 6.0, 8.0]")
end)

test(":SndEvaluateGraph evaluates the operator at the cursor", function()
  document("operator")
  at("operator double")
  vim.cmd("SndEvaluateGraph x=[1.5]")
  contains(shown("values"), "operator double")
  contains(shown("values"), "[3.0]")
end)

test(":SndEvaluateGraph! asks for the inputs that are not given", function()
  document("asking")
  at("graph net")
  local asked = {}
  local input = vim.ui.input
  vim.ui.input = function(options, done)
    table.insert(asked, options.prompt)
    done("[10.0,20.0]")
  end
  vim.cmd("SndEvaluateGraph! a=[1.0,2.0]")
  vim.ui.input = input
  equal(#asked, 1)
  contains(asked[1], "b")
  contains(shown("values"), "[22.0, 44.0]")
end)

test(":SndEvaluateGraph says what it does not know", function()
  document("unknown")
  vim.cmd("SndEvaluateGraph nothing")
  contains(told(), "there is no definition nothing here")
end)

test(":SndEvaluateGraph completes definitions, attributes and inputs", function()
  document("completing")
  at("graph net")
  equal(vim.fn.getcompletion("SndEvaluateGraph ", "cmdline"), { "double", "net", "n=", "a=", "b=" })
  equal(vim.fn.getcompletion("SndEvaluateGraph double ", "cmdline"), { "double", "net", "x=" })
end)

test("mistakes stand below the values", function()
  local buffer = document("mistakes")
  at("graph net")
  vim.cmd("SndEvaluateGraph n=3 a=[1.0] b=ones[3]")
  await("a message", function()
    return told():find("snd:", 1, true) or (view("values") or ""):find("error", 1, true)
  end)
  check(vim.api.nvim_buf_is_valid(buffer), "the document is gone")
end)

test("inlay hints and lenses can be switched off", function()
  require("snd.options").choose({ inlay_hints = false, code_lenses = false })
  local said = false
  local handle = vim.lsp.handlers["workspace/inlayHint/refresh"]
  vim.lsp.handlers["workspace/inlayHint/refresh"] = function(...)
    said = true
    return handle(...)
  end
  local buffer = document("switched_off")
  await("the values", function()
    return said
  end)
  vim.lsp.handlers["workspace/inlayHint/refresh"] = handle
  ask("textDocument/codeLens") -- answered after what was asked for before
  check(not vim.lsp.inlay_hint.is_enabled({ bufnr = buffer }), "inlay hints are on")
  equal(drawn(buffer), "")
  require("snd.options").choose({})
end)
