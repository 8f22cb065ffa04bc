/** An edit that is spelled out exactly: what, where, and by what. Anything vaguer is none. */

export type Edit =
  | { kind: "replace"; path: string; from: string; to: string; all: boolean }
  | { kind: "rename"; path: string; from: string; to: string }
  | { kind: "create"; path: string; content: string }
  | { kind: "append"; path: string; text: string }
  | { kind: "delete"; path: string; line: string };

/** Text in quotes of one kind; lazily, so that what must follow decides where it ends. */
const quoted = (name: string): string =>
  `(?:"(?<${name}1>[\\s\\S]*?)"|“(?<${name}2>[\\s\\S]*?)”|\`(?<${name}3>[\\s\\S]*?)\`|'(?<${name}4>[\\s\\S]*?)')`;
const block = (name: string): string => "\\s*```[^\\n]*\\n(?<" + name + ">[\\s\\S]*?)\\n?```\\s*";
const file = "[\"'`“]?(?<path>[\\w@./~+-]*\\w)[\"'`”]?";
const word = (name: string): string => `(?<${name}>[^\\s"'\`“”]+)`;
const please = "^(?:please |can you |could you |now )*";
const by = "(?:with|by|to|into)";
const change =
  "(?:replace|change|substitute)(?<all> all| every| each)?(?: occurrences? of)?(?: the)?(?: text| word| line)?";

const pattern = (text: string): RegExp => new RegExp(text, "i");

const replaceForms = [
  pattern(
    `${please}${change} ${quoted("from")} ${by} ${quoted("to")} in (?:the file )?${file}(?<every> everywhere)?[.!]?$`,
  ),
  pattern(
    `${please}in (?:the file )?${file},?:? ${change} ${quoted("from")} ${by} ${quoted("to")}(?<every> everywhere)?[.!]?$`,
  ),
  pattern(`${please}in (?:the file )?${file},?:? ${change}${block("from")}${by}${block("to")}$`),
  pattern(`${please}${change}${block("from")}${by}${block("to")}in (?:the file )?${file}[.!]?$`),
  pattern(`${please}${change} ${word("from")} ${by} ${word("to")} in (?:the file )?${file}[.!]?$`),
  pattern(
    `${please}in (?:the file )?${file},? ${change} ${word("from")} ${by} ${word("to")}[.!]?$`,
  ),
];

const renameForms = [
  pattern(
    `${please}rename [\`"']?(?<from>[\\w$]+)[\`"']? (?:to|into|as) [\`"']?(?<to>[\\w$]+)[\`"']? in (?:the file )?${file}[.!]?$`,
  ),
  pattern(
    `${please}in (?:the file )?${file},? rename [\`"']?(?<from>[\\w$]+)[\`"']? (?:to|into|as) [\`"']?(?<to>[\\w$]+)[\`"']?[.!]?$`,
  ),
];

const create = `${please}(?:create|write|make|add)(?: a| the)?(?: new)?(?: file)?(?: called| named)? ${file}`;
const holding =
  "(?:,? (?:with|containing|that (?:says|contains)|holding))(?: the)?(?: contents?| text| line)?:?";
const createForms = [
  pattern(`${create}[^\\n]*\\n*${block("content")}$`),
  pattern(`${create}${holding} ${quoted("content")}[.!]?$`),
  pattern(`${create}${holding}[ \\n](?<content>[^"'\`“][\\s\\S]*)$`),
];
const empty = pattern(`${please}create (?:an )?empty file(?: called| named)? ${file}[.!]?$`);

const appendForms = [
  pattern(
    `${please}(?:append|add)(?: the)?(?: line| text)? ${quoted("text")} (?:to|at the end of) (?:the end of )?(?:the file )?${file}[.!]?$`,
  ),
  pattern(`${please}(?:append|add) to (?:the file )?${file}:?${block("text")}$`),
];

const deleteForm = pattern(
  `${please}(?:delete|remove) (?:the )?line ${quoted("line")} (?:from|in|of) (?:the file )?${file}[.!]?$`,
);
const deleteText = pattern(
  `${please}(?:delete|remove)(?<all> all| every)? (?:the )?(?:text |words? )?${quoted("from")} (?:from|in|of) (?:the file )?${file}[.!]?$`,
);

/** Null: this is no edit, or not one that leaves nothing open. */
export function readEdit(question: string): Edit | null {
  const text = question.trim();
  const named = firstOf(text, [empty]);
  if (named) return { kind: "create", path: get(named, "path"), content: "" };
  const made = firstOf(text, createForms);
  if (made && /[./]/.test(get(made, "path")))
    return { kind: "create", path: get(made, "path"), content: ended(get(made, "content")) };
  const added = firstOf(text, appendForms);
  if (added) return { kind: "append", path: get(added, "path"), text: get(added, "text") };
  const line = firstOf(text, [deleteForm]);
  if (line) return { kind: "delete", path: get(line, "path"), line: get(line, "line") };
  const renamed = firstOf(text, renameForms);
  if (renamed) return { kind: "rename", path: get(renamed, "path"), ...fromTo(renamed) };
  const found = firstOf(text, [...replaceForms, deleteText]);
  if (!found || fromTo(found).from === "") return null;
  const all = found["all"] !== undefined || found["every"] !== undefined;
  return { kind: "replace", path: get(found, "path"), ...fromTo(found), all };
}

type Groups = Record<string, string | undefined>;

function firstOf(text: string, forms: readonly RegExp[]): Groups | null {
  for (const form of forms) {
    const found = form.exec(text)?.groups;
    if (found) return found;
  }
  return null;
}

/** A group by its name, in whichever quotes it stood. */
const get = (groups: Groups, name: string): string =>
  groups[name] ??
  [1, 2, 3, 4].map((kind) => groups[`${name}${kind}`]).find((one) => one !== undefined) ??
  "";

const fromTo = (groups: Groups) => ({ from: get(groups, "from"), to: get(groups, "to") });

const ended = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
