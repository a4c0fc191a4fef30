local MAIN = [[
# 🙂 Astral characters count as two units of UTF-16.
import blocks, math;

# Doubles.
# >>> double([1.0, 2.0])
# y: real[2] = [2.0, 4.0]
operator double {
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @compose { y = math.add(x, x); }
}

graph net {
    @input { x: real[1, 8]; }
    @output { y: real[1, 8]; }
    @compose {
        h = blocks.twice(x);
        y = double(h);
    }
}
]]

local BLOCKS = [[
import math;

# Twice of everything.
operator twice {
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @compose { y = math.add(x, x); }
}
]]

local function project(name)
  write("snd.toml", "") -- one project and one server for all tests
  write(name .. "/blocks.sknd", BLOCKS)
  return edit(name .. "/main.sknd", MAIN)
end

local function messages_of(buffer)
  return vim.tbl_map(function(each)
    return each.message
  end, vim.diagnostic.get(buffer))
end

test("mistakes are shown where they are, and go away", function()
  local buffer = project("diagnostics")
  equal(messages_of(buffer), {})
  local text = MAIN:gsub("double%(h%)", "doubel(h)")
  set(buffer, text)
  local found = await("a diagnostic", function()
    return vim.diagnostic.get(buffer)[1]
  end)
  equal(found.severity, vim.diagnostic.severity.ERROR)
  equal(found.code, "unknown-operator")
  equal({ found.lnum, found.col, found.end_col }, { 17, 12, 18 })
  set(buffer, MAIN)
  await("no diagnostics", function()
    return #vim.diagnostic.get(buffer) == 0
  end)
end)

test("an edit of another buffer shows and takes away mistakes", function()
  local main = project("across")
  vim.cmd("vsplit")
  local blocks = edit("across/blocks.sknd")
  local function codes()
    return vim.tbl_map(function(each)
      return each.code
    end, vim.diagnostic.get(main))
  end
  for _ = 1, 2 do
    set(blocks, (BLOCKS:gsub("operator twice", "operator thrice")))
    await("a mistake in the other buffer", function()
      return vim.deep_equal(codes(), { "unknown-operator" })
    end)
    set(blocks, BLOCKS)
    await("no mistake there", function()
      return #codes() == 0
    end)
  end
end)

test("names are renamed where they stand after an edit of another buffer", function()
  local main = project("renamed_across")
  local blocks = edit("renamed_across/blocks.sknd")
  for number = 1, 3 do
    vim.api.nvim_buf_set_lines(blocks, 0, 0, false, { "# 🙂 More above." })
    vim.cmd.buffer(main)
    at("blocks.twice", 1)
    vim.cmd("normal! ww")
    local name = "twice" .. number
    vim.lsp.buf.rename(name)
    await("the new name", function()
      return table.concat(lines(main), "\n"):find("blocks." .. name .. "(", 1, true)
    end)
    contains(table.concat(lines(blocks), "\n"), "\noperator " .. name .. " {\n")
    set(blocks, BLOCKS)
    set(main, MAIN)
    vim.cmd.buffer(blocks)
  end
end)

test("columns behind astral characters are those of Neovim", function()
  local buffer = project("astral")
  set(buffer, 'operator o {\n    @input { x: real[n]; }\n    @output { y: real[n]; }\n    @assert { n > 0: "🙂🙂 {m}", n; }\n    @lower { y[i,] = x[i,], i < n; }\n}')
  local found = await("a diagnostic", function()
    return vim.iter(vim.diagnostic.get(buffer)):find(function(each)
      return each.code == "undefined-name"
    end)
  end)
  local line = lines(buffer)[4]
  equal(found.lnum, 3)
  equal(line:sub(found.col + 1, found.end_col), "m")
  check(client(buffer).offset_encoding == "utf-16" or NEWER, "Neovim 0.10 counts in UTF-16")
end)

test("edits behind astral characters reach the server as they are", function()
  local buffer = project("astral_edits")
  vim.api.nvim_buf_set_text(buffer, 0, 2, 0, 2, { "🙂é" })
  vim.api.nvim_buf_set_text(buffer, 0, 2, 0, 6, { "a" })
  at("double(h)")
  local hover = ask("textDocument/hover")
  contains(hover.contents.value, "Doubles.")
  equal(messages_of(buffer), {})
end)

test("hovers explain, in Markdown", function()
  project("hover")
  at("twice(x)")
  local hover = ask("textDocument/hover")
  equal(hover.contents.kind, "markdown")
  contains(hover.contents.value, "Twice of everything.")
  contains(hover.contents.value, "real[1,8]")
end)

test("a hover is shown in a window", function()
  project("hover_window")
  at("twice(x)")
  vim.lsp.buf.hover()
  local shown = await("the window", function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= "" then
        return table.concat(lines(vim.api.nvim_win_get_buf(window)), "\n")
      end
    end
  end)
  contains(shown, "Twice of everything.")
  vim.cmd("fclose!")
end)

test("definitions are found in other files", function()
  project("definition")
  at("twice(x)")
  vim.lsp.buf.definition()
  await("the other file", function()
    return vim.api.nvim_buf_get_name(0):find("definition/blocks.sknd", 1, true)
  end)
  equal(vim.api.nvim_win_get_cursor(0), { 4, 9 })
end)

test("tags lead to definitions", function()
  project("tags")
  at("twice(x)")
  vim.cmd("normal! \29")
  contains(vim.api.nvim_buf_get_name(0), "tags/blocks.sknd")
end)

test("references are found over files", function()
  project("references")
  edit("references/blocks.sknd")
  at("twice {")
  local found = ask("textDocument/references", { context = { includeDeclaration = false } })
  equal(#found, 1)
  contains(found[1].uri, "references/main.sknd")
end)

test("renaming changes all files", function()
  local main = project("rename")
  at("twice(x)")
  vim.lsp.buf.rename("doubled_input")
  await("the new name", function()
    return table.concat(lines(main), "\n"):find("blocks.doubled_input(x)", 1, true)
  end)
  local other = vim.fn.bufadd(vim.fn.getcwd() .. "/rename/blocks.sknd")
  contains(table.concat(lines(other), "\n"), "operator doubled_input {")
  vim.cmd("silent wall")
  contains(read("rename/blocks.sknd"), "operator doubled_input {")
  vim.lsp.buf.rename("twice")
  await("the old name", function()
    return table.concat(lines(main), "\n") == vim.trim(MAIN)
  end)
end)

test("completion by omnifunc offers what fits", function()
  local buffer = project("completion")
  local at_line = at("y = double(h);")
  vim.api.nvim_buf_set_lines(buffer, at_line - 1, at_line, false, { "        y = blocks.tw" })
  vim.api.nvim_win_set_cursor(0, { at_line, 21 })
  equal(vim.bo[buffer].omnifunc, "v:lua.vim.lsp.omnifunc")
  vim.api.nvim_feedkeys(vim.keycode("A<C-x><C-o>"), "n", false)
  local words = ask("textDocument/completion")
  local labels = vim.tbl_map(function(each)
    return each.label
  end, words.items or words)
  check(vim.tbl_contains(labels, "twice"), vim.inspect(labels))
  vim.api.nvim_feedkeys(vim.keycode("<Esc>"), "x", false)
end)

test("an accepted completion fills in the arguments", function()
  write("accepted/snd.toml", "")
  write("accepted/blocks.sknd", BLOCKS)
  write("accepted/main.sknd", (MAIN:gsub("y = double%(h%);", "y = blocks.tw")))
  local program = child()
  program.lua("vim.cmd.edit(...)", vim.fn.getcwd() .. "/accepted/main.sknd")
  await("the server", function()
    return program.lua("local c = vim.lsp.get_clients({ name = 'snd' })[1] return c and c.initialized or false")
  end)
  program.lua("vim.o.completeopt = 'menuone' vim.fn.search('blocks.tw$')")
  if NEWER then
    program.lua("vim.lsp.completion.enable(true, vim.lsp.get_clients({ name = 'snd' })[1].id, 0, {})")
  end
  program.type("A<C-x><C-o>")
  await("the menu", function()
    return program.lua("return vim.fn.pumvisible()") == 1
  end)
  program.type("<C-y>")
  -- 0.10 has no snippets in completions
  local wanted = NEWER and "y = blocks.twice(x)" or "y = blocks.twice"
  await("the completed line", function()
    return vim.endswith(program.lua("return vim.api.nvim_get_current_line()"), wanted)
  end)
  if NEWER then
    check(program.lua("return vim.snippet.active()"), "the snippet has ended")
  end
end)

test("formatting brings a file into the one style", function()
  local buffer = project("formatting")
  set(buffer, "graph   g{@input{x:real[1];}\n@output{y:real[1];}@compose{y=x;}}\n")
  vim.lsp.buf.format({ timeout_ms = 20000 })
  local text = table.concat(lines(buffer), "\n")
  contains(text, "graph g {\n    @input {\n        x: real[1];\n    }")
end)

test("gq formats code by the server and fills comments by itself", function()
  local buffer = project("gq")
  set(buffer, "graph g {\n    @input {\n        x:real[1];\n    }\n    @output {\n        y: real[1];\n    }\n    @compose {\n        y = x;\n    }\n}")
  vim.api.nvim_win_set_cursor(0, { 3, 0 })
  vim.cmd("normal! gqq")
  equal(lines(buffer)[3], "        x: real[1];")
  set(buffer, "# one\n# two")
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  vim.cmd("normal! gqj")
  equal(lines(buffer), { "# one two" })
end)

test("a code action is applied", function()
  local buffer = project("action")
  local text = MAIN:gsub("import blocks, math;", "import blocks, math, nn;")
  set(buffer, text)
  await("the hint", function()
    return vim.iter(vim.diagnostic.get(buffer)):any(function(each)
      return each.code == "unused-import"
    end)
  end)
  at(", nn")
  vim.api.nvim_win_set_cursor(0, { 2, 22 })
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      return action.kind == "quickfix" and action.edit ~= nil and action.title:lower():find("remove") ~= nil
    end,
  })
  await("the import to be gone", function()
    return lines(buffer)[2] == "import blocks, math;"
  end)
end)

test("signature help tells what stands where", function()
  project("signature")
  at("h);")
  local help = ask("textDocument/signatureHelp")
  contains(help.signatures[1].label, "double")
end)

test("names are coloured by what they are", function()
  local buffer = project("tokens")
  local line, column = at("double(h)")
  local token = await("semantic tokens", function()
    return (vim.lsp.semantic_tokens.get_at_pos(buffer, line - 1, column) or {})[1]
  end)
  equal(token.type, "function")
  local _, module = at("blocks.twice")
  equal(vim.lsp.semantic_tokens.get_at_pos(buffer, line - 2, module)[1].type, "namespace")
  equal(vim.api.nvim_get_hl(0, { name = "@lsp.type.enumMember.skriptnd" }).link, "Constant")
  vim.cmd.colorscheme("habamax")
  equal(vim.api.nvim_get_hl(0, { name = "@lsp.type.enumMember.skriptnd" }).link, "Constant")
end)

test("samples keep the colours of the syntax file", function()
  local buffer = project("sample_tokens")
  local line, column = at("double([1.0")
  await("semantic tokens", function()
    return vim.lsp.semantic_tokens.get_at_pos(buffer, 6, 9)
  end)
  for _, token in ipairs(vim.lsp.semantic_tokens.get_at_pos(buffer, line - 1, column) or {}) do
    check(token.type ~= "comment", "a token covers the sample")
  end
end)

test("the outline has the definitions", function()
  local buffer = project("outline")
  local names = vim.tbl_map(function(each)
    return each.name
  end, require("snd.definitions").of(buffer))
  equal(names, { "double", "net" })
end)

test("gf goes to the file of an import", function()
  project("imports")
  at("blocks, math")
  vim.cmd("normal! gf")
  contains(vim.api.nvim_buf_get_name(0), "imports/blocks.sknd")
  vim.cmd("buffer #")
  at("math;")
  vim.cmd("normal! gf")
  contains(vim.api.nvim_buf_get_name(0), "std/math.sknd")
end)
