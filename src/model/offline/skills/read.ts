import { counted } from "../../../base/in-words.ts";
import { clipLine } from "../../../base/clip.ts";
import { filesCalled } from "../files.ts";
import { morePaths, numbered, pageLines, parsePaths, totalLines } from "../results.ts";
import { make, type AnswerScript, type Skill } from "../script.ts";
import { bare, bullets, fenced, inCode, listed, paragraphs, unquoted } from "../text.ts";
import { findFiles, readFile } from "../tools.ts";
import { lastPath } from "./talk.ts";

const path = "[\"'`“]?((?:~|\\.{1,2})?[\\w@./+-]*\\w)[\"'`”]?";
const verb = "^(?:read|show(?: me)?|cat|open|print|display|view)\\s+";
const someLines = new RegExp(
  `${verb}lines?\\s+(\\d+)(?:\\s*(?:-|–|to)\\s*(\\d+))?\\s+(?:of|in|from)\\s+${path}$`,
  "i",
);
const oneFile = new RegExp(`${verb}(?:the\\s+)?(?:file\\s+|contents? of\\s+)?${path}$`, "i");
const lastFile = new RegExp(`${verb}(?:it|that|(?:that|this|the) file|the first one)$`, "i");
const folder =
  /^(?:list|ls|show(?: me)?|what(?:'s| is| are)?|which)\s+(?:all\s+)?(?:the\s+|of the\s+)?(?:files|in)(?:\s+are)?(?:\s*(?:there|here))?(?:\s*(?:in|of|under)?\s+(?:the\s+)?(\S+?))?(?:\s+(?:folder|directory))?$/i;

const thisFolder =
  /^(?:(?:what(?:'s| is)|show me what(?:'s| is)) in (?:this|the) (?:folder|directory)|(?:can you |do you )?see (?:my|the|these) (?:files|code|folder))$/i;

const maxLines = 200;
const shownLines = 40;

/** "Read FILE", "show lines 3-9 of FILE", "list the files in FOLDER". */
export const readFiles: Skill = (request, conversation) => {
  const text = bare(request);
  const [, from, to = from, file] = someLines.exec(text) ?? [];
  if (file !== undefined) {
    const length = Number(to) - Number(from) + 1;
    return showLines(file, Number(from), Math.min(Math.max(1, length), maxLines));
  }
  const last = lastFile.test(text) ? lastPath(conversation) : null;
  if (last !== null) return showLines(last, 1, maxLines);
  if (thisFolder.test(text)) return listFiles(".");
  const inFolder = folder.exec(text);
  const listedName = unquoted(inFolder?.[1] ?? ".");
  if (inFolder && /^\.?[\w/-]*\.?\w+$/.test(listedName) && listedName.includes("."))
    return showLines(listedName, 1, maxLines);
  if (inFolder || text === "ls") return listFiles(listedName);
  const name = oneFile.exec(text)?.[1];
  return name === undefined ? null : showLines(name, 1, maxLines);
};

function* showLines(name: string, offset: number, limit: number): AnswerScript {
  let file = name;
  let page = yield* make(readFile(file, offset, limit));
  if (page.failed && !/^(?:\.\.|[/~])/.test(name)) {
    const found = yield* filesCalled(name);
    if (found.length === 0) return yield* listFiles(name, page.text);
    if (found.length > 1) return listed("Several files have this name", found.map(inCode), 20);
    file = found[0] ?? name;
    page = yield* make(readFile(file, offset, limit));
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

/** `why`: the reason why the name could not be read as a file. */
export function* listFiles(name: string, why = ""): AnswerScript {
  const place = name.replace(/(?<=.)\/$/, "");
  const { text, failed } = yield* make(
    findFiles("**/*", place === "." ? undefined : place, "all files"),
  );
  const paths = parsePaths(text);
  if (failed || (paths.length === 0 && why !== ""))
    return `I can't read \`${name}\`: ${clipLine(why || "There is no such folder.", 300)}`;
  const total = paths.length + morePaths(text);
  const where = place === "." ? "here" : `in \`${place}/\``;
  if (total === 0) return `There are no files ${where}.`;
  const list = bullets(paths.slice(0, 60).map(inCode));
  return `${counted(total, "file")} ${where}:\n${list}${total > 60 ? `\n\n${total - 60} more.` : ""}`;
}
