local TEXT = [[
import math;

operator double {
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @compose { y = math.add(x, x); }
}

graph net {
    @attrib { n: int = 2; }
    @input { a: real[n, 3]; }
    @output { y: real[n, 3]; }
    @compose {
        t = double(a);
        u = if n > 1 then { w = math.exp(t); yield w; } else t;
        y = math.neg(u);
    }
}
]]

local function document(name)
  write("snd.toml", "")
  return edit(name .. ".sknd", TEXT)
end

test(":SndShapes shows the tensors of the graph", function()
  document("shapes")
  vim.cmd("SndShapes")
  local text = shown("shapes")
  contains(text, "graph net {n=2}")
  check(text:find("t +real%[2,3%] +double"), text)
  check(text:find("a +input +real%[2,3%]"), text)
end)

test(":SndShapes takes attributes and shapes of inputs", function()
  document("shapes_given")
  vim.cmd("SndShapes net n=7")
  check(shown("shapes"):find("t +real%[7,3%]"), shown("shapes"))
end)

test(":SndShapes shows what is known of a graph with mistakes", function()
  edit("shapes_unknown.sknd", [[
import nn;

graph g {
    @attrib { unused: int? = null; }
    @input { x: real[2]; z: real[k]; p: real[2]..(3); }
    @output { y: real[2]; }
    @compose {
        a, b = nn.tuple(x);
        y = nn.relux(z);
    }
}
]])
  vim.cmd("SndShapes")
  local text = shown("shapes")
  check(text:find("x +input +real%[2%]\n"), text)
  check((text .. "\n"):find("y +output +%?\n"), text)
  contains(text, "error: the module 'nn' has no operator 'relux'")
end)

test("the table of shapes follows edits", function()
  local buffer = document("shapes_edited")
  vim.cmd("SndShapes")
  shown("shapes")
  vim.api.nvim_buf_set_lines(buffer, 9, 10, false, { "    @attrib { n: int = 5; }" })
  vim.api.nvim_exec_autocmds("TextChanged", { buffer = buffer })
  await("the new shape", function()
    return shown("shapes"):find("t +real%[5,3%]")
  end)
end)

test("<CR> in the table goes to the statement", function()
  document("shapes_jump")
  vim.cmd("SndShapes")
  local text, _, window = shown("shapes")
  for number, line in ipairs(vim.split(text, "\n")) do
    if line:match("^y ") then
      vim.api.nvim_win_set_cursor(window, { number, 0 })
    end
  end
  vim.api.nvim_set_current_win(window)
  vim.cmd("normal \r")
  contains(vim.api.nvim_buf_get_name(0), "shapes_jump.sknd")
  contains(vim.api.nvim_get_current_line(), "y = math.neg(u);")
end)

test("the table follows the cursor that is moved by keys", function()
  local path = write("shapes_moved.sknd", TEXT)
  local program = child()
  program.lua("vim.cmd.edit(...)", path)
  await("the server", function()
    return program.lua("local c = vim.lsp.get_clients({ name = 'snd' })[1] return c and c.initialized or false")
  end)
  program.lua("vim.cmd('SndShapes')")
  local function row()
    return program.lua([[
      for _, window in ipairs(vim.api.nvim_list_wins()) do
        local buffer = vim.api.nvim_win_get_buf(window)
        if vim.api.nvim_buf_get_name(buffer):find("snd://shapes", 1, true) then
          return vim.api.nvim_buf_get_lines(buffer, vim.fn.line(".", window) - 1, vim.fn.line(".", window), false)[1]
        end
      end
      return false
    ]])
  end
  await("the table", row)
  program.type("14G")
  await("the row of t", function()
    return (row() or ""):match("^t ")
  end)
  program.type("2j")
  await("the row of y", function()
    return (row() or ""):match("^y ")
  end)
  program.type("Oz = math.neg(t);<Esc>")
  await("the row of what was typed", function()
    return (row() or ""):match("^z ")
  end)
end)

test("q closes the view, and the command opens it again", function()
  document("shapes_closed")
  vim.cmd("SndShapes")
  local _, _, window = shown("shapes")
  vim.api.nvim_set_current_win(window)
  vim.cmd("normal q")
  check(not view("shapes"), "it is still there")
  vim.cmd("SndShapes")
  shown("shapes")
end)

test(":SndShapes completes graphs and what they take", function()
  document("shapes_completed")
  at("graph net")
  equal(vim.fn.getcompletion("SndShapes ", "cmdline"), { "net", "n=", "a=" })
end)

local POOL = [[
# >>> pool{size=3, stride=2}(random[1,9])
operator pool {
    @attrib { size: int; stride: int; }
    @input { x: real[b,n]; }
    @output { y: real[b,(n - size) / stride + 1]; }
    @assert { size > 0; stride > 0; n >= size; }
    @lower { y[i,k] >?= x[i,k * stride + l], i < b, k < (n - size) / stride + 1, l < size; }
}
]]

test(":SndDataFlow shows which elements an element is computed from, or is read for", function()
  edit("flow.sknd", POOL)
  at("@lower")
  vim.cmd("SndDataFlow y[0,1]")
  local text, buffer, window = shown("flow")
  contains(text, "y[0,1] reads x[0,2..4]")
  contains(text, "x[1,9]\n  · · ■ ■ ■ · · · ·")
  contains(text, "y[1,4]\n  · ◆ · ·")
  -- <CR> on an element of x asks about that one.
  vim.api.nvim_set_current_win(window)
  for number, line in ipairs(lines(buffer)) do
    if line:find("■", 1, true) then
      vim.api.nvim_win_set_cursor(window, { number, vim.str_byteindex(line, 2 + 2 * 8) })
    end
  end
  vim.cmd("normal \r")
  await("the other way", function()
    return view("flow"):find("x[0,8] is read for y[0,3]", 1, true)
  end)
  contains(view("flow"), "x[1,9]\n  · · · · · · · · ◆")
end)

test(":SndDataFlow chooses an element, follows edits, and says what there is not", function()
  local buffer = edit("flow_edited.sknd", POOL)
  at("@lower")
  vim.cmd("SndDataFlow")
  contains(shown("flow"), "y[0,2] reads x[0,4..6]")
  vim.api.nvim_buf_set_lines(buffer, 0, 1, false, { "# >>> pool{size=2, stride=3}(random[1,9])" })
  vim.api.nvim_exec_autocmds("TextChanged", { buffer = buffer })
  await("the new sizes", function()
    return shown("flow"):find("y[0,1] reads x[0,3..4]", 1, true)
  end)
  vim.cmd("SndDataFlow z[0]")
  await_told("there is no tensor 'z'")
end)

test(":SndSyntaxTree shows the tree and follows the cursor", function()
  document("tree")
  at("math.neg")
  vim.cmd("SndSyntaxTree")
  local text, buffer, window = shown("tree")
  contains(text, "File  1:1")
  contains(text, "Name net")
  check(vim.api.nvim_win_get_cursor(window)[1] > 1, "it does not follow")
  local row = lines(buffer)[vim.api.nvim_win_get_cursor(window)[1]]
  check(row:find("16:", 1, true), row)
end)

local function drawing(command)
  local opened
  local open = vim.ui.open
  vim.ui.open = function(path)
    opened = path
  end
  vim.cmd(command)
  await("the drawing", function()
    return opened
  end)
  vim.ui.open = open
  return table.concat(vim.fn.readfile(opened), "\n")
end

test("<CR> in the tree goes to the node, also behind astral characters", function()
  local buffer = edit("tree_jump.sknd", "operator o {\n    @assert { n > 0: \"🙂🙂 é\", n; }\n}\n")
  vim.cmd("SndSyntaxTree")
  local text, _, window = shown("tree")
  local last
  for number, row in ipairs(vim.split(text, "\n")) do
    last = row:find("Name n", 1, true) and number or last
  end
  check(last, text)
  vim.api.nvim_win_set_cursor(window, { last, 0 })
  vim.api.nvim_set_current_win(window)
  vim.cmd("normal \r")
  equal(vim.api.nvim_get_current_buf(), buffer)
  local cursor = vim.api.nvim_win_get_cursor(0)
  equal(cursor[1], 2)
  equal(vim.api.nvim_get_current_line():sub(cursor[2] + 1), "n; }")
end)

test(":SndGraph draws the graph and opens the drawing", function()
  document("drawing")
  local page = drawing("SndGraph net")
  contains(page, "<html")
  contains(page, "math.neg")
end)

test(":SndGraph tells of mistakes and draws what does not depend on them", function()
  local buffer = document("drawing_mistakes")
  vim.api.nvim_buf_set_lines(buffer, 15, 16, false, { "        y = math.nge(u);" })
  vim.cmd("silent write")
  contains(drawing("SndGraph"), "<html")
  await_told("nge")
end)

test(":SndGraph says which graphs there are not", function()
  document("drawing_unknown")
  vim.cmd("SndGraph nothing")
  await_told("nothing")
end)

test(":SndRule shows the page of the diagnostic at the cursor", function()
  local buffer = document("rule")
  vim.api.nvim_buf_set_lines(buffer, 13, 14, false, { "        t = doubel(a);" })
  await("the diagnostic", function()
    return #vim.diagnostic.get(buffer) > 0
  end)
  at("doubel")
  vim.cmd("SndRule")
  await("the page", function()
    return vim.bo.filetype == "markdown" and table.concat(lines(), "\n"):find("unknown-operator", 1, true)
  end)
  vim.cmd("bwipeout")
end)

test(":SndRule takes the name of a rule, and completes it", function()
  document("rule_named")
  check(vim.tbl_contains(vim.fn.getcompletion("SndRule unused", "cmdline"), "unused-import"), "it is not offered")
  vim.cmd("SndRule unused-import")
  await("the page", function()
    return vim.bo.filetype == "markdown" and table.concat(lines(), "\n"):find("unused-import", 1, true)
  end)
  vim.cmd("bwipeout")
end)

test(":SndRule says what is no rule", function()
  document("rule_unknown")
  vim.cmd("SndRule unused-improt")
  await_told("unused-import")
end)

test(":SndLog opens the log", function()
  document("log")
  vim.cmd("SndLog")
  contains(vim.api.nvim_buf_get_name(0), "lsp.log")
  vim.cmd("bwipeout!")
end)
