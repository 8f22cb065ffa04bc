/** Whether commits are to be signed: the keys for that are never in the sandbox. */

/** Lines in which git makes commits or tags, and does not leave the signature out. */
const makes =
  /\bgit\b[^;&|\n]*\b(?:commit|merge|rebase|cherry-pick|revert|am|pull|tag)\b(?![^;&|\n]*--no-gpg-sign)/;

/** git reads its settings, and runs nothing. */
async function isSet(key: string, cwd: string, env: Record<string, string>): Promise<boolean> {
  const { PATH = "", HOME = "" } = env;
  try {
    const child = Bun.spawn(["git", "config", "--type=bool", "--get", key], {
      cwd,
      env: { PATH, HOME },
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 2_000,
    });
    return (await child.stdout.text()).trim() === "true";
  } catch {
    return false;
  }
}

/** Whether the line makes something that the settings of git say is to be signed. */
export async function needsSigning(
  line: string,
  cwd: string,
  env: Record<string, string>,
): Promise<boolean> {
  if (!makes.test(line)) return false;
  const isTag = /\bgit\b[^;&|\n]*\btag\b/.test(line);
  return isSet(isTag ? "tag.gpgsign" : "commit.gpgsign", cwd, env);
}
