if vim.g.loaded_snd then
  return
end
vim.g.loaded_snd = true

-- However the client was started: by vim.lsp.enable, by setup, or by vim.lsp.start of the user's own.
local group = vim.api.nvim_create_augroup("snd", {})
vim.api.nvim_create_autocmd("LspAttach", {
  group = group,
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == "snd" then
      require("snd.attach").attached(client, event.buf)
      vim.api.nvim_create_autocmd("BufLeave", {
        group = vim.api.nvim_create_augroup("snd.leave." .. event.buf, {}),
        buffer = event.buf,
        callback = function()
          require("snd.server").tell(event.buf)
        end,
      })
    end
  end,
})

-- The server has nothing to save. Ended politely, it answers with an error what is asked for while Neovim waits for it,
-- which is shown to who only wanted to quit.
vim.api.nvim_create_autocmd("VimLeavePre", {
  group = group,
  callback = function()
    require("snd.server").stop_all()
  end,
})

-- Token types without colours in Neovim, or with unsuitable ones.
local links = {
  ["@lsp.type.namespace"] = "@module",
  ["@lsp.type.class"] = "Type",
  ["@lsp.type.typeParameter"] = "Type",
  ["@lsp.type.property"] = "@property",
  ["@lsp.type.enumMember"] = "Constant",
  ["@lsp.type.parameter"] = "@variable.parameter",
  ["@lsp.typemod.function.defaultLibrary"] = "@function.builtin",
}
local function link()
  for name, target in pairs(links) do
    for _, filetype in ipairs(require("snd.languages").filetypes) do
      vim.api.nvim_set_hl(0, name .. "." .. filetype, { link = target, default = true })
    end
  end
end
link()
vim.api.nvim_create_autocmd("ColorScheme", { group = group, callback = link })
