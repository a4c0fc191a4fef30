// Prints the tokens of texts: JSON in, an object of texts by name; JSON out, for each a list of lines, each a list of
// [start, end, scopes]. With a scope as argument, the grammar of that scope is used.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const extension = join(dirname(fileURLToPath(import.meta.url)), "../..");
const { contributes } = JSON.parse(readFileSync(join(extension, "package.json"), "utf8"));
const paths = new Map(contributes.grammars.map(({ scopeName, path }) => [scopeName, join(extension, path)]));
// A Markdown of nothing but paragraphs, for what is injected into it.
const markdown = { scopeName: "text.html.markdown", patterns: [{ match: "^[^`~].*$", name: "meta.paragraph.markdown" }] };

async function grammars() {
  await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer);
  return new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => {
      if (scope === markdown.scopeName) return { ...markdown, repository: {} };
      const path = paths.get(scope);
      return path ? textmate.parseRawGrammar(readFileSync(path, "utf8"), path) : null;
    },
    getInjections: (scope) =>
      contributes.grammars.filter(({ injectTo }) => injectTo?.includes(scope)).map(({ scopeName }) => scopeName),
  });
}

function tokens(grammar, text) {
  let state = textmate.INITIAL;
  return text.split(/\r\n|\n|\r/).map((line) => {
    const read = grammar.tokenizeLine(line, state);
    state = read.ruleStack;
    return read.tokens.map(({ startIndex, endIndex, scopes }) => [startIndex, Math.min(endIndex, line.length), scopes]);
  });
}

const grammar = await (await grammars()).loadGrammar(process.argv[2] ?? "source.skriptnd");
const texts = JSON.parse(readFileSync(0, "utf8"));
const found = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, tokens(grammar, text)]));
process.stdout.write(JSON.stringify(found));
