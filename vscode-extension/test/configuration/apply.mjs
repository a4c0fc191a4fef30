// Applies language-configuration.json to lines as VS Code does: JSON in, a list of questions; JSON out, a list of answers.
import { readFileSync } from "node:fs";

const configuration = JSON.parse(readFileSync(new URL("../../language-configuration.json", import.meta.url), "utf8"));
const expression = (rule) => new RegExp(rule ?? "");
const { increaseIndentPattern, decreaseIndentPattern } = configuration.indentationRules;

const answers = {
  // The action of the first rule that fits, null if none does.
  enter: ({ before, after = "", previous = "" }) =>
    configuration.onEnterRules.find(
      (rule) =>
        expression(rule.beforeText).test(before) &&
        expression(rule.afterText).test(after) &&
        expression(rule.previousLineText).test(previous),
    )?.action ?? null,
  indents: ({ line }) => expression(increaseIndentPattern).test(line),
  outdents: ({ line }) => expression(decreaseIndentPattern).test(line),
  words: ({ line }) => line.match(new RegExp(configuration.wordPattern, "g")) ?? [],
  folds: ({ line }) => {
    const { start, end } = configuration.folding.markers;
    return expression(start).test(line) ? "start" : expression(end).test(line) ? "end" : null;
  },
};

const questions = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(questions.map((question) => answers[question.ask](question))));
