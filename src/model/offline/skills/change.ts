import { clipLine } from "../../../base/clip.ts";
import type { CallStep } from "../conversation.ts";
import { pageLines, totalLines } from "../results.ts";
import { make, type AnswerScript, type Skill } from "../script.ts";
import { editFile, readFile, writeFile } from "../tools.ts";
import { outcome, changeValue } from "./values.ts";

/**
 * `Replace "a" with "b" in FILE`, `create FILE with "text"`, `append "text" to FILE`; without quotes,
 * "change the version to 2" is about a value.
 */
export const changeFile: Skill = (request, conversation) => {
  const value = /^[^"“`'\n]{1,200}$/.test(request) ? changeValue(request, conversation) : null;
  if (value) return value;
  const edit = readEditRequest(request);
  if (!edit) return changeValue(request, conversation);
  // A line at the end of a JSON file breaks it.
  if (edit.kind === "add" && edit.path.endsWith(".json")) return null;
  return edit.kind === "replace" ? replace(edit) : edit.kind === "add" ? add(edit) : create(edit);
};

function* create({ path, content }: EditRequest & { kind: "create" }): AnswerScript {
  const seen = yield* make({ ...readFile(path, 1, 1), once: true });
  if (!seen.failed)
    return `\`${path}\` exists already: say “replace "OLD" with "NEW" in ${path}” or “add "TEXT" to ${path}”.`;
  return outcome(path, yield* make(writeFile(path, content)));
}

function* replace({ path, from, to, all }: EditRequest & { kind: "replace" }): AnswerScript {
  const seen = yield* make({ ...readFile(path, 1, 1), once: true });
  if (seen.failed) return unreadable(path, seen);
  const made = yield* make(editFile(path, from, to, all));
  const times = /occurs (\d+) times/.exec(made.text)?.[1];
  if (made.failed && times !== undefined)
    return `\`${path}\` was not changed: “${clipLine(from, 60)}” occurs ${times} times. Quote more of the text around it, or say: replace all "${clipLine(from, 60)}" with "${clipLine(to, 60)}" in ${path}`;
  return outcome(path, made, { from: `“${clipLine(from, 60)}”` });
}

/** Lines at an end of the file that must occur nowhere else in it. */
const edgeLines = 12;

/** Adds lines at the end of a file, or at its beginning, below a line that starts with #!. */
function* add({ path, text, atTop }: EditRequest & { kind: "add" }): AnswerScript {
  const start = yield* make(readFile(path, 1, 1));
  if (start.failed) return unreadable(path, start);
  const total = totalLines(start.text) ?? 1;
  const first = atTop ? 1 : Math.max(1, total - edgeLines + 1);
  const read = yield* make(readFile(path, first, edgeLines));
  const lines = pageLines(path, read.text).map((line) => line.text);
  const edge = lines.join("\n");
  if (edge.trim() === "") return outcome(path, yield* make(writeFile(path, `${text}\n`)));
  const head = atTop && lines[0]?.startsWith("#!") ? 1 : atTop ? 0 : lines.length;
  const changed = lines.toSpliced(head, 0, text).join("\n");
  return outcome(path, yield* make(editFile(path, edge, changed)), {
    from: atTop ? "The beginning of the file" : "The end of the file",
    at: atTop ? head + 1 : total + 1,
  });
}

const unreadable = (path: string, { text }: CallStep): string =>
  `I can't read \`${path}\`: ${clipLine(text, 300)}`;

/** Edits that are spelled out: which text, in which file, and what replaces it. */

export type EditRequest =
  | { kind: "replace"; path: string; from: string; to: string; all: boolean }
  | { kind: "create"; path: string; content: string }
  | { kind: "add"; path: string; text: string; atTop: boolean };

/** Text in any kind of quotes; lazy, so that what must follow decides where it ends. */
const quoted = (name: string): string =>
  `(?:"(?<${name}1>[\\s\\S]*?)"|“(?<${name}2>[\\s\\S]*?)”|\`(?<${name}3>[\\s\\S]*?)\`|'(?<${name}4>[\\s\\S]*?)')`;
const word = (name: string): string => `(?<${name}>[^\\s"'\`“”]+)`;
const file = "(?:(?:the|our|my) )?(?:file )?[\"'`“]?(?<path>[\\w@./~+-]*\\w)[\"'`”]?(?: file)?";
const start = "^(?:please |can you |could you |now )*";
const by = "(?:with|by|to|into)";
const verb =
  "(?:replace|change|substitute|rename)(?<all> all| every| each)?(?: occurrences? of)?(?: the)?(?: text| word| line)?";
const remove = "(?:delete|remove)(?<all> all| every)? (?:the )?(?:text |words? )?";
const end = "(?<every> everywhere)?[.!]?$";

const form = (text: string): RegExp => new RegExp(start + text, "i");

const replaceForms = [
  form(`${verb} ${quoted("from")} ${by} ${quoted("to")} in ${file}${end}`),
  form(`in ${file},?:? ${verb} ${quoted("from")} ${by} ${quoted("to")}${end}`),
  form(`${verb} ${word("from")} ${by} ${word("to")} in ${file}${end}`),
  form(`in ${file},? ${verb} ${word("from")} ${by} ${word("to")}${end}`),
  form(`${remove}${quoted("from")} (?:from|in|of) ${file}${end}`),
];

const creating = `(?:create|write|make|add)(?: an?| the)?(?: new)?(?: file)?(?: called| named)? ${file}`;
const holding = ",? (?:with|containing|that (?:says|contains)|holding)(?: the)?";
const contents = "(?: contents?| text| line)";
const createForms = [
  form(`create (?:an )?empty file(?: called| named)? ${file}[.!]?$`),
  form(`${creating}[^\\n]*\\s*\`\`\`[^\\n]*\\n(?<content>[\\s\\S]*?)\\n?\`\`\`\\s*$`),
  form(`${creating}${holding}${contents}?:? ${quoted("content")}[.!]?$`),
  // "With tests for a" describes a content; only "with the text a" is one without quotes.
  form(`${creating}${holding}${contents}:?[ \\n](?<content>[^"'\`“][\\s\\S]*)$`),
];

const adding = "(?:append|add|insert|put)(?: an?| the)?(?: new)?(?: line| text| comment)?";
const addForms = [
  form(
    `${adding} ${quoted("text")} (?:to|in|at|on) (?:the (?:(?<top>top|beginning|start)|end|bottom) of )?${file}[.!]?$`,
  ),
  // A line of a list, such as requirements.txt, needs no quotes.
  form(`add ${word("text")} to (?<path>[\\w./-]*\\.(?:txt|gitignore|dockerignore))$`),
];

/** Null: the request is not an edit, or leaves something open. */
export function readEditRequest(request: string): EditRequest | null {
  const text = request.trim();
  const created = match(text, createForms);
  if (created && /[./]/.test(get(created, "path"))) {
    const content = get(created, "content");
    const isWhole = content === "" || content.endsWith("\n");
    return {
      kind: "create",
      path: get(created, "path"),
      content: isWhole ? content : `${content}\n`,
    };
  }
  const added = match(text, addForms);
  if (added) {
    const atTop = added["top"] !== undefined;
    return { kind: "add", path: get(added, "path"), text: get(added, "text"), atTop };
  }
  const found = match(text, replaceForms);
  if (!found || get(found, "from") === "") return null;
  const all = found["all"] !== undefined || found["every"] !== undefined;
  return {
    kind: "replace",
    path: get(found, "path"),
    from: get(found, "from"),
    to: get(found, "to"),
    all,
  };
}

type Groups = Record<string, string | undefined>;

function match(text: string, forms: readonly RegExp[]): Groups | null {
  for (const pattern of forms) {
    const groups = pattern.exec(text)?.groups;
    if (groups) return groups;
  }
  return null;
}

/** A group by its name, whichever quotes were used. */
function get(groups: Groups, name: string): string {
  const quotes = [1, 2, 3, 4].map((kind) => groups[`${name}${kind}`]);
  const text = groups[name] ?? quotes.find((inside) => inside !== undefined) ?? "";
  return name === "path" && /^readme$/i.test(text) ? "README.md" : text;
}
