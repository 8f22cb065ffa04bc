import { firstWords, nextOffset, pathsIn } from "../results.ts";
import { call, type Call, type Skill } from "../skill.ts";
import { bare, count, fenced, paragraphs } from "../text.ts";
import { argument, type Step } from "../turn.ts";

/** Lines of a result that are shown again in the answer. */
const shownLines = 40;

/** Plain looks: list, read, some lines of, search for a pattern. */
export const look: Skill = (turn) => {
  const wanted = lookIn(turn.question);
  if (!wanted) return null;
  const [first, second] = turn.steps;
  if (!first) return { calls: [wanted] };
  // "read src" may name a folder: then its files are listed.
  if (first.failed && wanted.tool === "read_file" && /is a folder/.test(first.text)) {
    if (!second)
      return {
        say: `\`${argument(first, "path")}\` is a folder; these are its files.`,
        calls: [call("glob", { pattern: "**/*", path: argument(first, "path") })],
      };
    return { say: show(second) };
  }
  return { say: show(first) };
};

function show(step: Step): string {
  if (step.failed) return `That did not work: ${firstWords(step.text)}`;
  if (step.gone)
    return "The result was taken out of the context again to make room; ask once more.";
  const lines = step.text.split("\n");
  const more = nextOffset(step.text);
  return paragraphs(
    step.tool === "glob" ? `${count(pathsIn(step.text).length, "file")}:` : "",
    fenced(lines.slice(0, shownLines).join("\n")),
    lines.length > shownLines
      ? `${lines.length - shownLines} more lines are in the result above.`
      : "",
    more === null
      ? ""
      : `The file goes on: “show lines ${more}-${more + 199} of ${argument(step, "path")}”.`,
  );
}

const path = "[`\"']?([\\w@./~-]+)[`\"']?";

function lookIn(question: string): Call | null {
  const text = bare(question);
  const lines =
    new RegExp(
      `^(?:show|read|print|give)(?: me)?(?: the)? lines? (\\d+)(?:\\s*(?:-|–|to|and)\\s*(\\d+))? (?:of|in|from) (?:the file )?${path}$`,
      "i",
    ).exec(text) ?? null;
  if (lines) {
    const from = Math.max(1, Number(lines[1]));
    const to = Math.max(from, Number(lines[2] ?? from));
    return call("read_file", { path: lines[3] ?? "", offset: from, limit: to - from + 1 });
  }
  const range = /^(?:show|read|open)(?: me)? [`"']?([\w@./~-]+):(\d+)(?:-(\d+))?[`"']?$/i.exec(
    text,
  );
  if (range) {
    const from = Math.max(1, Number(range[2]));
    const to = Math.max(from, Number(range[3] ?? from + 39));
    return call("read_file", { path: range[1] ?? "", offset: from, limit: to - from + 1 });
  }
  const list = new RegExp(
    `^(?:list|show|ls)(?: me)?(?: all)?(?: the)? files?(?: (?:in|of|under))?(?: the)? ?${path.replace("+", "*")}(?: folder| directory)?$`,
    "i",
  ).exec(text);
  if (list) {
    const folder = /^(this|here|\.)?$/i.test(list[1] ?? "") ? "" : (list[1] ?? "");
    return call("glob", { pattern: "**/*", ...(folder === "" ? {} : { path: folder }) });
  }
  const kind =
    /^(?:list|show|find)(?: me)?(?: all)?(?: the)? [`"']?(\*?\.\w+|\S*\*\S*)[`"']?(?: files)?$/i.exec(
      text,
    )?.[1];
  if (kind) return call("glob", { pattern: kind.startsWith(".") ? `*${kind}` : kind });
  const read = new RegExp(
    `^(?:read|show|open|print|cat|view)(?: me)?(?: the)?(?: (file|folder))? ${path}$`,
    "i",
  ).exec(text);
  if (read?.[2] && (read[1] || /^(read|open|cat|view)/i.test(text) || /[./]/.test(read[2])))
    return call("read_file", { path: read[2] });
  const grep =
    /^(?:grep|rg|search)(?: for)? (?:"(.+)"|'(.+)'|`(.+)`|(\S+))(?: (?:in|under) [`"']?([\w@./~-]+)[`"']?)?$/i.exec(
      text,
    );
  if (grep) {
    const pattern = grep[1] ?? grep[2] ?? grep[3] ?? grep[4] ?? "";
    return call("grep", { pattern, limit: 60, ...(grep[5] ? { path: grep[5] } : {}) });
  }
  return null;
}

const compactNow =
  /^(?:compact|compress|summari[sz]e)(?: (?:the|this|our))?(?: conversation| context| session| history)?(?: now)?(?:[,;:]? (?:and )?(?:keep|focus(?:ing)? on|with a focus on|preserv(?:e|ing)) (.+))?$/i;

/** "Compact now": asks for it with the tool, where there is one. */
export const compact: Skill = (turn) => {
  const found = compactNow.exec(bare(turn.question));
  if (!found) return null;
  if (!turn.tools.has("compact")) return { say: "Use the compact key or /compact for that." };
  if (turn.steps.length === 0)
    return {
      say: "Asking for the conversation to be compacted.",
      calls: [call("compact", found[1] ? { focus: found[1] } : {})],
    };
  return {
    say: turn.steps.some(({ failed }) => failed)
      ? `It was not compacted: ${firstWords(turn.steps.at(-1)?.text ?? "")}`
      : "The conversation is compacted at the next boundary. The full history stays in the log.",
  };
};
