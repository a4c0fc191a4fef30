// What package.json contributes, kind by kind: that VS Code has taken it as it is meant. What has to be seen is looked at
// in tests/editors/vscode/test_contributions.py, and named here.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { file, shown, until } from "../editing";

const asked = vscode.commands.executeCommand;
const TESTS = join(__dirname, "../../../../tests/editors");

/** A test in Python that looks at what the API does not tell. */
const seenBy = (path: string, test: string) => () => {
  assert.match(readFileSync(join(TESTS, path), "utf8"), new RegExp(`^def ${test}\\b`, "m"));
};

suite("contributions", () => {
  const extension = vscode.extensions.getExtension("snd-lang.skriptnd")!;
  const { contributes, icon } = extension.packageJSON;
  const path = (name: string) => join(extension.extensionPath, name);

  const CHECKS: Record<string, () => unknown> = {
    commands: seenBy("vscode/test_contributions.py", "test_the_palette_has_the_commands_that_are_of_use"),
    menus: seenBy("vscode/test_contributions.py", "test_the_menu_of_the_editor_has_the_commands"),
    submenus: seenBy("vscode/test_contributions.py", "test_the_menu_of_the_editor_has_the_commands"),
    grammars: seenBy("vscode/test_contributions.py", "test_code_is_coloured_by_the_grammars"),
    problemMatchers: seenBy("../server/test_distribution.py", "test_problem_matcher_reads_every_concise_line"),
    tomlValidation: seenBy("vscode/test_contributions.py", "test_a_mistake_in_snd_toml_is_told"),

    viewsContainers: async () => {
      const known = await vscode.commands.getCommands(true);
      for (const { id } of Object.values(contributes.viewsContainers).flat() as { id: string }[]) {
        assert.ok(known.includes(`workbench.view.extension.${id}`), id);
      }
    },
    views: async () => {
      const known = await vscode.commands.getCommands(true);
      for (const { id } of Object.values(contributes.views).flat() as { id: string }[]) {
        assert.ok(known.includes(`${id}.focus`), id);
      }
    },
    configuration: () => {
      for (const { properties } of contributes.configuration as { properties: Record<string, { scope: string }> }[]) {
        for (const [key, { scope }] of Object.entries(properties)) {
          const known = vscode.workspace.getConfiguration(undefined, file("main.sknd")).inspect(key);
          assert.ok(known !== undefined && ["window", "resource", "machine-overridable"].includes(scope), key);
        }
      }
    },
    languages: async () => {
      const known = await vscode.languages.getLanguages();
      const suffixes: Record<string, string[]> = { skriptnd: [".sknd"], nnef: [".nnef", ".quant"] };
      for (const { id, extensions, configuration, icon } of contributes.languages) {
        assert.ok(known.includes(id));
        assert.deepEqual(extensions, suffixes[id]);
        for (const name of [configuration, icon.light, icon.dark]) assert.ok(existsSync(path(name)), name);
      }
      assert.equal((await shown("main.sknd")).document.languageId, "skriptnd");
    },
    semanticTokenScopes: async () => {
      const { document } = await shown("main.sknd");
      const legend = await until("the legend", () =>
        asked<vscode.SemanticTokensLegend>("vscode.provideDocumentSemanticTokensLegend", document.uri),
      );
      for (const { language, scopes } of contributes.semanticTokenScopes) {
        assert.ok(["skriptnd", "nnef"].includes(language));
        for (const [type, ...modifiers] of Object.keys(scopes).map((each) => each.split("."))) {
          assert.ok(legend.tokenTypes.includes(type!), type);
          for (const modifier of modifiers) assert.ok(legend.tokenModifiers.includes(modifier), modifier);
        }
      }
    },
    configurationDefaults: async () => {
      const { "[skriptnd]": defaults, ...others } = contributes.configurationDefaults;
      const scope = { uri: file("main.sknd"), languageId: "skriptnd" };
      for (const [key, value] of Object.entries(defaults)) {
        assert.deepEqual(vscode.workspace.getConfiguration(undefined, scope).get(key), value, key);
      }
      for (const [key, value] of Object.entries(others)) {
        const known = vscode.workspace.getConfiguration().get<object>(key);
        assert.deepEqual({ ...known, ...(value as object) }, { ...known }, key);
      }
    },
  };

  test("are of the kinds that are tested", () => {
    assert.deepEqual(Object.keys(CHECKS).sort(), Object.keys(contributes).sort());
  });

  test("are what VS Code has", async () => {
    for (const check of Object.values(CHECKS)) await check();
  });

  test("name files that are there", () => {
    const named = JSON.stringify(contributes).match(/\.\/[\w./-]+\.(json|svg|png)/g)!;
    for (const name of [icon, ...named]) assert.ok(existsSync(path(name)), name);
  });
});
