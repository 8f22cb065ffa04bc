/** What macOS is asked to confine, in the terms of the sandbox runtime. */

import { SandboxRuntimeConfigSchema } from "@anthropic-ai/sandbox-runtime";
import { expect, test } from "bun:test";
import { runtimeConfig } from "../../../src/trust/sandbox/mac.ts";

type Profile = Parameters<typeof runtimeConfig>[0];

const profile: Profile = {
  write: true,
  roots: ["/Users/me/app", "/Users/me/app.git"],
  shows: ["/Users/me/app"],
  home: "/Users/me",
  results: ["/Users/me/.mini-claude/tool-results/1.txt"],
  cwdFile: "/Users/me/.mini-claude/cwd",
  cwd: "/Users/me/app",
  temporary: "/private/var/tmp/s/tmp",
  ownHome: "/private/var/tmp/s/home",
  noGit: "/private/var/tmp/s/git",
  joined: false,
  hidden: ["/Users/me/app/.env", "/Users/me/app/a[1]/*.pem"],
  sealed: "/private/var/tmp/s/sealed",
  replaced: [["/Users/me/app/.git/config", "/private/var/tmp/s/config-1"]],
  sockets: [],
  kept: ["/Users/me/app/.git"],
  fixed: ["/Users/me/app/.git/hooks", "/Users/me/app/.vscode"],
  open: [],
  noHooks: [],
  caches: null,
  downloads: false,
  network: "off",
  writable: ["/Users/me/other"],
  programs: [],
};

const pathsOf = (entries: readonly unknown[] = []): unknown[] =>
  entries.map((entry) =>
    typeof entry === "object" && entry !== null && "path" in entry ? entry.path : entry,
  );

function readConfig(more: Partial<Profile> = {}) {
  const { filesystem, allowPty } = runtimeConfig({ ...profile, ...more });
  const network = { allowedDomains: [], deniedDomains: [] };
  const parsed = SandboxRuntimeConfigSchema.parse({ filesystem, network, allowPty }).filesystem;
  const { denyRead, allowRead, allowWrite, denyWrite } = parsed;
  return [denyRead, allowRead, allowWrite, denyWrite].map(pathsOf);
}

test("the folder is writable, the home and secrets are not seen, settings of git are fixed", () => {
  const [denyRead = [], allowRead = [], allowWrite = [], denyWrite = []] = readConfig();
  expect(denyRead).toContain("/Users/me");
  expect(denyRead).toContain("/Users/me/app/.env");
  expect(denyRead).toContain("/Users/me/app/.git/config");
  expect(allowRead).toEqual(expect.arrayContaining(["/Users/me/app", "/Users/me/other"]));
  expect(allowWrite).toEqual(expect.arrayContaining(profile.roots));
  expect(denyWrite).toEqual(expect.arrayContaining([...profile.fixed]));
});

test("a command that only reads writes to its own temporary folder alone", () => {
  const [, , allowWrite = []] = readConfig({ write: false, writable: [] });
  expect(allowWrite).toEqual(["/Users/me/.mini-claude/cwd", "/private/var/tmp/s/tmp"]);
});
