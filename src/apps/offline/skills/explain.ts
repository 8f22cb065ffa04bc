import { definedName, isImport } from "../definition.ts";
import {
  matchesIn,
  nextOffset,
  numberedLines,
  pathsIn,
  totalLines,
  type Match,
} from "../results.ts";
import { call, type Move, type Skill } from "../skill.ts";
import { describeFile, describeSymbol, describeFolder } from "../structure.ts";
import { bare } from "../text.ts";
import { argument, type Step } from "../turn.ts";
import { escape } from "../words.ts";
import { isTest } from "../wish.ts";

const asks =
  /^(?:explain|describe|summari[sz]e|what does|what is in|what's in|what is|what's|walk me through|outline|how does|tell me about)\s+(?:(?:the|to me|me)\s+)*(?:(?:file|module|function|class|type|folder|directory|room|symbol)\s+)?(?:(?<quoted>[`"'][\w@./$-]+[`"'])|(?<bare>[\w@./$-]+))(?:\s+(?:do|does|works?|file|folder|function|class|module|for|in (?:it|there)))*$/i;

/** So many pages of a large file are read; the rest is only told of. */
const pagesRead = 4;

/** "Explain FILE" (or a name, or a folder): what it says of itself, declares, imports; who uses it. */
export const explain: Skill = (turn) => {
  const target = targetOf(turn.question);
  if (target === null) return null;
  const looks = turn.steps.filter(({ gone }) => !gone);
  return isPath(target) ? explainPath(looks, target) : explainName(looks, target);
};

/** Null where it is not plain that a file or a name of the code is meant. */
function targetOf(question: string): string | null {
  const text = bare(question);
  const found = asks.exec(text)?.groups;
  const target = (found?.["quoted"]?.slice(1, -1) ?? found?.["bare"])?.replace(/[.,;:]+$/, "");
  if (!target || /^(?:this|that|it|how|why|the|you|your|up|here|everything|me)$/i.test(target))
    return null;
  // "What is love" is no question about code; "what does parse do" and "what is parseLine" are.
  const vague =
    /^(?:what is|what's|tell me about|how does)\b/i.test(text) &&
    !/^what(?: is|'s) in\b/i.test(text);
  return vague &&
    found?.["quoted"] === undefined &&
    !isPath(target) &&
    !/[a-z\d][A-Z]|_|\$/.test(target)
    ? null
    : target;
}

const isPath = (target: string): boolean => target.includes("/") || /\.\w{1,5}$/.test(target);

function explainPath(looks: readonly Step[], target: string): Move {
  const list = looks.find(({ tool }) => tool === "glob");
  const plain = target.replace(/^\.\//, "").replace(/\/+$/, "");
  if (!list) {
    const pattern = plain.includes("/") ? `{${plain},${plain}/**}` : `{**/${plain},${plain}/**}`;
    return { say: `Looking at \`${target}\`.`, calls: [call("glob", { pattern })] };
  }
  const paths = pathsIn(list.text);
  const path = paths.find((one) => one === plain) ?? paths.find((one) => one.endsWith(`/${plain}`));
  if (path !== undefined)
    return explainFile(
      looks,
      path,
      paths.filter((one) => one !== path),
    );
  if (paths.length === 0) return { say: `I find no file or folder called \`${target}\` here.` };
  const heads = looks.find(({ tool }) => tool === "grep");
  const readme = paths.find((one) => one.toLowerCase() === `${plain}/readme.md`.toLowerCase());
  if (!heads)
    return {
      calls: [
        call("grep", { pattern: '^(/\\*\\*|//!?|#|"""|--) *[A-Za-z]', path: plain, limit: 200 }),
        ...(readme ? [call("read_file", { path: readme, limit: 60 })] : []),
      ],
    };
  const read = looks.find(({ tool }) => tool === "read_file");
  return {
    say: describeFolder(
      plain,
      paths,
      matchesIn(heads.text),
      read ? { path: argument(read, "path"), lines: numberedLines(read.text) } : null,
    ),
  };
}

function explainFile(looks: readonly Step[], path: string, others: readonly string[]): Move {
  const pages = looks.filter(
    (step) => step.tool === "read_file" && argument(step, "path") === path,
  );
  const users = looks.find(({ tool }) => tool === "grep");
  if (pages.length === 0) {
    const stem = (path.split("/").at(-1) ?? path).replace(/(?:\.d)?\.\w+$/, "");
    return {
      calls: [
        call("read_file", { path, limit: 600 }),
        call("grep", {
          pattern: `(from|import|require|use|mod|include|source).*\\b${escape(stem)}\\b`,
          limit: 60,
        }),
      ],
    };
  }
  const last = pages.at(-1);
  if (last?.failed) return { say: `\`${path}\` cannot be read: ${last.text.split("\n")[0]}` };
  const next = last ? nextOffset(last.text) : null;
  if (next !== null && pages.length < pagesRead)
    return { calls: [call("read_file", { path, offset: next, limit: 600 })] };
  return {
    say: describeFile({
      path,
      lines: pages.flatMap(({ text }) => numberedLines(text)),
      total: last ? totalLines(last.text) : null,
      users: users ? matchesIn(users.text) : [],
      others,
    }),
  };
}

function explainName(looks: readonly Step[], name: string): Move {
  const search = looks.find(({ tool }) => tool === "grep");
  if (!search)
    return {
      say: `Looking for \`${name}\`.`,
      calls: [
        call("grep", {
          pattern: `(function\\*?|class|const|let|var|interface|type|enum|def|fn|func|struct|trait|mod|module)\\s+${escape(name)}\\b`,
          limit: 40,
          // "The compactor" may well be a class Compactor.
          ...(name === name.toLowerCase() ? { ignore_case: true } : {}),
        }),
        call("grep", { pattern: `\\b${escape(name)}\\b`, limit: 80 }),
        call("glob", { pattern: `**/${name}.*` }),
      ],
    };
  const uses = looks.filter(({ tool }) => tool === "grep")[1];
  const definition = matchesIn(search.text).sort(
    (a, b) => plainness(a, name) - plainness(b, name),
  )[0];
  const list = looks.findIndex(({ tool }) => tool === "glob");
  const [file, ...others] = pathsIn(looks[list]?.text ?? "");
  if (!definition && file !== undefined) return explainFile(looks.slice(list + 1), file, others);
  const named = uses ? matchesIn(uses.text) : [];
  const place = definition ?? named.find(({ text }) => !isImport(text));
  if (!place) return { say: `I find no definition of \`${name}\` and no other word of it here.` };
  const read = looks.find(({ tool }) => tool === "read_file");
  if (!read)
    return {
      calls: [
        call("read_file", { path: place.path, offset: Math.max(1, place.line - 15), limit: 80 }),
      ],
    };
  const lines = numberedLines(read.text);
  return {
    say: describeSymbol(
      definition ? (definedName(place.text) ?? name) : name,
      place,
      definition !== undefined,
      lines,
      named,
    ),
  };
}

/** Exported and outermost definitions of the source before those within functions and tests. */
const plainness = ({ path, text }: Match, name: string): number =>
  (text.includes(name) ? 0 : 0.5) +
  (/^(?:export|pub|public|def|class|func|fn|function)\b/.test(text)
    ? 0
    : /^\S/.test(text)
      ? 1
      : 3) +
  (isTest(path) ? 2 : 0) +
  (path.endsWith(".md") ? 4 : 0);
