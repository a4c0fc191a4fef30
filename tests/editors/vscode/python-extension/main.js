const vscode = require("vscode");

exports.activate = (context) => {
  let path = "/no/such/python";
  const changed = new vscode.EventEmitter();
  const choose = (chosen) => {
    path = chosen;
    changed.fire({ path });
  };
  context.subscriptions.push(changed, vscode.commands.registerCommand("python.choose", choose));
  return {
    environments: {
      getActiveEnvironmentPath: () => ({ path }),
      resolveEnvironment: async (environment) => ({ executable: { uri: vscode.Uri.file(environment.path) } }),
      onDidChangeActiveEnvironmentPath: changed.event,
    },
  };
};
