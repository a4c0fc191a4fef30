--- Indentation as the formatter has it (docs/formatting.md): blocks by one level, further lines of a statement by two.

local M = {}

local bare = require("snd.text").bare

--- A brace that ends a line opens a block or a region; others hold attributes.
local function opens(code)
  return code:match("{$") ~= nil
end

local function is_code(line)
  return line:match("%S") ~= nil and not line:match("^%s*#")
end

--- Returns whether no statement continues after a line: it ends one, or a block that stands in a line.
local function is_complete(code)
  return code:match("[;{]$") ~= nil
    or code:match("^%s*}$") ~= nil
    or code:match(";%s*}$") ~= nil
    or code:match("^%s*unroll%.%.%b()$") ~= nil
end

--- The nearest line of code above, and its text without strings and comments.
local function above(number)
  for each = number - 1, 1, -1 do
    local line = vim.fn.getline(each)
    if is_code(line) then
      return each, bare(line)
    end
  end
end

local function begins_definition(code)
  local first, second = code:match("^%s*([%w_]+)%s*([%w_]*)")
  local word = first == "public" and second or first
  return word == "graph" or word == "operator"
end

--- The line with the brace of the block that a line is in.
local function enclosing(number)
  local depth = 0
  local each, code = above(number)
  while each do
    local closes_first = code:match("^%s*}") ~= nil
    if opens(code) then
      if depth == 0 then
        return each
      end
      depth = depth - 1
    end
    if begins_definition(code) then
      return nil -- none is in another one: a long file is not read to its beginning for each line
    end
    if closes_first then
      depth = depth + 1
    end
    each, code = above(each)
  end
end

--- The first line of the statement that a line is in.
local function beginning(number)
  local start = number
  local each, code = above(number)
  while each and not is_complete(code) do
    start = each
    each, code = above(each)
  end
  return start
end

local function is_balanced(code)
  local _, opening = code:gsub("[%[({]", "")
  local _, closing = code:gsub("[%])}]", "")
  return opening == closing
end

local function begins_branch(code)
  local word = code:match("^%s*([%w_]+)")
  return word == "elif" or word == "else"
end

--- Returns whether a line is in a part of a branch that stands below its `then` or `else`.
local function is_below_branch(number, start)
  local each, code = above(number)
  while each and each >= start do
    if code:match("%f[%w_]then$") or code:match("^%s*else$") then
      return true
    end
    if begins_branch(code) then
      return false
    end
    each, code = above(each)
  end
  return false
end

--- Columns of a further line of a statement. Parts of branches that stand below `then` and `else` stand further in. The
--- locals of `with` stand one level below it, and so does the formula.
local function further(number, width)
  local start = beginning(number)
  local before, code = above(number)
  if not bare(vim.fn.getline(start)):match("^%s*with$") then
    local is_part = not begins_branch(vim.fn.getline(number)) and is_below_branch(number, start)
    return (is_part and 3 or 2) * width
  end
  local begins = before == start or (code:match(",$") and is_balanced(code)) or code:match("%S:$")
  local each = before
  while each and each > start do
    -- the colon of a choice has a blank before it
    if code:match("%S:$") then
      return each == before and width or 3 * width
    end
    each, code = above(each)
  end
  return begins and width or 3 * width
end

---@param number integer
---@return integer
function M.of(number)
  local width = vim.fn.shiftwidth()
  local block = enclosing(number)
  local line = vim.fn.getline(number)
  local outer = block and vim.fn.indent(beginning(block)) or 0
  if line:match("^%s*}") then
    return outer
  end
  local inner = block and outer + width or 0
  local _, code = above(number)
  if code and not is_complete(code) and not line:match("^%s*#") then
    return inner + further(number, width)
  end
  return inner
end

return M
