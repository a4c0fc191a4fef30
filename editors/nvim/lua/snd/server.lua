--- The running language server: asked, started again, and missed when it ends by itself.

local M = {}

local STOP_MILLISECONDS = 3000

-- The configuration that a client was started with last, and the buffers it had: what :SndRestart starts again.
---@type vim.lsp.ClientConfig?
local last
---@type table<integer, true>
local stopping = {}

---@param client vim.lsp.Client
function M.remember(client)
  last = client.config
end

--- The client of a buffer; says so and returns nil if there is none.
---@param buffer integer?
---@return vim.lsp.Client?
function M.client(buffer)
  local client = vim.lsp.get_clients({ bufnr = buffer or 0, name = "snd" })[1]
  if not client then
    vim.notify("snd: no language server is attached to this buffer (:checkhealth snd)", vim.log.levels.WARN)
  end
  return client
end

--- Neovim 0.10 has functions where later versions have methods.
function M.request(client, method, parameters, handler, buffer)
  if vim.fn.has("nvim-0.11") == 1 then
    return client:request(method, parameters, handler, buffer)
  end
  return client.request(method, parameters, handler, buffer)
end

--- Lets the server know the text of a buffer at once. Otherwise Neovim waits a little, and by then an answer to what is
--- asked about another buffer may be about the text before, as that to a renaming.
---@param buffer integer
function M.tell(buffer)
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = buffer, name = "snd" })) do
    -- There is no other way to it. Where it is gone, things are as without it.
    pcall(function()
      require("vim.lsp._changetracking").flush(client, buffer)
    end)
  end
end

-- Null values are left out, as Neovim 0.10 does; in later versions it is vim.NIL. Items of lists keep their places.
local function without_null(value)
  if value == vim.NIL then
    return nil
  end
  if type(value) == "table" then
    for key, each in pairs(value) do
      if type(key) == "string" or each ~= vim.NIL then
        value[key] = without_null(each)
      end
    end
  end
  return value
end

--- Asks the server of a buffer and passes the result on without null values; errors are shown.
---@param buffer integer
---@param method string
---@param parameters table
---@param received fun(result: any)
function M.ask(buffer, method, parameters, received)
  local client = M.client(buffer)
  if not client then
    return
  end
  parameters.textDocument = vim.lsp.util.make_text_document_params(buffer)
  M.request(client, method, parameters, function(problem, result)
    if problem then
      vim.notify("snd: " .. problem.message, vim.log.levels.WARN)
      return
    end
    received(without_null(result))
  end, buffer)
end

--- For the configuration of the client.
function M.exited(code, signal, client_id)
  if stopping[client_id] then
    stopping[client_id] = nil
    return
  end
  if (code == 0 and signal == 0) or vim.v.exiting ~= vim.NIL then
    return
  end
  local how = signal ~= 0 and "signal " .. signal or "status " .. code
  vim.schedule(function()
    vim.notify(
      ("snd: the language server has ended (%s); :SndRestart starts it again, :SndLog may tell why"):format(how),
      vim.log.levels.ERROR
    )
  end)
end

-- Without `shutdown`: it would be answered after requests that nobody waits for any more, with errors that are shown.
local function stop(client)
  stopping[client.id] = true
  if vim.fn.has("nvim-0.11") == 1 then
    client:stop(true)
  else
    client.stop(true)
  end
end

-- Also those that have not answered yet: Neovim lists them only if it is asked so.
local function all()
  return vim.lsp.get_clients({ name = "snd", _uninitialized = true })
end

--- Returns whether a server is starting that has not answered yet.
function M.is_starting()
  return vim.iter(all()):any(function(client)
    return not client.initialized and not client:is_stopped()
  end)
end

--- Ends all servers, and does not wait for it.
function M.stop_all()
  vim.tbl_map(stop, all())
end

-- Neovim before 0.11 would start another server for each file that belongs to no project.
local function is_of_same_project(client, config)
  return client.name == config.name and client.config.root_dir == config.root_dir and not client:is_stopped()
end

--- Attaches a buffer to the server of its project, which is started unless it is there.
---@param config vim.lsp.ClientConfig
---@param buffer integer
function M.start(config, buffer)
  local own = vim.tbl_extend("force", {}, config) -- Neovim 0.10 keeps the table
  own.root_dir = require("snd.root").of(buffer)
  vim.lsp.start(own, { bufnr = buffer, reuse_client = is_of_same_project })
end

--- Ends the server and starts it again for all buffers of SkriptND; also one that has ended by itself.
function M.restart()
  M.stop_all()
  vim.wait(STOP_MILLISECONDS, function()
    return #all() == 0
  end, 20)
  local config = last or require("snd.client").config()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local is_loaded = vim.api.nvim_buf_is_loaded(buffer)
    if is_loaded and require("snd.languages").is_ours(buffer) and vim.bo[buffer].buftype == "" then
      M.start(config, buffer)
    end
  end
end

return M
