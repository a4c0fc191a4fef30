-- Features without a server: indentation, comments, folds, words.

local function typed(keys)
  vim.cmd.enew({ bang = true })
  vim.bo.filetype = "skriptnd"
  vim.api.nvim_feedkeys(vim.keycode(keys), "tx", false)
  return table.concat(lines(), "\n")
end

test("a typed block is indented", function()
  local text = typed(table.concat({
    "igraph net {", "@attrib {", "n: int = 1;", "}", "@input {", "x: real[n];", "}", "@output {", "y: real[n];", "}",
    "@compose {", "a = math.add(x,", "x);", "y = if n > 1 then {", "b = math.neg(a);", "yield b;", "} else a;", "}", "}",
  }, "<CR>") .. "<Esc>")
  equal(text, [[
graph net {
    @attrib {
        n: int = 1;
    }
    @input {
        x: real[n];
    }
    @output {
        y: real[n];
    }
    @compose {
        a = math.add(x,
                x);
        y = if n > 1 then {
            b = math.neg(a);
            yield b;
        } else a;
    }
}]])
end)

test("braces in strings and comments count for nothing", function()
  local text = typed("ioperator o {<CR>@assert {<CR>n > 0: \"{n} of {\"; # {<CR>n < 9;<CR>}<CR>}<Esc>")
  equal(text, "operator o {\n    @assert {\n        n > 0: \"{n} of {\"; # {\n        n < 9;\n    }\n}")
end)

test("= leaves the library as the formatter has it", function()
  local wrong, all = {}, 0
  for path in vim.fs.dir(vim.env.SND_REPOSITORY .. "/analysis/snd_analysis/libraries/std") do
    if path:match("%.sknd$") then
      vim.cmd.edit(vim.env.SND_REPOSITORY .. "/analysis/snd_analysis/libraries/std/" .. path)
      local before = lines()
      vim.bo.readonly = false
      vim.cmd("silent normal! gg=G")
      for number, line in ipairs(lines()) do
        all = all + 1
        if line ~= before[number] then
          table.insert(wrong, path .. ":" .. number .. ": " .. line)
        end
      end
      vim.cmd("bwipeout!")
    end
  end
  check(all > 5000, "the library is not there")
  equal(wrong, {})
end)

test("a line is indented by its definition, however long the file is", function()
  vim.cmd.enew({ bang = true })
  vim.bo.filetype = "skriptnd"
  local definition = vim.split([[
public operator o {
    @input { x: real[]; }
    @compose {
        y = neg(x,
                1);
    }
}
]], "\n")
  local text = {}
  for _ = 1, 50 do
    vim.list_extend(text, definition)
  end
  vim.api.nvim_buf_set_lines(0, 0, -1, false, text)
  local getline, read = vim.fn.getline, 0
  vim.fn.getline = function(...)
    read = read + 1
    return getline(...)
  end
  local found = {}
  for number = #text - #definition, #text do
    table.insert(found, require("snd.indent").of(number))
  end
  vim.fn.getline = getline
  equal(found, { 0, 0, 4, 4, 8, 16, 4, 0, 0 })
  check(read < 200, read .. " lines were read")
end)

test("parts of a branch stand below `then` and `else` while they are typed", function()
  local text = typed(table.concat({
    "igraph net {", "@compose {", "y = if n > 1 then", "math.add{epsilon=1}(x,", "z)", "elif n > 0 then", "math.neg(x)",
    "else math.exp(x,", "z);", "elsewhere = if n > 1 then", "or_else(x)", "else", "x;", "}", "}",
  }, "<CR>") .. "<Esc>")
  equal(text, [[
graph net {
    @compose {
        y = if n > 1 then
                    math.add{epsilon=1}(x,
                    z)
                elif n > 0 then
                    math.neg(x)
                else math.exp(x,
                z);
        elsewhere = if n > 1 then
                    or_else(x)
                else
                    x;
    }
}]])
end)

test("a further line of a comment begins with its sign", function()
  equal(typed("i# one<CR>two<Esc>"), "# one\n# two")
end)

test("gcc takes code into a comment", function()
  typed("iimport nn;<Esc>")
  vim.api.nvim_feedkeys("gcc", "mtx", false)
  equal(lines()[1], "# import nn;")
end)

test("definitions and blocks fold", function()
  vim.cmd.edit(vim.env.SND_REPOSITORY .. "/examples/lenet/main.sknd")
  vim.cmd("normal! zx")
  local line = vim.fn.search("^graph")
  equal(vim.fn.foldlevel(line), 1)
  equal(vim.fn.foldlevel(vim.fn.search("@attrib")), 2)
  equal(vim.fn.foldclosed(line), -1)
  vim.api.nvim_win_set_cursor(0, { line, 0 })
  vim.cmd("normal! zc")
  equal(vim.fn.foldclosed(line + 5), line)
  equal(vim.fn.foldclosedend(line), vim.fn.line("$"))
end)

test("folding can be switched off", function()
  require("snd.options").choose({ folding = false })
  vim.cmd.new()
  vim.bo.filetype = "skriptnd"
  equal(vim.wo.foldmethod, "manual")
  require("snd.options").choose({})
end)

test("% goes from if to then to else", function()
  vim.cmd("packadd matchit")
  typed("iy = if a then b else c;<Esc>")
  vim.api.nvim_win_set_cursor(0, { 1, 4 })
  vim.api.nvim_feedkeys("%", "mtx", false)
  equal(vim.api.nvim_win_get_cursor(0)[2], 9)
  vim.api.nvim_feedkeys("%", "mtx", false)
  equal(vim.api.nvim_win_get_cursor(0)[2], 16)
end)

test("words are names, without module, block sign or hyphen", function()
  typed("inn.avg_pool-1<Esc>")
  vim.api.nvim_win_set_cursor(0, { 1, 4 })
  equal(vim.fn.expand("<cword>"), "avg_pool")
end)

test("another language takes the options and commands back", function()
  typed("ix<Esc>")
  equal(vim.fn.exists(":SndShapes"), 2)
  vim.bo.filetype = "text"
  equal(vim.bo.commentstring, vim.go.commentstring)
  equal(vim.bo.suffixesadd, "")
  equal(vim.fn.exists(":SndShapes"), 0)
end)

test("commands without a server say so", function()
  typed("igraph net {}<Esc>")
  for _, command in ipairs({ "SndEvaluate", "SndRefresh", "SndRecord", "SndEvaluateGraph", "SndShapes", "SndSyntaxTree" }) do
    vim.cmd("silent! messages clear")
    vim.cmd(command)
    contains(told(), "no language server is attached")
  end
end)

test("every command has a description", function()
  typed("ix<Esc>")
  local count = 0
  for name, command in pairs(vim.api.nvim_buf_get_commands(0, {})) do
    if vim.startswith(name, "Snd") then
      count = count + 1
      check(command.definition ~= "", name .. " has none")
    end
  end
  equal(count, 11)
end)
