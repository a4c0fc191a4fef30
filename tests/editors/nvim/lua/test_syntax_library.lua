-- The syntax file sees in the library and the examples what the analysis sees.

local CLASSES = {
  word = { "skndKeyword", "skndConditional", "skndRepeat", "skndWordOperator", "skndImport", "skndBoolean", "skndConstant", "skndPragma" },
  type = { "skndType" },
  block = { "skndBlock" },
  string = { "skndString" },
  field = { "skndFieldBrace" },
  number = { "skndNumber", "skndFloat" },
  symbol = { "skndOperator", "skndDelimiter", "skndImportComma" },
  comment = { "skndComment", "skndSample", "skndSampleMore", "skndSampleResult", "skndSampleError", "skndSampleTolerance" },
}

local function groups_at(line, column)
  return vim.tbl_map(function(id)
    return vim.fn.synIDattr(id, "name")
  end, vim.fn.synstack(line, column))
end

test("the library and the examples are coloured as they are read", function()
  local looked, wrong = 0, {}
  for path, tokens in vim.spairs(GIVEN) do
    vim.cmd("noswapfile keepalt edit " .. vim.fn.fnameescape(path))
    vim.cmd("syntax sync fromstart")
    for _, token in ipairs(tokens) do
      local line, column, class, text = unpack(token)
      local groups = groups_at(line, column)
      looked = looked + 1
      if not vim.iter(CLASSES[class]):any(function(group)
        return vim.tbl_contains(groups, group)
      end) then
        table.insert(wrong, ("%s:%d:%d: %s is a %s, not %s"):format(vim.fs.basename(path), line, column, text, class, table.concat(groups, " ")))
      end
    end
    equal(vim.v.errmsg, "")
  end
  check(looked > 3000, "too few: " .. looked)
  check(#wrong == 0, #wrong .. " of " .. looked .. ": " .. table.concat(vim.list_slice(wrong, 1, 30), "\n"))
end)
