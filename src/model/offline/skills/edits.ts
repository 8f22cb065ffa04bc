import { call, type Call, type Skill } from "../skill.ts";
import { argument, type Step, type Turn } from "../turn.ts";

type Edit =
  | { kind: "replace"; path: string; from: string; to: string; all: boolean }
  | { kind: "create"; path: string; content: string }
  | { kind: "append"; path: string; text: string };

const quote = "[\"“`']";
const unquote = "[\"”`']";
const quotedText = `${quote}([\\s\\S]+?)${unquote}`;
const file = `${quote}?([\\w@./~-]+)${unquote}?`;

/** An edit that is spelled out exactly: what, where, and by what. Anything vaguer is not for this model. */
export const edits: Skill = (turn) => {
  const edit = readEdit(turn.question);
  if (!edit) return null;
  const made = turn.steps.find(({ tool }) => tool === "edit_file" || tool === "write_file");
  if (made) return { say: outcome(edit, made) };
  const read = turn.steps.find(({ tool }) => tool === "read_file");
  if (!read)
    return {
      say: `Reading \`${edit.path}\` first.`,
      calls: [call("read_file", { path: edit.path })],
    };
  return change(turn, edit, read);
};

export function readEdit(question: string): Edit | null {
  const fenced = new RegExp(
    `^(?:please )?(?:create|write)(?: a| the)?(?: new)?(?: file)? ${file}[^\\n]*\\n+\`\`\`\\w*\\n([\\s\\S]*?)\`\`\``,
    "i",
  ).exec(question);
  if (fenced?.[1]) return { kind: "create", path: fenced[1], content: fenced[2] ?? "" };
  const created = new RegExp(
    `^(?:please )?(?:create|write)(?: a| the)?(?: new)?(?: file)? ${file} (?:with|containing|that says)(?: the)?(?: content| text)?:? ?${quotedText}\\s*\\.?$`,
    "i",
  ).exec(question);
  if (created?.[1]) return { kind: "create", path: created[1], content: `${created[2]}\n` };
  const appended = new RegExp(`^(?:please )?append ${quotedText} to ${file}`, "i").exec(question);
  if (appended?.[2]) return { kind: "append", path: appended[2], text: appended[1] ?? "" };
  const deleted = new RegExp(
    `^(?:please )?delete (?:the )?(?:line|text) ${quotedText} from ${file}`,
    "i",
  ).exec(question);
  if (deleted?.[2])
    return { kind: "replace", path: deleted[2], from: deleted[1] ?? "", to: "", all: false };
  const replaced = new RegExp(
    `^(?:please )?(?:replace|change|rename)( all| every)? ${quotedText} (?:with|by|to|into) ${quotedText} in ${file}`,
    "i",
  ).exec(question);
  if (replaced?.[4])
    return {
      kind: "replace",
      path: replaced[4],
      from: replaced[2] ?? "",
      to: replaced[3] ?? "",
      all: replaced[1] !== undefined,
    };
  const inFile = new RegExp(
    `^(?:please )?in ${file},? (?:replace|change|rename)( all| every)? ${quotedText} (?:with|by|to|into) ${quotedText}`,
    "i",
  ).exec(question);
  if (inFile?.[1])
    return {
      kind: "replace",
      path: inFile[1],
      from: inFile[3] ?? "",
      to: inFile[4] ?? "",
      all: inFile[2] !== undefined,
    };
  const bare = /^(?:please )?rename ([\w$]+) to ([\w$]+) in ([\w@./-]+)/i.exec(question);
  if (bare?.[3])
    return { kind: "replace", path: bare[3], from: bare[1] ?? "", to: bare[2] ?? "", all: true };
  return null;
}

function change(_turn: Turn, edit: Edit, read: Step): { say?: string; calls?: Call[] } {
  const there = !read.failed;
  switch (edit.kind) {
    case "create":
      return {
        say: there
          ? `\`${edit.path}\` is there already; writing it anew.`
          : `Writing \`${edit.path}\`.`,
        calls: [call("write_file", { path: edit.path, content: edit.content })],
      };
    case "append": {
      if (!there) return { say: `\`${edit.path}\` cannot be read: ${firstLine(read.text)}` };
      const last = read.text
        .split("\n")
        .flatMap((line) => /^\s*\d+\t(.*)$/.exec(line)?.[1] ?? [])
        .at(-1);
      if (last === undefined)
        return { calls: [call("write_file", { path: edit.path, content: `${edit.text}\n` })] };
      return {
        say: `Appending to \`${edit.path}\`.`,
        calls: [
          call("edit_file", { path: edit.path, old_text: last, new_text: `${last}\n${edit.text}` }),
        ],
      };
    }
    case "replace":
      if (!there) return { say: `\`${edit.path}\` cannot be read: ${firstLine(read.text)}` };
      return {
        say: `Changing \`${edit.path}\`.`,
        calls: [
          call("edit_file", {
            path: edit.path,
            old_text: edit.from,
            new_text: edit.to,
            ...(edit.all ? { replace_all: true } : {}),
          }),
        ],
      };
  }
}

function outcome(edit: Edit, made: Step): string {
  if (made.failed) return `\`${edit.path}\` was not changed: ${firstLine(made.text)}`;
  return `Done: \`${argument(made, "path") || edit.path}\` is changed.`;
}

const firstLine = (text: string): string => text.split("\n").slice(0, 3).join(" ").trim();
