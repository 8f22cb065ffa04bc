import { clipLine } from "../../../base/clip.ts";
import { make, type AnswerScript, type Skill } from "../script.ts";
import { editFile, readFile } from "../tools.ts";

const quotes = ['"([^]+?)"', "“([^]+?)”", "'([^]+?)'", "`([^]+?)`"].join("|");
const form = new RegExp(
  `^(?:please )?(?:replace|change) (all )?(?:${quotes}) (?:with|by|to) (?:${quotes.replaceAll("+?", "*?")}) in [\`"']?([\\w@./~+-]*\\w)[\`"']?[.!]?$`,
  "i",
);

/** `Replace "a" with "b" in FILE`. */
export const edit: Skill = (request) => {
  const [, all, ...texts] = form.exec(request.trim()) ?? [];
  const from = texts.slice(0, 4).find((text) => text !== undefined);
  const to = texts.slice(4, 8).find((text) => text !== undefined);
  const path = texts[8];
  if (from === undefined || to === undefined || path === undefined) return null;
  return replace(path, from, to, all !== undefined);
};

function* replace(path: string, from: string, to: string, all: boolean): AnswerScript {
  const seen = yield* make(readFile(path, 1, 1));
  if (seen.failed) return `I can't read \`${path}\`: ${clipLine(seen.text, 300)}`;
  const { text, failed, cleared } = yield* make(editFile(path, from, to, all));
  const times = failed ? /occurs (\d+) times/.exec(text)?.[1] : undefined;
  const old = clipLine(from, 60);
  if (times !== undefined)
    return `\`${path}\` was not changed: “${old}” occurs ${times} times. Quote more of the text around it, or say: replace all "${old}" with "${clipLine(to, 60)}" in ${path}`;
  if (failed)
    return `\`${path}\` was not changed: ${clipLine(text.replace(/\bold_(?:text|string)\b/g, `“${old}”`), 400)}`;
  return cleared ? `\`${path}\` was changed.` : `Done: ${clipLine(text, 400)}`;
}
