-- Functions for tests in Lua. A file of them calls test(name, function); results go to $SND_RESULTS as JSON.

local WAIT_MILLISECONDS = 20000

local tests = {}
local messages = {}

function _G.test(name, run)
  table.insert(tests, { name = name, run = run })
end

---@param condition any
---@param message string
function _G.check(condition, message)
  if not condition then
    error(message, 2)
  end
  return condition
end

function _G.equal(found, wanted)
  if not vim.deep_equal(found, wanted) then
    error(("found %s\nwanted %s"):format(vim.inspect(found), vim.inspect(wanted)), 2)
  end
end

function _G.contains(text, part)
  if not tostring(text):find(part, 1, true) then
    error(("%s\nis not in\n%s"):format(part, tostring(text)), 2)
  end
end

--- The end of what the server has said.
local function server_log()
  local file = io.open(vim.fn.stdpath("state") .. "/lsp.log") or io.open(vim.fn.stdpath("log") .. "/lsp.log")
  local text = file and file:read("*a") or ""
  return text:sub(-2000):gsub("\\n", "\n")
end

--- Waits until a function returns something, and returns that.
function _G.await(what, look, milliseconds)
  local found
  local seen = vim.wait(milliseconds or WAIT_MILLISECONDS, function()
    found = look()
    return found
  end, 20)
  if not seen then
    error(("waited in vain for %s\n%s\n%s"):format(what, table.concat(messages, "\n"), server_log()), 2)
  end
  return found
end

--- Writes a file of the workspace, which is the working directory.
function _G.write(name, text)
  local path = vim.fn.getcwd() .. "/" .. name
  vim.fn.mkdir(vim.fs.dirname(path), "p")
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
  return path
end

function _G.read(name)
  local file = assert(io.open(vim.fn.getcwd() .. "/" .. name))
  local text = file:read("*a")
  file:close()
  return text
end

--- Opens a file as a user does, and waits for the server. A text is written first.
function _G.edit(name, text)
  if text then
    write(name, text)
  end
  vim.cmd.edit(vim.fn.fnameescape(vim.fn.getcwd() .. "/" .. name))
  local buffer = vim.api.nvim_get_current_buf()
  client(buffer)
  return buffer
end

-- Where it does not come for one test it is not waited for by others.
local is_missed = false

--- The client of a buffer, when it is ready.
function _G.client(buffer)
  local patience = is_missed and 1000 or WAIT_MILLISECONDS
  is_missed = true
  local found = await("the language server", function()
    local client = vim.lsp.get_clients({ bufnr = buffer, name = "snd" })[1]
    return client and client.initialized and client
  end, patience)
  is_missed = false
  return found
end

function _G.lines(buffer)
  return vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, false)
end

function _G.set(buffer, text)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, "\n"))
end

--- Puts the cursor at the beginning of a piece of text, the n-th of them.
function _G.at(piece, count)
  local left = count or 1
  for number, line in ipairs(lines()) do
    local from = 1
    while true do
      local start = line:find(piece, from, true)
      if not start then
        break
      end
      left = left - 1
      if left == 0 then
        vim.api.nvim_win_set_cursor(0, { number, start - 1 })
        return number, start - 1
      end
      from = start + 1
    end
  end
  error("there is no " .. piece, 2)
end

--- The answer of the server about the place of the cursor.
function _G.ask(method, more)
  local buffer = vim.api.nvim_get_current_buf()
  local encoding = client(buffer).offset_encoding
  local parameters = vim.tbl_extend("force", vim.lsp.util.make_position_params(0, encoding), more or {})
  local answers = vim.lsp.buf_request_sync(buffer, method, parameters, WAIT_MILLISECONDS)
  local answer = check(answers and answers[client(buffer).id], "no answer to " .. method)
  check(not answer.error and not answer.err, vim.inspect(answer))
  return answer.result
end

--- The inlay hints that are there, as `line: text`.
function _G.hints(buffer)
  local found = {}
  for _, each in ipairs(vim.lsp.inlay_hint.get({ bufnr = buffer })) do
    local label = each.inlay_hint.label
    local text = type(label) == "string" and label
      or table.concat(vim.tbl_map(function(part)
        return part.value
      end, label))
    table.insert(found, (each.inlay_hint.position.line + 1) .. ": " .. text)
  end
  return found
end

--- What is drawn in a buffer besides its text: also lenses, in whatever way this version shows them.
function _G.drawn(buffer)
  vim.cmd.redraw()
  local found = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, -1, 0, -1, { details = true })) do
    local details = mark[4]
    local chunks = vim.list_extend({}, details.virt_text or {})
    for _, line in ipairs(details.virt_lines or {}) do
      vim.list_extend(chunks, line)
    end
    local text = table.concat(vim.tbl_map(function(chunk)
      return chunk[1]
    end, chunks))
    if text ~= "" then
      table.insert(found, (mark[2] + 1) .. ": " .. vim.trim(text))
    end
  end
  return table.concat(found, "\n")
end

--- Messages since the test began.
function _G.told()
  return table.concat(messages, "\n") .. "\n" .. vim.fn.execute("messages")
end

--- Waits for a message.
function _G.await_told(part)
  await("the message " .. part, function()
    return told():find(part, 1, true)
  end)
end

--- The lines of the window that shows something of a document, and its buffer.
function _G.view(kind)
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local buffer = vim.api.nvim_win_get_buf(window)
    if vim.api.nvim_buf_get_name(buffer):find("snd://" .. kind, 1, true) then
      return table.concat(lines(buffer), "\n"), buffer, window
    end
  end
end

--- The same, once it is there.
function _G.shown(kind)
  await("the view " .. kind, function()
    return view(kind)
  end)
  return view(kind)
end

_G.NEWER = vim.fn.has("nvim-0.11") == 1

--- A Neovim of its own that is typed into, with the same plugin; ended when the test is over.
local children = {}
function _G.child()
  local command = { vim.v.progpath, "--embed", "--headless", "-u", vim.env.SND_INIT, "-i", "NONE", "-n" }
  local program = vim.fn.jobstart(command, { rpc = true })
  table.insert(children, program)
  return {
    lua = function(code, ...)
      return vim.rpcrequest(program, "nvim_exec_lua", code, { ... })
    end,
    type = function(keys)
      vim.rpcrequest(program, "nvim_input", keys)
    end,
  }
end

function _G.run_tests(path)
  local notify = vim.notify
  vim.notify = function(message, ...)
    table.insert(messages, message)
    return notify(message, ...)
  end
  local given = assert(io.open(vim.env.SND_GIVEN))
  _G.GIVEN = vim.json.decode(given:read("*a"))
  given:close()
  local results = {}
  local function save()
    local file = assert(io.open(vim.env.SND_RESULTS, "w"))
    file:write(vim.json.encode(results))
    file:close()
  end
  -- When the user could type: what autocommands of the start do has been done.
  vim.api.nvim_create_autocmd("VimEnter", {
    callback = vim.schedule_wrap(function()
      local loaded, problem = pcall(dofile, path)
      for _, each in ipairs(tests) do
        messages = {}
        vim.cmd("silent! messages clear")
        local passed, trouble = xpcall(each.run, debug.traceback)
        -- an empty text for what has passed: JSON objects of Lua have no null
        results[each.name] = passed and "" or tostring(trouble)
        for _, program in ipairs(children) do
          vim.fn.jobstop(program)
        end
        children = {}
        pcall(vim.cmd, "silent! only!")
      end
      if not loaded then
        results = vim.empty_dict()
        io.stderr:write(tostring(problem))
      end
      save()
      vim.cmd("qall!")
    end),
  })
end
