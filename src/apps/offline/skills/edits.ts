import { readEdit, type Edit } from "../edit-request.ts";
import { firstWords, nextOffset, numberedLines, totalLines } from "../results.ts";
import { call, type Call, type Move, type Skill } from "../skill.ts";
import { clip, count } from "../text.ts";
import { argument, type Step } from "../turn.ts";
import { appendAfter, deleteLine, renameWord, type Changes } from "../text-changes.ts";

/** Makes an edit that is spelled out exactly: reads first, changes then, tells what came of it. */
export const edits: Skill = (turn) => {
  const edit = readEdit(turn.question);
  if (!edit) return null;
  const made = turn.steps.filter(({ tool }) => tool === "edit_file" || tool === "write_file");
  if (made.length > 0) return { say: outcome(edit, made) };
  const reads = turn.steps.filter(({ tool }) => tool === "read_file");
  const last = reads.at(-1);
  if (!last)
    return {
      say: `Reading \`${edit.path}\` first.`,
      calls: [call("read_file", { path: edit.path })],
    };
  if (edit.kind === "create") return create(edit, last);
  if (last.failed) return { say: `\`${edit.path}\` cannot be read: ${firstWords(last.text)}` };
  const next = needsAll(edit) ? nextPage(edit, last) : null;
  if (next) return { calls: [next] };
  return change(edit, reads);
};

/** Edits that hang on lines of the file, and not only on a text that the tool itself looks for. */
const needsAll = ({ kind }: Edit): boolean =>
  kind === "append" || kind === "delete" || kind === "rename";

/** The next page to read; of a file that is appended to only the last one matters. */
function nextPage(edit: Edit, last: Step): Call | null {
  const offset = nextOffset(last.text);
  if (offset === null) return null;
  const total = totalLines(last.text) ?? 0;
  const at = edit.kind === "append" ? Math.max(offset, total - tailLines + 1) : offset;
  return call("read_file", { path: edit.path, offset: at });
}

const tailLines = 40;

function create(edit: Edit & { kind: "create" }, read: Step): Move {
  return {
    say: read.failed
      ? `Writing \`${edit.path}\`.`
      : `\`${edit.path}\` is there already; writing it anew.`,
    calls: [call("write_file", { path: edit.path, content: edit.content })],
  };
}

function change(edit: Exclude<Edit, { kind: "create" }>, reads: readonly Step[]): Move {
  const { path } = edit;
  const lines = reads.flatMap(({ text }) => numberedLines(text));
  const whole = reads.length === 1;
  if (edit.kind === "replace") {
    const all = edit.all ? { replace_all: true } : {};
    return edited(path, [{ old_text: edit.from, new_text: edit.to, ...all }]);
  }
  if (edit.kind === "append" && lines.length === 0)
    return {
      say: `\`${path}\` is empty; writing it.`,
      calls: [call("write_file", { path, content: `${edit.text}\n` })],
    };
  if (reads.some(({ gone }) => gone))
    return {
      say: `\`${path}\` is too large for my window: not all of it is in view, so I do not change it.`,
    };
  const changes =
    edit.kind === "append"
      ? appendAfter(lines, edit.text, whole)
      : edit.kind === "delete"
        ? deleteLine(lines, edit.line)
        : renameWord(lines, edit.from, edit.to);
  return "why" in changes
    ? { say: `\`${path}\` was not changed: ${changes.why}` }
    : edited(path, changes.edits);
}

const edited = (path: string, list: Extract<Changes, { edits: unknown }>["edits"]): Move => ({
  say: `Changing \`${path}\`.`,
  calls: list.map((one) => call("edit_file", { path, ...one })),
});

function outcome(edit: Edit, made: readonly Step[]): string {
  const failed = made.filter((step) => step.failed);
  const path = argument(made[0] ?? failed[0] ?? emptyStep, "path") || edit.path;
  const first = failed[0];
  if (first && failed.length === made.length)
    return `\`${path}\` was not changed: ${why(edit, first)}`;
  const where = made.flatMap(({ text }) => changedLine(text) ?? []);
  const line = where.length === 0 ? "" : ` (\`${path}:${Math.min(...where)}\`)`;
  const places = made.reduce(
    (sum, { text }) => sum + Number(/ in (\d+) places?\./.exec(text)?.[1] ?? 0),
    0,
  );
  const often = places > 0 ? ` in ${count(places, "place")}` : "";
  const rest = first ? ` Not all of it went well: ${firstWords(first.text)}` : "";
  const verb = made[0]?.text.startsWith("Created ") ? "is created" : "is changed";
  return `Done: \`${path}\` ${verb}${often}${line}.${rest}`;
}

/** The tool's refusal in the person's terms. */
function why(edit: Edit, { text }: Step): string {
  const wanted = edit.kind === "replace" ? `“${clip(edit.from, 60)}”` : "the text";
  const often = /^old_text occurs (\d+) times in .*? \((lines [^)]*)\)/.exec(text);
  if (often)
    return `${wanted} stands in it ${often[1]} times (${often[2]}). Quote more of the text around it, or say “replace all”.`;
  return firstWords(text.replace(/\bold_text\b/g, wanted), 6);
}

const emptyStep: Step = { tool: "", input: {}, text: "", failed: true, gone: false };

/** The first line that a unified diff adds or removes, as it is numbered afterwards. */
function changedLine(text: string): number | null {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => /^@@ -\d+(,\d+)? \+\d+/.test(line));
  const from = /\+(\d+)/.exec(lines[start] ?? "")?.[1];
  if (start === -1 || from === undefined) return null;
  const before = lines.slice(start + 1).findIndex((line) => /^[+-]/.test(line));
  return before === -1 ? null : Number(from) + before;
}
