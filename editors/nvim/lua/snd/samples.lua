--- Samples in comments: evaluated, and their results written down.

local M = {}

-- The position of the sample that a line belongs to; the server finds it by any place in it.
local function position(buffer, line)
  local text = vim.api.nvim_buf_get_lines(buffer, line - 1, line, false)[1] or ""
  local indentation = #text:match("^%s*")
  return { line = line - 1, character = text:sub(indentation + 1, indentation + 1) == "#" and indentation + 1 or 0 }
end

local function told(answer)
  if answer.message then
    vim.notify(("snd: %s: %s"):format(answer.status, answer.message), vim.log.levels.WARN)
    return
  end
  local lines = vim.tbl_map(function(result)
    return result.brief
  end, answer.results)
  vim.api.nvim_echo({ { answer.status .. "  ", "Comment" }, { table.concat(lines, "\n") } }, true, {})
end

--- Evaluates the sample at a line, or at the cursor, and tells what comes out; it is shown behind the sample as well.
---@param buffer integer
---@param line integer from 1
---@param again boolean also if its value is fresh
function M.evaluate(buffer, line, again)
  local parameters = { position = position(buffer, line), again = again }
  require("snd.server").ask(buffer, "snd/evaluate", parameters, told)
end

--- Writes down what comes out of the sample at a line.
---@param buffer integer
---@param line integer from 1
function M.record(buffer, line)
  local server = require("snd.server")
  local uri = vim.uri_from_bufnr(buffer)
  server.ask(buffer, "snd/evaluate", { position = position(buffer, line) }, function(answer)
    local command = { command = "snd.record", arguments = { uri, answer.sample } }
    local client = server.client(buffer)
    if client then
      server.request(client, "workspace/executeCommand", command, function(problem)
        if problem then
          vim.notify("snd: " .. problem.message, vim.log.levels.WARN)
        end
      end, buffer)
    end
  end)
end

return M
