/** Names that have a value, such as a version or a port: says what it is, sets it, and renames things. */

import { clipLine } from "../../../base/clip.ts";
import { counted } from "../../../base/in-words.ts";
import { isComment, isImport } from "../declarations.ts";
import { isData, isProse, isTest } from "../files.ts";
import { manifestNames } from "../manifests.ts";
import { parseMatches, quote, type MatchedLine, changedLines } from "../results.ts";
import { make, type PlannedCalls, type AnswerScript, type Skill } from "../script.ts";
import { bare, escapeRegExp, listed, unquoted } from "../text.ts";
import { editFile, readFile, searchText } from "../tools.ts";
import type { CallStep } from "../conversation.ts";

const path = "[\"'`“]?(?<path>(?:[\\w@~-]*\\/)*[\\w@.-]*\\.\\w+|Makefile|Dockerfile)[\"'`”]?";
const key =
  "(?:the )?(?:(?:project|package|app|default)(?:'s)? )?(?<key>[A-Za-z][\\w.-]*)(?: number)?";
const value = "(?<value>\"[^\"]*\"|'[^']*'|`[^`]*`|[^\\s\"'`]+)";
const setting = new RegExp(
  `^(?:change|set|bump|update|increase|raise|lower|make)\\s+${key}(?:\\s+(?:in|of)\\s+${path})?(?:\\s+(?:to|=|say)|(?=\\s+[\\d"'\`]))\\s+${value}(?:\\s+in\\s+${path.replace("<path>", "<file>")})?$`,
  "i",
);
const renaming =
  /^rename\s+[`"']?([A-Za-z_$][\w$]*)[`"']?\s+(?:to|into|as)\s+[`"']?([A-Za-z_$][\w$]*)[`"']?(?:\s+everywhere|\s+in\s+["'`“]?([\w@./~+-]*\.\w+)["'`”]?)?$/i;
const replacing =
  /^(?:change|replace)\s+(\S+|"[^"]+"|'[^']+'|`[^`]+`)\s+(?:to|with|by)\s+(\S+|"[^"]+"|'[^']+'|`[^`]+`)$/i;
const fromTo =
  /^(?:change|update|switch|rename)\s+(?:the )?[\w -]+?\s+from\s+("[^"]+"|'[^']+'|`[^`]+`|.+?)\s+to\s+("[^"]+"|'[^']+'|`[^`]+`|.+?)(?:\s+in\s+([\w@./-]*\.\w+))?$/i;
const asking =
  /^(?:what|which)(?:'s| is)? (?:the )?(?:(\w+)(?: number)?(?: is this| is it| do (?:i|we|you) have| does (?:it|this) (?:use|have|run on|listen on)| are we on)?|(\w+) (?:is|does) (?:this|it|the (?:\w+ )?(?:server|app|application|service|project|program|site|api))\b.*)$/i;
const askable = /^(?:version|port|host|name|author|licen[cs]e)$/i;

/** "Change the version to 0.2.0", "rename a to b", "change 8080 to 9090". */
export const changeValue: Skill = (request) => {
  const text = bare(request);
  const [, old, renamed, inFile] = renaming.exec(text) ?? [];
  if (old !== undefined && renamed !== undefined) return rename(old, renamed, inFile);
  const groups = setting.exec(text)?.groups;
  if (groups && !/^(?:it|this|that|them)$/i.test(groups["key"] ?? ""))
    return setValue(groups["key"] ?? "", unquoted(groups["value"] ?? ""), {
      file: groups["path"] ?? groups["file"],
      mayBeText: /^change\s+(?!the\s)/i.test(text),
    });
  const [, from, to, where] = fromTo.exec(text) ?? replacing.exec(text) ?? [];
  return from === undefined || to === undefined
    ? null
    : replaceOnce(unquoted(from), unquoted(to), where);
};

/** "What version is this?", "which port does it use?" */
export const tellValue: Skill = (request) => {
  const [, before, after] = asking.exec(bare(request)) ?? [];
  const name = before ?? after;
  return name !== undefined && askable.test(name) ? tell(name) : null;
};

const holdsData = (file: string): boolean => isData(file) || /\.(?:env|properties)$/.test(file);

/** A name with its value in a line. */
type Assigned = MatchedLine & { value: string; start: number };

/** Where a name gets a value: in the manifests for a version, elsewhere in the code. */
function* assignments(name: string, file?: string): PlannedCalls<Assigned[]> {
  const key = escapeRegExp(name);
  const start = `(?:^|[^\\w$.-])["']?${key}["']?\\s*(?::\\s*[\\w<>\\[\\]]+\\s*)?(?:=|:=|:)\\s*`;
  const markup = `<${key}(?:\\s[^>]*)?>`;
  const found = yield* make(
    searchText(`${start}["'\`\\w]|${markup}`, {
      about: `lines that give ${name} a value`,
      ignoreCase: true,
      limit: 60,
      ...(file && { path: file }),
    }),
  );
  const form = new RegExp(
    `${start}(?:"(?<a>[^"]*)"|'(?<b>[^']*)'|\`(?<c>[^\`]*)\`|(?<plain>[^"'\`,;\\s]+))|${markup}(?<d>[^<]+)</`,
    "di",
  );
  const assigned = parseMatches(found.text).flatMap((line): Assigned[] => {
    const groups = form.exec(line.text)?.indices?.groups ?? {};
    const [from, to] = Object.values(groups).find((place) => place !== undefined) ?? [0, 0];
    const value = line.text.slice(from, to);
    const isLiteral =
      groups["plain"] === undefined || /^(?:\d[\w.+-]*|true|false|null)$/.test(value);
    return to === 0 || !(isLiteral || holdsData(line.path))
      ? []
      : [{ ...line, value, start: from }];
  });
  const isUsable = (line: MatchedLine): boolean =>
    !isTest(line.path) && !isProse(line.path) && !/lock/i.test(line.path);
  const usable = assigned.filter(isUsable);
  if (usable.length === 0 && /^port$/i.test(name)) return (yield* addresses(file)).filter(isUsable);
  if (file !== undefined) return assigned.slice(0, 1);
  const manifest = usable.filter((line) => manifestNames.includes(line.path));
  // The first is the project's own; what follows may be that of a dependency.
  return manifest.length > 0
    ? manifest.filter((line, at) => manifest.findIndex((other) => other.path === line.path) === at)
    : usable;
}

/** Port numbers in addresses: `":8080"`, `listen(3000)`, `EXPOSE 80`. */
function* addresses(file?: string): PlannedCalls<Assigned[]> {
  const before = "(?:addr|listen|expose|localhost|host|bind|port)\\w*\\W{0,12}";
  const found = yield* make(
    searchText(`${before}\\d{2,5}\\b`, {
      about: "port numbers",
      ignoreCase: true,
      ...(file && { path: file }),
    }),
  );
  const form = new RegExp(`${before}\\b(?<port>\\d{2,5})\\b(?![\\w.])`, "di");
  return parseMatches(found.text).flatMap((line): Assigned[] => {
    const [from, to] = form.exec(line.text)?.indices?.groups?.["port"] ?? [0, 0];
    return to === 0 ? [] : [{ ...line, value: line.text.slice(from, to), start: from }];
  });
}

function* tell(name: string): AnswerScript {
  const found = yield* assignments(name);
  const [only] = found;
  if (!only) return `I found no ${name.toLowerCase()} here: no line gives \`${name}\` a value.`;
  return found.length === 1
    ? `\`${only.value}\` (\`${only.path}:${only.line}\`)`
    : listed(`\`${name}\` has a value in ${counted(found.length, "place")}`, found.map(quote), 8);
}

/** `mayBeText`: "the title" is a name, and "set a to b" gives it a value; "change a to b" may replace it. */
function* setValue(
  name: string,
  value: string,
  { file, mayBeText }: { file: string | undefined; mayBeText: boolean },
): AnswerScript {
  const found = yield* assignments(name, file);
  const [only, ...others] = found;
  if (!only && !mayBeText)
    return `I found no place that gives \`${name}\` a value; quote the text: “change "OLD" to "${clipLine(value, 40)}" in FILE”.`;
  if (!only) return yield* replaceOnce(name, value, file);
  // In a call, a signature or a literal, the name is somebody else's.
  const isInside = /^[^<({,]*[({,]/.test(only.text.slice(0, only.start));
  if (others.length > 0 || (isInside && file === undefined))
    return listed(
      `\`${name}\` has a value in ${counted(found.length, "place")}; say which, as in “change the ${name} in ${only.path} to ${value}”`,
      found.map(quote),
      8,
    );
  const { text, start } = only;
  const changed = text.slice(0, start) + value + text.slice(start + only.value.length);
  yield* make({ ...readFile(only.path, 1, 1), once: true });
  const made = yield* make(editFile(only.path, text, changed));
  return outcome(only.path, made, { from: `“${clipLine(text.trim(), 60)}”` });
}

/** Changes a text, as a word if it is one, that occurs once in the project, or says where it occurs. */
function* replaceOnce(from: string, to: string, file?: string): AnswerScript {
  const pattern = /^\w+$/.test(from) ? `\\b${from}\\b` : escapeRegExp(from);
  const search = searchText(pattern, { about: from, limit: 40, ...(file && { path: file }) });
  const found = parseMatches((yield* make(search)).text);
  const code = found.filter(
    ({ path: file, text }) => !isTest(file) && !isProse(file) && !isComment(text),
  );
  const [only, ...others] = code.length > 0 ? code : found;
  if (!only) return `No line contains “${clipLine(from, 60)}”, so nothing was changed.`;
  const isTwice = only.text.split(new RegExp(pattern)).length > 2;
  if (others.length > 0 || isTwice)
    return listed(
      `“${clipLine(from, 60)}” occurs in ${counted(found.length, "line")}${isTwice ? ", more than once" : ""}; say which, as in “change "${clipLine(from, 40)}" to "${clipLine(to, 40)}" in ${only.path}”`,
      found.map(quote),
      8,
    );
  yield* make({ ...readFile(only.path, 1, 1), once: true });
  const changed = only.text.replace(new RegExp(pattern), () => to);
  const made = yield* make(editFile(only.path, only.text, changed));
  return outcome(only.path, made, { from: `“${clipLine(from, 60)}”` });
}

/** Every use of a name, in one file or in all code; where it is a part of longer names, line by line. */
function* rename(from: string, to: string, only?: string): AnswerScript {
  const name = escapeRegExp(from);
  const inFile = only === undefined ? {} : { path: only };
  const search = (pattern: string) =>
    make(searchText(pattern, { about: from, limit: 200, ...inFile }));
  if (only === undefined && /^[a-z]+$/.test(from))
    return `\`${from}\` is a plain word that may mean several things: say “rename ${from} to ${to} in FILE”, and only that file is changed.`;
  const all = parseMatches((yield* search(`\\b${name}\\b`)).text);
  const found = all.filter(
    (line) => line.path === only || !(isProse(line.path) || isData(line.path)),
  );
  if (found.length === 0) return `No line contains the name \`${from}\`, so nothing was changed.`;
  const longer = parseMatches((yield* search(`\\w${name}|${name}\\w`)).text);
  // A module keeps its file, so an import keeps its path.
  const whole = new RegExp(`\\b${name}\\b`, "g");
  const wholeButPaths = new RegExp(`(["'\`])(?:(?!\\1).)*\\1|\\b${name}\\b`, "g");
  const changeLine = (text: string): string =>
    isImport(text)
      ? text.replaceAll(wholeButPaths, (match) => (match === from ? to : match))
      : text.replaceAll(whole, () => to);
  const isInPath = ({ text }: MatchedLine): boolean =>
    changeLine(text) !== text.replaceAll(whole, () => to);
  const done: string[] = [];
  let places = 0;
  for (const [file, lines] of Map.groupBy(found, (line) => line.path)) {
    yield* make({ ...readFile(file, 1, 1), once: true });
    const isPart = longer.some((line) => line.path === file) || lines.some(isInPath);
    const texts = isPart ? new Set(lines.map(({ text }) => text)) : [from];
    for (const text of texts) {
      const changed = changeLine(text);
      if (changed === text) continue;
      const made = yield* make(editFile(file, text, changed, true));
      if (!made.failed) places += changedLines(made.text).places;
      done.push(outcome(file, made, { from: `\`${from}\`` }));
    }
  }
  return listed(`\`${from}\` is now \`${to}\` in ${counted(places, "place")}`, done, 40);
}

/**
 * An edit's outcome in a sentence. `from`: what the tool's message calls the old text. `at`: the line, where
 * the edit begins before it.
 */
export function outcome(
  path: string,
  { text, failed, cleared }: CallStep,
  { from = "the text", at }: { from?: string; at?: number } = {},
): string {
  if (failed)
    return `\`${path}\` was not changed: ${clipLine(text.replace(/\bold_(?:text|string)\b/g, from), 400)}`;
  if (cleared) return `\`${path}\` was changed.`;
  const { places, line } = changedLines(text);
  const first = at ?? line;
  const where = first === null ? "" : ` (\`${path}:${first}\`)`;
  const verb = text.startsWith("Created ") ? "is created" : "is changed";
  return `Done: \`${path}\` ${verb}${places > 0 && at === undefined ? ` in ${counted(places, "place")}` : ""}${where}.`;
}
