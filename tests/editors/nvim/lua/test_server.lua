local TEXT = "import math;\n\n# >>> math.neg(1.0)\n\ngraph net {\n    @input { x: real[2]; }\n    @output { y: real[2]; }\n    @compose { y = math.neg(x); }\n}\n"

local function document(name)
  write("snd.toml", "")
  return edit(name .. ".sknd", TEXT)
end

-- The processes of servers; they are children of this one.
local function processes()
  return vim.tbl_filter(function(number)
    local file = io.open(("/proc/%d/cmdline"):format(number))
    local command = file and file:read("*a") or ""
    return command:find("lsp", 1, true) ~= nil
  end, vim.api.nvim_get_proc_children(vim.fn.getpid()))
end

local function process()
  return processes()[1]
end

local function health()
  vim.cmd("checkhealth snd")
  local text = table.concat(lines(), "\n")
  vim.cmd("bwipeout!")
  return text
end

test(":checkhealth before anything is opened", function()
  local text = health()
  contains(text, "Neovim 0.")
  contains(text, "files `*.sknd` are SkriptND")
  contains(text, "it starts when a file of SkriptND is opened")
  check(not text:find("ERROR"), text)
end)

test(":checkhealth tells of server and client", function()
  local buffer = document("health")
  local text = health()
  check(text:find("/snd: snd.* %d+%.%d+"), text)
  contains(text, "root: " .. vim.fn.getcwd())
  contains(text, "is connected" .. (NEWER and " with server " or ""))
  contains(text, "the server has all that the plugin uses")
  contains(text, "columns are counted in " .. client(buffer).offset_encoding)
  contains(text, "health.sknd: values beside the code are shown")
  check(not text:find("ERROR") and not text:find("WARNING"), text)
end)

test(":checkhealth says that the program is missing", function()
  require("snd.options").choose({ cmd = { "no_such_snd", "lsp" } })
  local text = health()
  require("snd.options").choose({})
  contains(text, "there is no program `no_such_snd`")
  contains(text, "snd-install") -- as a link to the help
end)

test("what is no option is told, and of a wrong type refused", function()
  require("snd.options").choose({ inlay_hint = true })
  contains(told(), "there is no option inlay_hint")
  local passed, problem = pcall(require("snd.options").choose, { code_lenses = "yes" })
  check(not passed, "it was taken")
  contains(problem, "code_lenses must be a boolean")
  require("snd.options").choose({})
end)

test("a server that was killed is missed once, and :SndRestart brings it back", function()
  local buffer = document("killed")
  local before = client(buffer).id
  local number = check(process(), "there is no process of a server")
  vim.uv.kill(number, "sigkill")
  await_told("the language server has ended (signal 9); :SndRestart")
  equal(#vim.lsp.get_clients({ name = "snd" }), 0)
  contains(health(), "it serves no buffer")
  vim.cmd("SndRestart")
  check(client(buffer).id ~= before, "it is the same client")
  vim.api.nvim_buf_set_lines(buffer, 7, 8, false, { "    @compose { y = math.ngе(x); }" })
  await("a diagnostic", function()
    return #vim.diagnostic.get(buffer) > 0
  end)
end)

test(":SndRestart replaces a running server without a message", function()
  local buffer = document("restarted")
  local before, number = client(buffer).id, process()
  vim.cmd("SndRestart")
  check(client(buffer).id ~= before, "it is the same client")
  await("the end of the old process", function()
    return process() ~= number
  end)
  check(not told():find("the language server has ended", 1, true), told())
  equal(client(buffer).config.root_dir, vim.fn.getcwd())
  await("hints again", function()
    return #hints(buffer) > 0
  end)
end)

-- Also of clients that have not been answered yet.
local function clients()
  return vim.lsp.get_clients({ name = "snd", _uninitialized = true })
end

local function outside_of_projects()
  local path = vim.fn.tempname() .. ".sknd"
  vim.fn.writefile(vim.split(TEXT, "\n"), path)
  vim.cmd.edit(path)
  local buffer = vim.api.nvim_get_current_buf()
  client(buffer)
  return buffer
end

test("a file outside of any project keeps its server when it is read again", function()
  local buffer = outside_of_projects()
  local before, count = client(buffer).id, #clients()
  vim.cmd.edit()
  vim.cmd.edit()
  await("the server", function()
    return #vim.lsp.get_clients({ bufnr = buffer, name = "snd" }) > 0
  end)
  equal(client(buffer).id, before)
  equal(#clients(), count)
end)

test(":SndRestart twice at once leaves one server, and each project its own", function()
  local outside = outside_of_projects()
  local inside = document("restarted_twice")
  vim.cmd("SndRestart")
  vim.cmd("SndRestart")
  for buffer, root in pairs({ [outside] = false, [inside] = vim.fn.getcwd() }) do
    equal(client(buffer).config.root_dir or false, root)
    equal(#vim.lsp.get_clients({ bufnr = buffer, _uninitialized = true }), 1)
  end
  equal(#clients(), 2)
end)

test(":checkhealth says that a server is still starting", function()
  local buffer = document("starting")
  vim.cmd("SndRestart")
  local numbers = processes()
  for _, number in ipairs(numbers) do
    vim.uv.kill(number, "sigstop")
  end
  local text = health()
  for _, number in ipairs(numbers) do
    vim.uv.kill(number, "sigcont")
  end
  contains(text, "it is starting, and has not answered yet")
  client(buffer)
end)

test(":help has a tag for each command", function()
  vim.cmd("helptags ALL")
  local buffer = document("help")
  for name in pairs(vim.api.nvim_buf_get_commands(buffer, {})) do
    if vim.startswith(name, "Snd") then
      vim.cmd("help :" .. name)
      contains(vim.api.nvim_buf_get_name(0), "doc/snd.txt")
      contains(vim.api.nvim_get_current_line(), "*:" .. name .. "*")
      vim.cmd("helpclose")
    end
  end
end)

test(":help explains every option with its default", function()
  vim.cmd("help snd-options")
  local text = table.concat(lines(), "\n")
  local options = require("snd.options")
  options.choose({})
  for name in pairs(options.get()) do
    contains(text, "\n`" .. name .. "`")
  end
  vim.cmd("helpclose")
end)

test("all references of :help lead somewhere", function()
  vim.cmd("help snd")
  local missing = {}
  for tag in table.concat(lines(), "\n"):gmatch("|([^|%s]+)|") do
    if #vim.fn.taglist("^\\V" .. vim.fn.escape(tag, "\\") .. "\\$") == 0 then
      table.insert(missing, tag)
    end
  end
  vim.cmd("helpclose")
  -- of versions that are newer than this one
  if not NEWER then
    missing = vim.tbl_filter(function(tag)
      return not vim.tbl_contains({ "vim.lsp.enable()", "vim.lsp.config()", "grn", "gra", "grr", "gO" }, tag)
    end, missing)
  end
  equal(missing, {})
end)
