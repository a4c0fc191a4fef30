--- :checkhealth snd

local M = {}

local health = vim.health

local INSTALL = "Install snd, so that it is on $PATH, or set the option `cmd` (:help snd-install, :help snd-options)"

local function check_neovim()
  health.start("Neovim")
  local version = vim.version()
  local text = ("%d.%d.%d"):format(version.major, version.minor, version.patch)
  if vim.fn.has("nvim-0.10") == 0 then
    health.error("Neovim " .. text .. " is too old: the plugin needs 0.10")
    return
  end
  health.ok("Neovim " .. text)
  if vim.filetype.match({ filename = "x.sknd" }) == "skriptnd" then
    health.ok("files `*.sknd` are SkriptND")
  else
    health.error("files `*.sknd` are not detected", "Is the plugin on 'runtimepath', and `:filetype on`?")
  end
end

local function check_program()
  health.start("The program snd")
  local options = require("snd.options").get()
  local program = options.cmd[1]
  if vim.fn.executable(program) == 0 then
    health.error(("there is no program `%s`"):format(program), INSTALL)
    return
  end
  local version = require("snd.program").output({ "--version" })
  if not version then
    local command = table.concat(require("snd.program").command({ "--version" }), " ")
    health.error(("`%s` fails"):format(command), INSTALL)
    return
  end
  health.ok(("%s: %s"):format(vim.fn.exepath(program), vim.trim(version)))
  health.info("command: `" .. table.concat(options.cmd, " ") .. "`")
end

local FEATURES = {
  hoverProvider = "hovers",
  definitionProvider = "definitions",
  completionProvider = "completion",
  renameProvider = "renaming",
  documentFormattingProvider = "formatting",
  codeActionProvider = "code actions",
  semanticTokensProvider = "semantic tokens",
  inlayHintProvider = "inlay hints and values",
  codeLensProvider = "code lenses",
}

local function check_client(client)
  local said = client.server_info -- Neovim 0.10 does not keep it
  health.ok(("client %d is connected%s"):format(client.id, said and " with server " .. said.version or ""))
  health.info("root: " .. (client.config.root_dir or "none, files stand for themselves"))
  health.info("columns are counted in " .. client.offset_encoding)
  local missing = {}
  for provider, name in vim.spairs(FEATURES) do
    if not client.server_capabilities[provider] then
      table.insert(missing, name)
    end
  end
  if #missing > 0 then
    health.warn("the server does without " .. table.concat(missing, ", "), "Is snd as new as the plugin?")
  else
    health.ok("the server has all that the plugin uses")
  end
  for buffer in vim.spairs(client.attached_buffers) do
    local hints = vim.lsp.inlay_hint.is_enabled({ bufnr = buffer })
    local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ":~:.")
    health.info(("buffer %d, %s: values beside the code are %s"):format(buffer, name, hints and "shown" or "off"))
  end
end

local function check_clients()
  health.start("The language server")
  local clients = vim.lsp.get_clients({ name = "snd" })
  if #clients == 0 and require("snd.server").is_starting() then
    health.info("it is starting, and has not answered yet")
  elseif #clients == 0 then
    local started = vim.iter(vim.api.nvim_list_bufs()):any(function(buffer)
      return vim.api.nvim_buf_is_loaded(buffer) and require("snd.languages").is_ours(buffer)
    end)
    if started then
      health.error("it serves no buffer", {
        "Neovim 0.11 and newer: vim.lsp.enable('snd')",
        "Neovim 0.10: require('snd').setup()",
        ":SndRestart starts it again if it has ended, :SndLog may tell why",
      })
    else
      health.info("it starts when a file of SkriptND is opened")
    end
  end
  for _, client in ipairs(clients) do
    check_client(client)
  end
end

function M.check()
  check_neovim()
  check_program()
  check_clients()
end

return M
