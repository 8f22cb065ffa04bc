import { call, type Skill } from "../skill.ts";
import { argument, matchesIn, numberedLines, pathsIn } from "../turn.ts";
import { escape } from "../words.ts";

const asks =
  /^(?:please\s+)?(?:can you\s+|could you\s+)?(?:explain|describe|summari[sz]e|what does|what is in|what's in|walk me through)\s+(?:the\s+)?(?:file\s+|module\s+|function\s+|class\s+)?[`"']?([\w@./$-]+)[`"']?/i;
const declaration =
  /^\s*(?:export\s+|pub\s+|public\s+|default\s+|async\s+|abstract\s+)*(?:function\*?|class|interface|type|enum|const|def|fn|func|struct|impl|trait)\s+([\w$]+)/;

/** "Explain FILE": what it says of itself, what it declares, what it imports, who uses it. */
export const explain: Skill = (turn) => {
  const target = asks.exec(turn.question)?.[1]?.replace(/[.,;:]+$/, "");
  if (!target || /^(this|that|it|how|why|the)$/i.test(target)) return null;
  const [first] = turn.steps;
  const isPath = target.includes("/") || /\.\w{1,5}$/.test(target);
  if (!first) {
    return {
      say: `Looking at \`${target}\`.`,
      calls: [
        isPath
          ? call("glob", { pattern: target.includes("/") ? target : `**/${target}` })
          : call("grep", {
              pattern: `(function|class|const|interface|type|def|fn|struct)\\s+${escape(target)}\\b`,
              limit: 20,
            }),
      ],
    };
  }
  const path = first.tool === "glob" ? pathsIn(first.text)[0] : matchesIn(first.text)[0]?.path;
  if (path === undefined)
    return { say: `I find no ${isPath ? "file" : "definition"} called \`${target}\` here.` };
  const read = turn.steps.find(({ tool }) => tool === "read_file");
  if (!read) {
    const stem = (path.split("/").at(-1) ?? path).replace(/\.\w+$/, "");
    return {
      calls: [
        call("read_file", { path, limit: 600 }),
        call("grep", {
          pattern: `(from|import|require|use|include).*\\b${escape(stem)}\\b`,
          limit: 20,
        }),
      ],
    };
  }
  const users = turn.steps.filter(({ tool }) => tool === "grep").at(-1);
  return {
    say: structure(
      path,
      argument(read, "path") === path ? read.text : "",
      users ? matchesIn(users.text) : [],
    ),
  };
};

function structure(
  path: string,
  text: string,
  users: readonly { path: string; line: number }[],
): string {
  const lines = numberedLines(text);
  const header = headerOf(lines.map((line) => line.text));
  const imports = lines.filter((line) =>
    /^\s*(import|from|use|require|#include)\b/.test(line.text),
  );
  const declared = lines.flatMap(({ number, text: line }, index) => {
    const name = declaration.exec(line)?.[1];
    if (!name || /^\s{4,}/.test(line)) return [];
    const above = lines[index - 1]?.text.trim() ?? "";
    const doc = /^(\/\/\/?|#|\/\*\*)\s*(.+?)(\*\/)?$/.exec(above)?.[2] ?? "";
    return [`- \`${path}:${number}\` **${name}**${doc === "" ? "" : `: ${doc}`}`];
  });
  const other = users.filter((user) => user.path !== path).slice(0, 8);
  return [
    `**\`${path}\`**, ${lines.length} lines${header === "" ? "" : `: ${header}`}`,
    declared.length === 0 ? "" : `It declares:\n${declared.slice(0, 30).join("\n")}`,
    imports.length === 0
      ? ""
      : `It imports (${imports.length}):\n${imports
          .slice(0, 10)
          .map((line) => `- \`${path}:${line.number}\` ${line.text.trim()}`)
          .join("\n")}`,
    other.length === 0
      ? ""
      : `Used in:\n${other.map((user) => `- \`${user.path}:${user.line}\``).join("\n")}`,
    "I am the offline model: this is what the file itself says, not a judgement of it.",
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The comment or docstring that a file begins with. */
function headerOf(lines: readonly string[]): string {
  const start = lines.findIndex((line) => line.trim() !== "" && !line.startsWith("#!"));
  const found: string[] = [];
  for (const line of lines.slice(Math.max(0, start), start + 12)) {
    const comment = /^\s*(?:\/\*\*?|\*|\/\/\/?!?|#|""")\s?(.*?)(?:\*\/)?$/.exec(line)?.[1];
    if (comment === undefined) break;
    found.push(comment.trim());
  }
  return found.join(" ").trim();
}
