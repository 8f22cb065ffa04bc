import { counted } from "../../../base/format.ts";
import { clipLine } from "../../../base/clip.ts";
import { filesCalled } from "../files.ts";
import { morePaths, numbered, pageLines, parsePaths, totalLines } from "../results.ts";
import { make, type AnswerScript, type Skill } from "../script.ts";
import { bare, fenced, inCode, listed, paragraphs } from "../text.ts";
import { findFiles, readFile } from "../tools.ts";

const path = "[\"'`“]?((?:~|\\.{1,2})?[\\w@./+-]*\\w)[\"'`”]?";
const someLines = new RegExp(
  `^(?:read|show|cat|lines?)\\s+(?:lines?\\s+)?(\\d+)(?:\\s*(?:-|–|to)\\s*(\\d+))?\\s+(?:of|in|from)\\s+${path}$`,
  "i",
);
const oneFile = new RegExp(
  `^(?:read|show|cat|open|explain)\\s+(?:the\\s+)?(?:file\\s+)?${path}$`,
  "i",
);
const folder =
  /^(?:list|ls)(?:\s+(?:all\s+)?(?:the\s+)?files)?(?:\s+in\s+(?:the\s+)?([\w@./-]+?))?$/i;

const maxLines = 200;
const shownLines = 40;

/** "Read FILE", "show lines 3-9 of FILE", "list the files in FOLDER". */
export const readFiles: Skill = (request) => {
  const text = bare(request);
  const [, from, to = from, file] = someLines.exec(text) ?? [];
  if (file !== undefined) {
    const length = Number(to) - Number(from) + 1;
    return showLines(file, Number(from), Math.min(Math.max(1, length), maxLines));
  }
  const inFolder = folder.exec(text);
  if (inFolder) return listFiles(inFolder[1] ?? ".");
  const name = oneFile.exec(text)?.[1];
  return name === undefined ? null : showLines(name, 1, maxLines);
};

function* showLines(name: string, offset: number, limit: number): AnswerScript {
  let file = name;
  let page = yield* make(readFile(file, offset, limit));
  if (page.failed && !/^(?:\.\.|[/~])/.test(name)) {
    const found = yield* filesCalled(name);
    if (found.length > 1) return listed("Several files have this name", found.map(inCode), 20);
    file = found[0] ?? name;
    if (file !== name) page = yield* make(readFile(file, offset, limit));
  }
  if (page.failed) return `I can't read \`${file}\`: ${clipLine(page.text, 300)}`;
  const lines = pageLines(file, page.text);
  if (lines.length === 0) return `\`${file}\`: ${clipLine(page.text, 300)}`;
  const shown = offset === 1 && limit === maxLines ? lines.slice(0, shownLines) : lines;
  const end = offset + shown.length - 1;
  const more = (totalLines(page.text) ?? end + lines.length - shown.length) - end;
  const next = `“show lines ${end + 1}-${end + Math.min(more, 160)} of ${file}”`;
  return paragraphs(
    `\`${file}:${offset}\``,
    fenced(numbered(shown), file),
    more > 0 ? `${counted(more, "more line")}: ${next}` : "",
  );
}

function* listFiles(name: string): AnswerScript {
  const place = name.replace(/(?<=.)\/$/, "");
  const inside = place === "." ? undefined : place;
  const { text, failed } = yield* make(findFiles("**/*", inside, "all files"));
  if (failed) return `I can't list \`${name}\`: ${clipLine(text, 300)}`;
  const paths = parsePaths(text);
  const where = inside === undefined ? "here" : `in \`${place}/\``;
  const title = `${counted(paths.length + morePaths(text), "file")} ${where}`;
  return listed(title, paths.map(inCode), 60) || `There are no files ${where}.`;
}
