import type { Environment } from "../../base/environment.ts";
import { ok, problem, warning, type Check } from "./check.ts";

export type Programs = {
  env: Environment;
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
      ? warning(
          "ripgrep",
          "missing; the slower built-in search is used",
          "run bun install again in the checkout",
        )
      : ok("ripgrep", ripgrep),
    program("bash", PATH, "commands run in /bin/sh", "install bash"),
    program("git", PATH, "the model is not told about the repository", "install git"),
    checkSandbox(PATH),
    checkLanguageServers(languageServers),
  ];
}

function checkLanguageServers(found: Programs["languageServers"]): Check {
  const list = found.map(({ language, path }) => `${language} (${path})`).join(", ");
  return ok("Language servers", list || "none; errors after an edit are not reported");
}

function checkBun({ version, required }: Programs["bun"]): Check {
  if (Bun.semver.satisfies(version, required)) return ok("Bun", version);
  return problem("Bun", `${version}, but ${required} is required`, "bun upgrade");
}

function program(name: string, PATH: string, without: string, fix: string): Check {
  const found = Bun.which(name, { PATH });
  return found === null ? warning(name, `missing; ${without}`, fix) : ok(name, found);
}

/** Installed is not enough: many containers forbid the namespaces that bubblewrap needs. */
function checkSandbox(PATH: string): Check {
  const name = "Sandbox";
  if (process.platform === "darwin")
    return ok(name, "Seatbelt, if it passes a trial when commands run");
  if (process.platform !== "linux") return ok(name, "none on this system; permissions apply");
  const bwrap = Bun.which("bwrap", { PATH });
  if (bwrap === null)
    return warning(name, "bubblewrap is not installed; permissions apply", "install bubblewrap");
  const tried = Bun.spawnSync([bwrap, "--ro-bind", "/", "/", "--unshare-all", "true"], {
    env: { PATH },
    stderr: "pipe",
    timeout: 5_000,
  });
  if (tried.exitCode === 0) return ok(name, `bubblewrap works (${bwrap})`);
  const reason = tried.stderr.toString().trim().split("\n")[0] || "it timed out";
  return warning(
    name,
    `bubblewrap cannot start: ${reason}`,
    "allow unprivileged user namespaces (kernel.unprivileged_userns_clone, or the container's settings)",
  );
}
