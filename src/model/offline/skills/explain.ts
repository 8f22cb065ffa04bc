import { counted } from "../../../base/in-words.ts";
import { clipLine, takeStart } from "../../../base/clip.ts";
import { dirname, join } from "node:path/posix";
import {
  declarationPattern,
  declaredName,
  findDoc,
  findFileDoc,
  isComment,
  isImport,
  isTopLevel,
} from "../declarations.ts";
import { filesCalled, isProse, openFile, testsLast, type FileStart } from "../files.ts";
import { parseMatches, numbered, pageLines, quote, type MatchedLine } from "../results.ts";
import { make, type AnswerScript, type Skill } from "../script.ts";
import { bare, escapeRegExp, fenced, listed, paragraphs, unquoted } from "../text.ts";
import { readFile, searchText } from "../tools.ts";
import { extractKeywords } from "../words.ts";
import { firstProse } from "./project.ts";
import { lastPath } from "./talk.ts";
import { listFiles } from "./read.ts";
import { findPlaces } from "./where.ts";

const asks =
  /^(?:explain|describe|summari[sz]e|tell me about|what does|how does|what is|what's|what are)\s+(?:to me\s+)?(?:how\s+)?(.+?)(?:\s+(?:do|does|works?|mean|for|about))*$/i;
const kind =
  "(?:file|function|class|method|module|type|struct|interface|folder|directory|constant|variable)";
const around = new RegExp(
  `^(?:(?:the|a|an|this|that|our)\\s+)?(?:${kind}\\s+)?|\\s+${kind}$`,
  "gi",
);

const asksForDeclarations =
  /^(?:list|show(?: me)?|what are) (?:all )?(?:the )?(?:functions|classes|methods|declarations|exports|types) (?:in|of) ["'`]?([\w@.~/-]+\.\w+)["'`]?$/i;

/** "Explain FILE", "what does NAME do?", "explain it". */
export const explain: Skill = (request, conversation) => {
  const text = bare(request);
  const inFile = asksForDeclarations.exec(text)?.[1];
  if (inFile !== undefined) return explainFile(inFile, true);
  const asked = asks.exec(text)?.[1];
  if (asked === undefined || /^(?:the|this|my) error(?: message)?(?::|$)/i.test(asked)) return null;
  if (/^(?:it|this|that|(?:this|that) file|the first one)$/i.test(asked)) {
    const path = lastPath(conversation);
    return path === null ? null : explainFile(path);
  }
  const target = unquoted(asked.replace(around, ""));
  if (
    /^[\w@.~/-]*(?:\/|\.[a-z]{1,4}$)[\w@.-]*$|^(?:readme|changelog|makefile|dockerfile)$/i.test(
      target,
    )
  )
    return explainFile(target);
  const name =
    target
      .replace(/\(\)$/, "")
      .split(/\.|::|#/)
      .at(-1) ?? "";
  const isHow = /^how\b/i.test(text) && extractKeywords(target).every(({ isName }) => !isName);
  if (/^[\w$]+$/.test(name) && !isHow) return explainName(name, target);
  // "What is the weather like" is not a question about the code.
  return /^(?:explain|describe|how)\b/i.test(text) ? findPlaces(target) : null;
};

function* explainFile(name: string, withMethods = false): AnswerScript {
  let file = yield* openFile(name);
  if (!file) {
    const [path] = yield* filesCalled(name);
    if (path === undefined) return yield* listFiles(name);
    file = yield* openFile(path);
  }
  if (!file) return `I can't read \`${name}\`.`;
  const { path, lines, total } = file;
  // Declarations of a long file beyond the lines that were read.
  const rest =
    total > lines.length
      ? parseMatches(
          (yield* make(
            searchText(declarationPattern.replace("\\s*", ""), {
              about: `declarations in ${path}`,
              path,
            }),
          )).text,
        )
      : [];
  const stem = (path.split("/").at(-1) ?? "").replace(/(?:\.d)?\.\w+$/, "");
  const imports = `(from|import|require|use|mod|include)\\b.*\\b${escapeRegExp(stem)}\\b`;
  const importers = yield* make(searchText(imports, { about: `imports of ${stem}` }));
  return describeFile(file, rest, testsLast(parseMatches(importers.text)), withMethods);
}

function describeFile(
  { path, lines, total }: FileStart,
  rest: readonly MatchedLine[],
  found: readonly MatchedLine[],
  withMethods: boolean,
): string {
  const texts = lines.map(({ text }) => text);
  const isCode = !isProse(path);
  const doc = isCode ? findFileDoc(texts) : firstProse(lines);
  const last = lines.at(-1)?.line ?? 0;
  const declared = [...lines, ...rest.filter(({ line }) => line > last)].flatMap(
    ({ line, text }, at) => {
      const name = isCode && (withMethods || isTopLevel(text)) ? declaredName(text) : null;
      const about = at < texts.length ? clipLine(findDoc(texts, at), 140) : "";
      return name === null
        ? []
        : [`\`${path}:${line}\` **${name}**${about === "" ? "" : `: ${about}`}`];
    },
  );
  const headings = lines.filter(({ text }) => !isCode && /^#{1,3}\s/.test(text));
  const imports = lines.filter(({ text }) => isCode && isImport(text));
  const users = found.filter((line) => line.path !== path && importsFile(line, path));
  const files = [...new Map(users.map((line) => [line.path, quote(line)])).values()];
  return paragraphs(
    `**\`${path}\`**, ${counted(total, "line")}${doc === "" ? "" : `: ${doc}`}`,
    listed("Sections", headings.map(quote), 25),
    listed("Declares", declared, 25),
    declared.length + headings.length === 0
      ? fenced(
          texts
            .slice(0, 10)
            .map((text) => takeStart(text, 160))
            .join("\n"),
          path,
        )
      : "",
    listed("Imports", imports.map(quote), 8),
    listed("Imported by", files, 8),
  );
}

/** A relative import must lead to the file; other imports are recognized by its name. */
function importsFile({ path: from, text }: MatchedLine, path: string): boolean {
  const target = /["'](\.{1,2}\/[^"']+)["']/.exec(text)?.[1];
  if (target === undefined) return isImport(text);
  const plain = path.replace(/\.\w+$/, "");
  return [path, plain, `${plain}.js`, plain.replace(/\/index$/, "")].includes(
    join(dirname(from), target),
  );
}

/** A function, class or type; any other word is searched for. */
function* explainName(name: string, words: string): AnswerScript {
  const pattern = `(${declarationPattern.slice(1)}|^\\s+([\\w*]+ )*)${escapeRegExp(name)}\\b`;
  for (const ignoreCase of [false, true]) {
    const { text } = yield* make(
      searchText(pattern, { about: `the declaration of ${name}`, ignoreCase, limit: 20 }),
    );
    const isDeclaration = (line: MatchedLine): boolean =>
      declaredName(line.text)?.toLowerCase() === name.toLowerCase() && !isProse(line.path);
    const found = testsLast(parseMatches(text).filter(isDeclaration));
    const declared = found.find((line) => isTopLevel(line.text)) ?? found[0];
    if (declared) return yield* describeName(declaredName(declared.text) ?? name, declared);
  }
  return yield* findPlaces(words);
}

function* describeName(name: string, declared: MatchedLine): AnswerScript {
  const { path, line } = declared;
  const page = yield* make(readFile(path, Math.max(1, line - 12), 52));
  const lines = pageLines(path, page.text);
  const texts = lines.map(({ text }) => text);
  const at = lines.findIndex((read) => read.line === line);
  const found = yield* make(searchText(`\\b${escapeRegExp(name)}\\b`, { about: name }));
  const uses = testsLast(parseMatches(found.text)).filter(
    (use) =>
      (use.path !== path || use.line !== line) &&
      !isImport(use.text) &&
      !isComment(use.text) &&
      !isProse(use.path),
  );
  const doc = at === -1 ? "" : findDoc(texts, at);
  const body = at === -1 ? [] : lines.slice(at, endOfBlock(texts, at));
  return paragraphs(
    `**\`${name}\`** is declared in \`${path}:${line}\`${doc === "" ? "" : `: ${doc}`}`,
    body.length > 0 ? fenced(numbered(body), path) : "",
    listed(`Used in ${counted(uses.length, "place")}`, uses.map(quote), 8) ||
      "I found no use of it.",
  );
}

/** The end of a declaration by its indentation, or after 30 lines. */
function endOfBlock(texts: readonly string[], at: number): number {
  const measureIndent = (line: string): number => line.length - line.trimStart().length;
  const edge = measureIndent(texts[at] ?? "");
  const most = Math.min(texts.length, at + 30);
  const end = texts.findIndex(
    (line, index) => index > at && line.trim() !== "" && measureIndent(line) <= edge,
  );
  if (end === -1 || end >= most) return most;
  return /^\s*[})\]]/.test(texts[end] ?? "") ? end + 1 : end;
}
