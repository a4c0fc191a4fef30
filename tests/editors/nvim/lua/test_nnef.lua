-- NNEF 1.0: what its files are called, its colours without the server, and what the server says about it.

local TEXT = [==[
version 1.0;
^ nnefPragma
        ^ nnefFloat
extension tract_registry tract_core;
^ nnefPragma
          ^ nnefExtension
                         ^ nnefPayload
# About `x` and TODO.
^ nnefComment
                ^ nnefTodo
fragment twice<?>(x: tensor<scalar>, by: scalar = 2.0) -> (y: tensor<scalar>)
^ nnefKeyword
         ^ nnefDefinition
                     ^ nnefType
    y = [for i in range_of(x) if true yield -inf];
         ^ nnefRepeat
                  ^ nnefBuiltin
                              ^ nnefConditional
                                 ^ nnefBoolean
                                             ^ nnefConstant
    w = variable<scalar>(shape = [1, 2], label = 'a/b');
        ^ nnefCall
                         ^ nnefAttribute
                                  ^ nnefNumber
                                                 ^ nnefString
    z = i"model/in:0" + 1e-05;
        ^ nnefExtended
                      ^ nnefOperator
                        ^ nnefFloat
"conv": linear_quantize(min = 0.0, max = 1.0, bits = 8);
^ nnefQuantized
        ^ nnefCall
]==]

test("files are detected by their names", function()
  equal(vim.filetype.match({ filename = "graph.nnef" }), "nnef")
  equal(vim.filetype.match({ filename = "graph.quant" }), "nnef")
end)

test("everything in NNEF 1.0 has its group", function()
  local code, marks = {}, {}
  for line in vim.gsplit(TEXT, "\n") do
    local column, group = line:match("^ *()%^ (nnef%w+)$")
    if column then
      table.insert(marks, { #code, column, group })
    else
      table.insert(code, line)
    end
  end
  vim.cmd.enew({ bang = true })
  vim.api.nvim_buf_set_lines(0, 0, -1, false, code)
  vim.bo.filetype = "nnef"
  local wrong = {}
  for _, mark in ipairs(marks) do
    local groups = vim.tbl_map(function(id)
      return vim.fn.synIDattr(id, "name")
    end, vim.fn.synstack(mark[1], mark[2]))
    if not vim.tbl_contains(groups, mark[3]) then
      table.insert(wrong, ("%d:%d %s is %s"):format(mark[1], mark[2], mark[3], table.concat(groups, " ")))
    end
  end
  check(#marks > 22, "marks are missing")
  equal(wrong, {})
end)

local GRAPH = [[
version 1.0;

graph net(x) -> (y)
{
    x = external(shape = [1, 4]);
    y = rely(x);
}
]]

test("the server says what is wrong, and knows shapes", function()
  write("snd.toml", "")
  local buffer = edit("model/graph.nnef", GRAPH)
  equal(vim.bo[buffer].filetype, "nnef")
  local found = await("a diagnostic", function()
    return vim.diagnostic.get(buffer)[1]
  end)
  equal(found.code, "unknown-operator")
  vim.api.nvim_buf_set_lines(buffer, 5, 6, false, { "    y = relu(x);" })
  await("no diagnostic", function()
    return #vim.diagnostic.get(buffer) == 0
  end)
  vim.api.nvim_win_set_cursor(0, { 6, 4 })
  local answers = vim.lsp.buf_request_sync(0, "textDocument/hover", vim.lsp.util.make_position_params(0, "utf-16"))
  local text = vim.inspect(answers)
  contains(text, "y: real[1,4]")
end)
