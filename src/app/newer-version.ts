/** Whether there is a newer version: asked once a day, and told at the next start. */

import { z } from "zod";
import { name, version } from "../../package.json";
import type { Environment } from "../base/environment.ts";
import { attempt } from "../base/guards.ts";
import { findInstallation } from "../base/installed.ts";
import { readJson, saveJson } from "../config/json-file.ts";

/** The start of the screen comes first. */
const afterStartMs = 3_000;

/** Looks once the screen is there, where a package manager installed this program. */
export const lookLater = (file: string, env: Environment): void =>
  void setTimeout(() => void lookIfInstalled(file, env), afterStartMs).unref();

async function lookIfInstalled(file: string, env: Environment): Promise<void> {
  if (findInstallation(process.execPath).kind === "global")
    await lookForNewerVersion({ file, env, nowMs: Date.now(), fetch });
}

const foundSchema = z.object({ checkedMs: z.number(), latest: z.string() });

const readFound = (file: string) => attempt(() => readJson(file, foundSchema, ""), null);

/** One sentence, or none. `file` is where `lookForNewerVersion` saves what it found. */
export function newerVersionNotice(file: string): string[] {
  const latest = readFound(file)?.latest;
  return latest !== undefined && isNewer(latest)
    ? [`${name} ${latest} is available: run ${name} update`]
    : [];
}

const isNewer = (latest: string): boolean =>
  /^\d+\.\d+\.\d+$/.test(latest) && Bun.semver.order(latest, version) > 0;

const dayMs = 86_400_000;
const timeoutMs = 5_000;
/** The answer is a few dozen bytes. */
const maxChars = 10_000;

type VersionLook = { file: string; env: Environment; nowMs: number; fetch: typeof fetch };

/** Asks the registry for the latest version, at most once a day. Never throws: it can wait a day. */
export async function lookForNewerVersion({ file, env, nowMs, fetch }: VersionLook): Promise<void> {
  if (nowMs - (readFound(file)?.checkedMs ?? 0) < dayMs) return;
  const registry = env["npm_config_registry"] || "https://registry.npmjs.org";
  const address = `${registry.replace(/\/$/, "")}/-/package/${name}/dist-tags`;
  let latest = "";
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(timeoutMs) });
    const tags = z.object({ latest: z.string() });
    if (answer.ok) latest = tags.parse(JSON.parse((await answer.text()).slice(0, maxChars))).latest;
  } catch {
    // Offline, or a registry without such an address.
  }
  attempt(() => saveJson(file, { checkedMs: nowMs, latest }), undefined);
}
