import type { Check } from "./check.ts";

export type Programs = {
  env: Record<string, string | undefined>;
  /** The Bun that runs this, and the range that the package asks for. */
  bun: { version: string; required: string };
  /** The ripgrep that searches use; null: the built-in search. */
  ripgrep: string | null;
  /** Language servers that report errors after an edit. */
  languageServers: readonly { language: string; path: string }[];
};

/** What the tools need from the machine. */
export function checkPrograms({ env, bun, ripgrep, languageServers }: Programs): Check[] {
  const { PATH = "" } = env;
  return [
    checkBun(bun),
    ripgrep === null
      ? {
          name: "ripgrep",
          state: "warning",
          text: "missing; the slower built-in search is used",
          fix: "run bun install again in the checkout",
        }
      : { name: "ripgrep", state: "ok", text: ripgrep },
    program("bash", PATH, "commands run in /bin/sh", "install bash"),
    program("git", PATH, "the model is not told about the repository", "install git"),
    checkSandbox(PATH),
    checkLanguageServers(languageServers),
  ];
}

function checkLanguageServers(found: Programs["languageServers"]): Check {
  const list = found.map(({ language, path }) => `${language} (${path})`).join(", ");
  const text = list || "none; errors after an edit are not reported";
  return { name: "Language servers", state: "ok", text };
}

function checkBun({ version, required }: Programs["bun"]): Check {
  if (Bun.semver.satisfies(version, required)) return { name: "Bun", state: "ok", text: version };
  const text = `${version}, but ${required} is required`;
  return { name: "Bun", state: "problem", text, fix: "bun upgrade" };
}

function program(name: string, PATH: string, without: string, fix: string): Check {
  const found = Bun.which(name, { PATH });
  return found === null
    ? { name, state: "warning", text: `missing; ${without}`, fix }
    : { name, state: "ok", text: found };
}

/** Installed is not enough: many containers forbid the namespaces that bubblewrap needs. */
function checkSandbox(PATH: string): Check {
  const name = "Sandbox";
  if (process.platform === "darwin")
    return { name, state: "ok", text: "Seatbelt, if it passes a trial when commands run" };
  if (process.platform !== "linux")
    return { name, state: "ok", text: "none on this system; permissions apply" };
  const bwrap = Bun.which("bwrap", { PATH });
  if (bwrap === null)
    return {
      name,
      state: "warning",
      text: "bubblewrap is not installed; permissions apply",
      fix: "install bubblewrap",
    };
  const tried = Bun.spawnSync([bwrap, "--ro-bind", "/", "/", "--unshare-all", "true"], {
    env: { PATH },
    stderr: "pipe",
    timeout: 5_000,
  });
  if (tried.exitCode === 0) return { name, state: "ok", text: `bubblewrap works (${bwrap})` };
  const reason = tried.stderr.toString().trim().split("\n")[0] || "it timed out";
  return {
    name,
    state: "warning",
    text: `bubblewrap cannot start: ${reason}`,
    fix: "allow unprivileged user namespaces (kernel.unprivileged_userns_clone, or the container's settings)",
  };
}
