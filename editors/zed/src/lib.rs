//! Tells Zed how to start the language server.

use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree};

struct Snd;

impl zed::Extension for Snd {
    fn new() -> Self {
        Self
    }

    fn language_server_command(&mut self, _: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let command = worktree
            .which("snd")
            .ok_or("'snd' is not on PATH: 'pip install .' in a checkout of snd installs it")?;
        Ok(Command { command, args: vec!["lsp".into()], env: worktree.shell_env() })
    }
}

zed::register_extension!(Snd);
