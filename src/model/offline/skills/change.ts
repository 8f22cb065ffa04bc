import { counted } from "../../../base/in-words.ts";
import { clipLine } from "../../../base/clip.ts";
import type { Step } from "../conversation.ts";
import { readEditRequest, type EditRequest } from "../edit-request.ts";
import { pageLines, placesIn, totalLines } from "../results.ts";
import { make, type Script, type Skill } from "../script.ts";
import { editFile, readFile, writeFile } from "../tools.ts";

/** `Replace "a" with "b" in FILE`, `create FILE with "text"`, `append "text" to FILE`. */
export const changeFile: Skill = (request) => {
  const edit = readEditRequest(request);
  if (!edit) return null;
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
  return outcome(path, made, `“${clipLine(from, 60)}”`);
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
    : outcome(path, yield* make(editFile(path, last, `${last}\n${text}`)), "The end of the file");
}

const unreadable = (path: string, { text }: Step): string =>
  `I can't read \`${path}\`: ${clipLine(text, 300)}`;

/** `from`: what the tool's message calls the old text. */
function outcome(path: string, { text, failed, cleared }: Step, from = "the text"): string {
  if (failed)
    return `\`${path}\` was not changed: ${clipLine(text.replace(/\bold_(?:text|string)\b/g, from), 400)}`;
  if (cleared) return `\`${path}\` was changed.`;
  const places = placesIn(text);
  const line = changedLine(text);
  const where = line === null ? "" : ` (\`${path}:${line}\`)`;
  const verb = text.startsWith("Created ") ? "is created" : "is changed";
  return `Done: \`${path}\` ${verb}${places > 0 ? ` in ${counted(places, "place")}` : ""}${where}.`;
}

/** The number, after the change, of the first line that a unified diff adds or removes. */
function changedLine(text: string): number | null {
  const [, from, body] = /^@@ -\d+(?:,\d+)? \+(\d+)[^\n]*\n([\s\S]*)/m.exec(text) ?? [];
  const before = (body ?? "").split("\n").findIndex((line) => /^[+-]/.test(line));
  return from === undefined || before === -1 ? null : Number(from) + before;
}
