/** What a file, a name or a folder says of itself: told from its own words and shape, no judgement. */

import { dirname, join } from "node:path/posix";
import {
  commentAbove,
  definedName,
  headerOf,
  isExported,
  isImport,
  isOutermost,
} from "./definition.ts";
import type { Line, Match } from "./results.ts";
import { bullets, clip, count, fenced, paragraphs } from "./text.ts";
import { isTest } from "./wish.ts";

const honest =
  "I am the offline model: this is what the files themselves say, not a judgement of them.";

export type FileSeen = {
  path: string;
  lines: readonly Line[];
  /** Lines of the whole file, where not all of it was read. */
  total: number | null;
  /** Lines elsewhere that import something of its name. */
  users: readonly Match[];
  /** Other files that the words would fit. */
  others: readonly string[];
};

export function describeFile({ path, lines, total, users, others }: FileSeen): string {
  const texts = lines.map(({ text }) => text);
  const header = /\.mdx?$/.test(path) ? "" : headerOf(texts);
  const size =
    total !== null && total > lines.length
      ? `${total} lines, of which I read ${lines.length}`
      : count(lines.length, "line");
  const imports = lines.filter(({ text }) => isImport(text));
  return paragraphs(
    `**\`${path}\`**, ${size}${header === "" ? "" : `: ${header}`}`,
    declarations(path, lines),
    imports.length === 0
      ? ""
      : `It imports (${imports.length}):\n${bullets(imports.slice(0, 10).map(({ number, text }) => `\`${path}:${number}\` ${clip(text, 110)}`))}`,
    usersOf(path, users),
    others.length === 0
      ? ""
      : `Also called so: ${others
          .slice(0, 5)
          .map((one) => `\`${one}\``)
          .join(", ")}.`,
    honest,
  );
}

/** Names that the file declares at its left edge, or else its headings, or its first keys. */
function declarations(path: string, lines: readonly Line[]): string {
  const texts = lines.map(({ text }) => text);
  if (/\.mdx?$/.test(path)) {
    const heads = lines.filter(({ text }) => /^#{1,3}\s/.test(text)).slice(0, 30);
    const list = heads.map(
      ({ number, text }) => `\`${path}:${number}\` ${text.replace(/^#+\s*/, "")}`,
    );
    return heads.length === 0 ? "" : `Its sections:\n${bullets(list)}`;
  }
  const found = lines.flatMap(({ number, text }, at) => {
    const name = definedName(text);
    if (name === null || !isOutermost(text)) return [];
    const told = commentAbove(texts, at);
    return [
      {
        exported: isExported(text),
        line: `\`${path}:${number}\` **${name}**${told === "" ? "" : `: ${clip(told, 160)}`}`,
      },
    ];
  });
  const exported = found.filter((one) => one.exported);
  const own = found.filter((one) => !one.exported);
  if (found.length === 0) {
    const first = lines.filter(({ text }) => text.trim() !== "").slice(0, 8);
    return first.length === 0
      ? "It is empty."
      : `It begins:\n${fenced(first.map(({ text }) => text.slice(0, 160)).join("\n"))}`;
  }
  const list = (kind: typeof found): string => bullets(kind.slice(0, 25).map(({ line }) => line));
  return paragraphs(
    exported.length === 0 ? "" : `It exports:\n${list(exported)}`,
    own.length === 0
      ? ""
      : `${exported.length === 0 ? "It declares" : "For itself it declares"}:\n${list(own)}`,
  );
}

function usersOf(path: string, users: readonly Match[]): string {
  const stem = (path.split("/").at(-1) ?? "").replace(/(?:\.d)?\.\w+$/, "");
  const folder = path.split("/").at(-2) ?? "";
  const elsewhere = users.filter((user) => user.path !== path && !user.path.endsWith(".md"));
  // An import whose path leads here is surer than one that only names the folder, or the file.
  const exact = elsewhere.filter((one) => importsPath(one, path));
  const named = elsewhere.filter(({ text }) => text.includes(`${folder}/${stem}`));
  const sure = exact.length > 0 ? exact : named;
  const list = [
    ...new Map((sure.length > 0 ? sure : elsewhere).map((one) => [one.path, one])).values(),
  ];
  if (list.length === 0) return "";
  const shown = [
    ...list.filter((one) => !isTest(one.path)),
    ...list.filter((one) => isTest(one.path)),
  ];
  const rest = list.length > 8 ? `\n\n${list.length - 8} more.` : "";
  return `Used in:\n${bullets(shown.slice(0, 8).map((one) => `\`${one.path}:${one.line}\``))}${rest}`;
}

/** A relative import leads to the file, with or without its ending. */
function importsPath({ path: from, text }: Match, path: string): boolean {
  const target = /["'](\.{1,2}\/[^"']+)["']/.exec(text)?.[1];
  if (target === undefined) return false;
  const there = join(dirname(from), target);
  const plain = path.replace(/\.\w+$/, "");
  return [path, plain, `${plain}.js`, plain.replace(/\/index$/, "")].includes(there);
}

export function describeSymbol(
  name: string,
  place: Match,
  isDefinition: boolean,
  lines: readonly Line[],
  named: readonly Match[],
): string {
  const at = lines.findIndex(({ number }) => number === place.line);
  const texts = lines.map(({ text }) => text);
  const told = at === -1 ? "" : commentAbove(texts, at);
  const body = at === -1 ? [] : lines.slice(at, endOf(texts, at));
  const uses = named.filter(
    (one) =>
      !(one.path === place.path && one.line === place.line) &&
      !isImport(one.text) &&
      !one.path.endsWith(".md"),
  );
  const shown = [
    ...uses.filter((one) => !isTest(one.path)),
    ...uses.filter((one) => isTest(one.path)),
  ];
  return paragraphs(
    `**\`${name}\`** ${isDefinition ? "is defined in" : "has no definition that I know; it stands in"} \`${place.path}:${place.line}\`${told === "" ? "" : `: ${told}`}`,
    body.length === 0
      ? ""
      : fenced(body.map(({ number, text }) => `${number}  ${text}`).join("\n")),
    shown.length === 0
      ? "Nothing else names it."
      : `Used in ${count(uses.length, "place")}:\n${bullets(shown.slice(0, 8).map((one) => `\`${one.path}:${one.line}\`  ${clip(one.text, 90)}`))}`,
    honest,
  );
}

/** The line behind a definition: where the next one at its edge begins, or after thirty lines. */
function endOf(texts: readonly string[], at: number): number {
  const edge = /^\s*/.exec(texts[at] ?? "")?.[0].length ?? 0;
  for (let end = at + 1; end < Math.min(texts.length, at + 30); end += 1) {
    const line = texts[end] ?? "";
    const indent = /^\s*/.exec(line)?.[0].length ?? 0;
    if (
      line.trim() === "" &&
      indent <= edge &&
      /^\s*[})\]]?;?\s*$|;\s*$/.test(texts[end - 1] ?? "")
    )
      return end;
    if (line.trim() !== "" && indent <= edge && /^\s*[})\]]+;?,?\s*$/.test(line)) return end + 1;
  }
  return Math.min(texts.length, at + 30);
}

export function describeFolder(
  folder: string,
  paths: readonly string[],
  heads: readonly Match[],
  readme: { path: string; lines: readonly Line[] } | null,
): string {
  const intro = (readme?.lines ?? []).filter(
    ({ text }) => text.trim() !== "" && !/^(#|```|\||!\[)/.test(text.trim()),
  );
  const list = paths.slice(0, 40).map((path) => {
    const head = heads.find((one) => one.path === path && one.line <= 3);
    const words =
      head && !head.text.startsWith("#!")
        ? head.text.replace(/^\s*(?:\/\*\*|\/\/!?|#+|"""|--)\s*/, "").replace(/\s*\*\/\s*$/, "")
        : "";
    return `\`${path}\`${words === "" ? "" : `: ${clip(words, 120)}`}`;
  });
  return paragraphs(
    `**\`${folder}/\`** holds ${count(paths.length, "file")}.`,
    intro.length === 0 || !readme
      ? ""
      : `Its README says (\`${readme.path}:${intro[0]?.number}\`):\n${intro
          .slice(0, 6)
          .map(({ text }) => text)
          .join("\n")}`,
    `${bullets(list)}${paths.length > 40 ? `\n\n${paths.length - 40} more.` : ""}`,
    honest,
  );
}
