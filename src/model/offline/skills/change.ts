import { clipLine } from "../../../base/clip.ts";
import type { Step } from "../conversation.ts";
import { readEditRequest, type EditRequest } from "../edit-request.ts";
import { pageLines, totalLines } from "../results.ts";
import { make, type Script, type Skill } from "../script.ts";
import { editFile, readFile, writeFile } from "../tools.ts";
import { outcome } from "./outcome.ts";
import { changeValue } from "./values.ts";

/**
 * `Replace "a" with "b" in FILE`, `create FILE with "text"`, `append "text" to FILE`; without quotes,
 * "change the version to 2" is about a value.
 */
export const changeFile: Skill = (request, conversation) => {
  const value = /^[^"“`'\n]{1,200}$/.test(request) ? changeValue(request, conversation) : null;
  if (value) return value;
  const edit = readEditRequest(request);
  if (!edit) return changeValue(request, conversation);
  return edit.kind === "replace"
    ? replace(edit)
    : edit.kind === "append"
      ? append(edit)
      : create(edit);
};

function* create({ path, content }: EditRequest & { kind: "create" }): Script {
  // A file must be read before it may be overwritten.
  yield* make({ ...readFile(path, 1, 1), once: true });
  return outcome(path, yield* make(writeFile(path, content)));
}

function* replace({ path, from, to, all }: EditRequest & { kind: "replace" }): Script {
  const seen = yield* make({ ...readFile(path, 1, 1), once: true });
  if (seen.failed) return unreadable(path, seen);
  const made = yield* make(editFile(path, from, to, all));
  const times = /occurs (\d+) times/.exec(made.text)?.[1];
  if (made.failed && times !== undefined)
    return `\`${path}\` was not changed: “${clipLine(from, 60)}” occurs ${times} times. Quote more of the text around it, or say: replace all "${clipLine(from, 60)}" with "${clipLine(to, 60)}" in ${path}`;
  return outcome(path, made, { from: `“${clipLine(from, 60)}”` });
}

/** Lines at the end of the file that must occur nowhere else in it. */
const tailLines = 12;

function* append({ path, text }: EditRequest & { kind: "append" }): Script {
  const start = yield* make(readFile(path, 1, 1));
  if (start.failed) return unreadable(path, start);
  const total = totalLines(start.text) ?? 1;
  const tail = yield* make(readFile(path, Math.max(1, total - tailLines + 1), tailLines));
  const last = pageLines(path, tail.text)
    .map((line) => line.text)
    .join("\n");
  return last.trim() === ""
    ? outcome(path, yield* make(writeFile(path, `${text}\n`)))
    : outcome(path, yield* make(editFile(path, last, `${last}\n${text}`)), {
        from: "The end of the file",
        at: total + 1,
      });
}

const unreadable = (path: string, { text }: Step): string =>
  `I can't read \`${path}\`: ${clipLine(text, 300)}`;
