import { matchesIn, pathsIn } from "../results.ts";
import { call, type Skill } from "../skill.ts";
import { bare, bullets, clip, count, paragraphs } from "../text.ts";
import { wishOf } from "../wish.ts";
import { escape } from "../words.ts";

const asks =
  /^(?:where(?:'s| is| are)?|find|locate|who|what|which (?:files?|modules?)|is there)\b.*?[\s`"']((?:[\w@-]+\/)*[\w@-][\w@.-]*\.[a-z]{1,5})[`"']?(?:\s+(?:used|imported|referenced|from|by|in|here))*$/i;

/** "Where is FILE", "which files import FILE": by its name, not by the words in it. */
export const whereFile: Skill = (turn) => {
  const question = bare(turn.question);
  const name = asks.exec(question)?.[1];
  if (name === undefined) return null;
  const { uses } = wishOf(question);
  const [first] = turn.steps.filter(({ gone }) => !gone);
  if (uses) {
    const stem = (name.split("/").at(-1) ?? name).replace(/(?:\.d)?\.\w+$/, "");
    const pattern = `(from|import|require|use|mod|include|source).*\\b${escape(stem)}\\b`;
    if (!first) return { calls: [call("grep", { pattern, limit: 80 })] };
    const found = matchesIn(first.text).filter(({ path }) => !path.endsWith(".md"));
    const files = [...new Map(found.map((one) => [one.path, one])).values()];
    if (files.length === 0) return { say: `I find no import of \`${name}\` here.` };
    const list = files
      .slice(0, 20)
      .map(({ path, line, text }) => `\`${path}:${line}\`  ${clip(text, 90)}`);
    return {
      say: paragraphs(
        `${count(files.length, "file")} may import \`${name}\`; I go by the name in the line.`,
        bullets(list),
      ),
    };
  }
  if (!first)
    return { calls: [call("glob", { pattern: name.includes("/") ? `**/${name}` : name })] };
  const paths = pathsIn(first.text);
  return {
    say:
      paths.length === 0
        ? `I find no file called \`${name}\` here; what .gitignore leaves out I do not see.`
        : bullets(paths.slice(0, 20).map((path) => `\`${path}:1\``)),
  };
};
