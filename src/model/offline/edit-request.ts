/** Edits that are spelled out: which text, in which file, and what replaces it. */

export type EditRequest =
  | { kind: "replace"; path: string; from: string; to: string; all: boolean }
  | { kind: "create"; path: string; content: string }
  | { kind: "append"; path: string; text: string };

/** Text in any kind of quotes; lazy, so that what must follow decides where it ends. */
const quoted = (name: string): string =>
  `(?:"(?<${name}1>[\\s\\S]*?)"|“(?<${name}2>[\\s\\S]*?)”|\`(?<${name}3>[\\s\\S]*?)\`|'(?<${name}4>[\\s\\S]*?)')`;
const block = (name: string): string => "\\s*```[^\\n]*\\n(?<" + name + ">[\\s\\S]*?)\\n?```\\s*";
const word = (name: string): string => `(?<${name}>[^\\s"'\`“”]+)`;
const file = "(?:the file )?[\"'`“]?(?<path>[\\w@./~+-]*\\w)[\"'`”]?";
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
  form(`in ${file},?:? ${verb}${block("from")}${by}${block("to")}$`),
  form(`${verb}${block("from")}${by}${block("to")}in ${file}[.!]?$`),
  form(`${verb} ${word("from")} ${by} ${word("to")} in ${file}${end}`),
  form(`in ${file},? ${verb} ${word("from")} ${by} ${word("to")}${end}`),
  form(`${remove}${quoted("from")} (?:from|in|of) ${file}${end}`),
];

const create = `(?:create|write|make|add)(?: an?| the)?(?: new)?(?: file)?(?: called| named)? ${file}`;
const holding =
  "(?:,? (?:with|containing|that (?:says|contains)|holding))(?: the)?(?: contents?| text| line)?:?";
const createForms = [
  form(`create (?:an )?empty file(?: called| named)? ${file}[.!]?$`),
  form(`${create}[^\\n]*\\n*${block("content")}$`),
  form(`${create}${holding} ${quoted("content")}[.!]?$`),
  form(`${create}${holding}[ \\n](?<content>[^"'\`“][\\s\\S]*)$`),
];

const appendForms = [
  form(
    `(?:append|add)(?: the)?(?: line| text)? ${quoted("text")} (?:to|at the end of) (?:the end of )?${file}[.!]?$`,
  ),
  form(`(?:append|add) to ${file}:?${block("text")}$`),
];

/** Null: the request is not an edit, or leaves something open. */
export function readEditRequest(request: string): EditRequest | null {
  const text = request.trim().replace(/\b(?:the|our|my) readme(?: file)?\b/i, "README.md");
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
  const added = match(text, appendForms);
  if (added) return { kind: "append", path: get(added, "path"), text: get(added, "text") };
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
  for (const one of forms) {
    const groups = one.exec(text)?.groups;
    if (groups) return groups;
  }
  return null;
}

/** A group by its name, whichever quotes were used. */
const get = (groups: Groups, name: string): string =>
  groups[name] ??
  [1, 2, 3, 4].map((kind) => groups[`${name}${kind}`]).find((text) => text !== undefined) ??
  "";
