import { call, type Call, type Skill } from "../skill.ts";
import { argument, pathsIn, type Turn } from "../turn.ts";

/** Plain looks: list, read, some lines of, search for a pattern. */
export const look: Skill = (turn) => {
  const wanted = lookIn(turn.question);
  if (!wanted) return null;
  const [done] = turn.steps;
  if (!done) return { calls: [wanted] };
  if (done.failed) return { say: `That did not work: ${done.text.split("\n")[0]}` };
  const lines = done.text.split("\n");
  const shown = lines.slice(0, 40).join("\n");
  const rest =
    lines.length > 40 ? `\n\n${lines.length - 40} more lines are in the result above.` : "";
  return { say: `\`\`\`\n${shown}\n\`\`\`${rest}` };
};

function lookIn(question: string): Call | null {
  const text = question.trim().replace(/[?.!]+$/, "");
  const lines =
    /^(?:show|read|print)(?: me)?(?: the)? lines? (\d+)(?:\s*(?:-|to)\s*(\d+))? (?:of|in|from) [`"']?([\w@./~-]+)[`"']?$/i.exec(
      text,
    );
  if (lines) {
    const from = Number(lines[1]);
    return call("read_file", {
      path: lines[3] ?? "",
      offset: Math.max(1, from),
      limit: Math.max(1, Number(lines[2] ?? from) - from + 1),
    });
  }
  const read =
    /^(?:read|show|open|print|cat)(?: me)?(?: the)?(?: file)? [`"']?([\w@./~-]*[./][\w@./~-]*)[`"']?$/i.exec(
      text,
    )?.[1];
  if (read) return call("read_file", { path: read });
  const list =
    /^(?:list|show|ls)(?: me)?(?: all)?(?: the)? files?(?: in| of| under)?(?: the)? ?[`"']?([\w@./~-]*)[`"']?(?: folder| directory)?$/i.exec(
      text,
    );
  if (list) return call("glob", { pattern: "**/*", ...(list[1] ? { path: list[1] } : {}) });
  const grep = /^(?:grep|rg|search)(?: for)? (?:["'`](.+)["'`]|(\S+))$/i.exec(text);
  if (grep) return call("grep", { pattern: grep[1] ?? grep[2] ?? "", limit: 60 });
  return null;
}

const each =
  /\b(?:read|open|look at|go through)\b.*\b(?:every|each|all)\b.*\bfiles?\b(?:.*\b(?:in|of|under|from)\b\s+(?:the\s+)?[`"']?([\w@./-]+)[`"']?)?/i;
const compactNow =
  /^(?:please )?(?:compact|compress|summari[sz]e)(?: (?:the|this))?(?: conversation| context| session)?(?: now)?[.!]?$/i;

/** "Read every file in DIR one by one", until all are read. */
export const readEach: Skill = (turn) => {
  const found = each.exec(turn.question);
  if (!found) return null;
  const folder = /^(this|here|the|it|folder|directory)$/i.test(found[1] ?? "")
    ? ""
    : (found[1] ?? "").replace(/\/$/, "");
  // The list itself may have been cut to make room; then it is made again.
  const first = turn.steps.findLast(({ tool, text }) => tool === "glob" && !isCut(text));
  if (!first)
    return {
      say: turn.steps.length === 0 ? "Listing the files first." : "Listing the files again.",
      calls: [call("glob", { pattern: "**/*", ...(folder === "" ? {} : { path: folder }) })],
    };
  if (first.failed) return { say: `That did not work: ${first.text.split("\n")[0]}` };
  const files = pathsIn(first.text);
  const read = filesRead(turn);
  const next = files.find((path) => !read.has(path));
  if (next !== undefined) return { calls: [call("read_file", { path: next })] };
  const failed = turn.steps.filter((step) => step.tool === "read_file" && step.failed).length;
  return {
    say: `I have read ${files.length - failed} of ${files.length} files${folder === "" ? "" : ` in \`${folder}\``}, one by one${failed > 0 ? `; ${failed} could not be read` : ""}.`,
  };
};

const isCut = (text: string): boolean => text.startsWith("[Result ");

/** Counted by the calls, which stay in the context when their results are cut. */
const filesRead = (turn: Turn): Set<string> =>
  new Set(
    turn.steps.filter(({ tool }) => tool === "read_file").map((step) => argument(step, "path")),
  );

/** "Compact now": asks for it with the tool, where there is one. */
export const compact: Skill = (turn) => {
  if (!compactNow.test(turn.question.trim())) return null;
  if (!turn.tools.has("compact")) return { say: "Use the compact key or /compact for that." };
  if (turn.steps.length === 0)
    return { say: "Asking for the conversation to be compacted.", calls: [call("compact", {})] };
  return {
    say: "The conversation is compacted at the next boundary. The full history stays in the log.",
  };
};
