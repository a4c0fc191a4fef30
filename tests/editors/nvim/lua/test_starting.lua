test("the suffix tells the language", function()
  local buffer = edit("language.sknd", "")
  equal(vim.bo[buffer].filetype, "skriptnd")
end)

test("the server is started in the folder of the project", function()
  write("project/snd.toml", "")
  local buffer = edit("project/models/net.sknd", "import nn;\n")
  local root = vim.uv.fs_realpath(vim.fn.getcwd() .. "/project")
  equal(vim.uv.fs_realpath(client(buffer).config.root_dir), root)
end)

test("two files of a project share a server", function()
  write("shared/snd.toml", "")
  local one = edit("shared/one.sknd", "import nn;\n")
  local other = edit("shared/other.sknd", "import math;\n")
  equal(client(one).id, client(other).id)
end)

test("the library is served by the server that it was reached from", function()
  write("reaching/snd.toml", "")
  local buffer = edit("reaching/net.sknd", [[
import math;

graph net {
    @input { x: real[2]; }
    @output { y: real[2]; }
    @compose { y = math.exp(x); }
}
]])
  local running = #vim.lsp.get_clients({ name = "snd" })
  local first = client(buffer)
  at("exp")
  vim.lsp.buf.definition()
  await("the library", function()
    return vim.api.nvim_buf_get_name(0):find("std/math.sknd", 1, true)
  end)
  equal(vim.bo.filetype, "skriptnd")
  contains(vim.api.nvim_get_current_line(), "operator exp")
  client(vim.api.nvim_get_current_buf())
  equal(#vim.lsp.get_clients({ name = "snd" }), running)
  equal(client(vim.api.nvim_get_current_buf()).id, first.id)
end)

test("a file outside of any project is served", function()
  local path = vim.fn.tempname() .. ".sknd"
  local file = assert(io.open(path, "w"))
  file:write("import nothing_there;\n")
  file:close()
  vim.cmd.edit(path)
  local buffer = vim.api.nvim_get_current_buf()
  client(buffer)
  await("a diagnostic", function()
    return #vim.diagnostic.get(buffer) > 0
  end)
end)

test("settings reach the server", function()
  local buffer = edit("settings.sknd", "import math;\n")
  equal(client(buffer).settings.snd.evaluation.timeout, 20)
end)
