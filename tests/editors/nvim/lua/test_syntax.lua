-- Colours without the server. Each line of TEXT is followed by one of marks: the group of what stands above a caret.

local TEXT = [==[
version 2.0;
^ skndPragma
        ^ skndFloat
import layer, nn.deep;
^ skndImport
       ^ skndImported
              ^ skndImported
# About `x` and TODO.
^ skndComment
        ^ skndCommentCode
                ^ skndTodo
# snd: ignore[unused-import] a reason
  ^ skndDirective
                             ^ skndComment
# >>> scale{by=2.5}(random[2,3], 'a{n}')
  ^ skndSampleMark
      ^ skndFunctionCall
               ^ skndFloat
                    ^ skndSampleValue
                                 ^ skndString
                                   ^ skndField
# ... inf)
  ^ skndSampleMark
      ^ skndConstant
# y: real[2] = [1.0, nan] n=3
     ^ skndType
                ^ skndFloat
                     ^ skndSampleValue
                          ^ skndSampleStatistic
# z: real is a sentence all the same
     ^ skndType
# error: too bad
  ^ skndComment
public operator scale {
^ skndKeyword
       ^ skndKeyword
                ^ skndDefinition
    @dtype { T: num = real; }
    ^ skndBlock
                ^ skndType
    @attrib { by: optional real = 1e-5; k: int..(d) = 3; }
                  ^ skndKeyword
                                  ^ skndFloat
                                              ^ skndOperator
                                                      ^ skndNumber
    @assert { by > 0.: "no \{ \q {by + x.shape['a']} 'quoted'", by; }
                   ^ skndFloat
                       ^ skndString
                           ^ skndEscape
                              ^ skndEscapeUnknown
                                 ^ skndFieldBrace
                                     ^ skndOperator
                                               ^ skndString
                                                  ^ skndString
    @compose { y = if a is null then nn.relu<real>(a) else inf; }
                   ^ skndConditional
                        ^ skndWordOperator
                                     ^ skndModule
                                        ^ skndFunctionCall
                                             ^ skndType
                                                           ^ skndConstant
        z = with s = true for v: vs do..(n) step(s, v);
            ^ skndKeyword
                     ^ skndBoolean
                          ^ skndRepeat
                                      ^ skndOperator
    @lower { y[i,] = sqrt(x[i,]) <? 007, i < 1..3; }
                     ^ skndFunctionCall
                                 ^ skndOperator
                                    ^ skndNumber
                                             ^ skndNumber
                                              ^ skndOperator
                                                ^ skndNumber
]==]

local function stack(line, column)
  return vim.tbl_map(function(id)
    return vim.fn.synIDattr(id, "name")
  end, vim.fn.synstack(line, column))
end

test("everything has its group", function()
  local code, marks = {}, {}
  for line in vim.gsplit(TEXT, "\n") do
    local column, group = line:match("^ *()%^ (sknd%w+)$")
    if column then
      table.insert(marks, { #code, column, group })
    else
      table.insert(code, line)
    end
  end
  vim.cmd.enew()
  vim.api.nvim_buf_set_lines(0, 0, -1, false, code)
  vim.bo.filetype = "skriptnd"
  local wrong = {}
  for _, mark in ipairs(marks) do
    local groups = stack(mark[1], mark[2])
    if not vim.tbl_contains(groups, mark[3]) then
      table.insert(wrong, ("%d:%d %s is %s"):format(mark[1], mark[2], mark[3], table.concat(groups, " ")))
    end
  end
  check(#marks > 45, "marks are missing")
  equal(wrong, {})
end)

test("strings go on over lines, and end", function()
  vim.cmd.enew({ bang = true })
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { "a = 'one", "two # no comment", "three'; # comment" })
  vim.bo.filetype = "skriptnd"
  equal(stack(2, 6), { "skndString" })
  equal(stack(3, 12)[1], "skndComment")
end)
