--- A window beside a document that shows something of it, line by line: it follows the cursor, and <CR> goes back.

local M = {}

local PAUSE_MILLISECONDS = 300
local HIGHLIGHTS = vim.api.nvim_create_namespace("snd.views")

---@class snd.Row
---@field text string
---@field range lsp.Range? what it shows, in the document
---@field group string? the highlight group of the row
---@field pick fun(column: integer)? what <CR> does instead of going back; columns of the screen count from 0

---@class snd.View
---@field buffer integer of the view
---@field source integer the document
---@field rows snd.Row[]
---@field refresh fun()? asks for what is to be shown

---@type table<string, snd.View>
local views = {}

local function window_of(buffer)
  local window = vim.fn.bufwinid(buffer)
  return window ~= -1 and window or nil
end

local function contains(range, line)
  return range.start.line <= line and line <= range["end"].line
end

local function height(range)
  return range["end"].line - range.start.line
end

--- Whether a thing says more of a line than another: one that contains it more than one that does not, and of these the
--- innermost; else the later one, as all begin above it.
local function is_closer(range, other, line)
  if contains(range, line) then
    return not contains(other, line) or height(range) <= height(other)
  end
  return not contains(other, line) and range.start.line >= other.start.line
end

--- The row of the innermost thing at a line, or of the last one above it.
local function row_at(rows, line)
  local best
  for number, row in ipairs(rows) do
    local range = row.range
    if range and range.start.line <= line and (not best or is_closer(range, rows[best].range, line)) then
      best = number
    end
  end
  return best
end

local function follow(view)
  local from, to = window_of(view.source), window_of(view.buffer)
  if not from or not to then
    return
  end
  local number = row_at(view.rows, vim.api.nvim_win_get_cursor(from)[1] - 1)
  if number and number <= vim.api.nvim_buf_line_count(view.buffer) then
    vim.api.nvim_win_set_cursor(to, { number, 0 })
  end
end

--- The byte at which a position of the server stands in its line.
local function byte_of(buffer, position)
  local line = vim.api.nvim_buf_get_lines(buffer, position.line, position.line + 1, false)[1] or ""
  local client = vim.lsp.get_clients({ bufnr = buffer, name = "snd" })[1]
  if client and client.offset_encoding == "utf-8" then
    return math.min(position.character, #line)
  end
  if vim.fn.has("nvim-0.11") == 1 then
    return vim.str_byteindex(line, "utf-16", position.character, false)
  end
  local _, length = vim.str_utfindex(line)
  return vim.str_byteindex(line, math.min(position.character, length), true)
end

local function jump(view)
  local row = view.rows[vim.api.nvim_win_get_cursor(0)[1]]
  local window = window_of(view.source)
  if row and row.pick then
    row.pick(vim.fn.virtcol(".") - 1)
    return
  end
  if not row or not row.range or not window then
    return
  end
  vim.api.nvim_set_current_win(window)
  vim.cmd("normal! m'")
  local column = byte_of(view.source, row.range.start)
  vim.api.nvim_win_set_cursor(window, { row.range.start.line + 1, column })
end

local function follows_edits(view)
  local waiting
  local group = vim.api.nvim_create_augroup("snd.views." .. view.buffer, {})
  vim.api.nvim_create_autocmd({ "CursorMoved", "CursorMovedI" }, {
    group = group,
    buffer = view.source,
    callback = function()
      follow(view)
    end,
  })
  vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, {
    group = group,
    buffer = view.source,
    callback = function()
      if waiting then
        waiting:stop()
      end
      waiting = vim.defer_fn(function()
        if view.refresh and window_of(view.buffer) then
          view.refresh()
        end
      end, PAUSE_MILLISECONDS)
    end,
  })
  vim.api.nvim_create_autocmd("BufWipeout", {
    group = group,
    buffer = view.buffer,
    callback = function()
      vim.api.nvim_del_augroup_by_id(group)
      for name, each in pairs(views) do
        if each == view then
          views[name] = nil
        end
      end
    end,
  })
end

local function open(name, source, place)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buffer, name)
  vim.bo[buffer].bufhidden = "wipe"
  vim.bo[buffer].modifiable = false
  local window = vim.api.nvim_open_win(buffer, false, { split = place, win = window_of(source) or 0 })
  local options = { wrap = false, number = false, relativenumber = false, cursorline = true, list = false }
  for option, value in pairs(options) do
    vim.api.nvim_set_option_value(option, value, { win = window, scope = "local" })
  end
  local view = { buffer = buffer, source = source, rows = {} }
  vim.keymap.set("n", "<CR>", function()
    jump(view)
  end, { buffer = buffer, desc = "Go to what the line shows" })
  vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = buffer, desc = "Close" })
  return view
end

---@param view snd.View
---@param rows snd.Row[]
local function fill(view, rows)
  view.rows = rows
  local lines = vim.tbl_map(function(row)
    return (row.text:gsub("\n", " "))
  end, rows)
  vim.bo[view.buffer].modifiable = true
  vim.api.nvim_buf_set_lines(view.buffer, 0, -1, false, lines)
  vim.bo[view.buffer].modifiable = false
  vim.api.nvim_buf_clear_namespace(view.buffer, HIGHLIGHTS, 0, -1)
  for number, row in ipairs(rows) do
    if row.group then
      vim.api.nvim_buf_set_extmark(view.buffer, HIGHLIGHTS, number - 1, 0, { line_hl_group = row.group })
    end
  end
end

--- Shows rows in the view of this kind of a document, which is opened unless it is there.
---@param kind string
---@param source integer
---@param rows snd.Row[]
---@param options { place: "below"|"right", refresh: fun()? }
function M.show(kind, source, rows, options)
  local name = ("snd://%s/%s"):format(kind, vim.fn.fnamemodify(vim.api.nvim_buf_get_name(source), ":t"))
  local key = kind .. source
  local view = views[key]
  if not view or not window_of(view.buffer) then
    view = open(vim.fn.bufexists(name) == 1 and name .. "#" .. source or name, source, options.place)
    views[key] = view
    follows_edits(view)
  end
  view.refresh = options.refresh
  fill(view, rows)
  follow(view)
end

return M
