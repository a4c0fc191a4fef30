--- The program snd beside its language server, for tasks without an open document.

local M = {}

--- The command line of another command of the program that serves; `cmd` is it up to `lsp`.
---@param arguments string[]
---@return string[]
function M.command(arguments)
  local command = {}
  for _, part in ipairs(require("snd.options").get().cmd) do
    if part == "lsp" then
      break
    end
    table.insert(command, part)
  end
  return vim.list_extend(command, arguments)
end

--- Runs a command and hands on what it prints; what it complains of is told.
---@param arguments string[]
---@param done fun(output: string) called unless the command failed; status 1 says that there are mistakes
function M.run(arguments, done)
  local command = M.command(arguments)
  local started, problem = pcall(vim.system, command, { text = true }, function(result)
    vim.schedule(function()
      if result.code ~= 0 then
        local said = vim.trim(result.stderr ~= "" and result.stderr or result.stdout)
        vim.notify("snd: " .. said, result.code == 1 and vim.log.levels.WARN or vim.log.levels.ERROR)
      end
      if result.code <= 1 then
        done(result.stdout)
      end
    end)
  end)
  if not started then
    vim.notify("snd: " .. tostring(problem), vim.log.levels.ERROR)
  end
end

--- Waits for a command and returns its output; nil if it fails or is missing.
---@param arguments string[]
---@return string?
function M.output(arguments)
  local started, process = pcall(vim.system, M.command(arguments), { text = true })
  if not started then
    return nil
  end
  local result = process:wait(10000)
  return result.code == 0 and result.stdout or nil
end

return M
