/** Checks for a newer version once a day; the next start announces it. */

import { z } from "zod";
import { name, version } from "../../package.json";
import type { Environment } from "../base/environment.ts";
import { attempt } from "../base/guards.ts";
import { findInstallation } from "../base/installed.ts";
import { readJson, saveJson } from "../config/json-file.ts";

/** Keeps the check out of the way of the startup. */
const afterStartMs = 3_000;

/** Schedules the check, if a package manager installed this program. */
export const scheduleVersionCheck = (file: string, env: Environment): void =>
  void setTimeout(() => void checkIfInstalled(file, env), afterStartMs).unref();

async function checkIfInstalled(file: string, env: Environment): Promise<void> {
  if (findInstallation(process.execPath).kind === "global") await checkForNewerVersion(file, env);
}

const foundSchema = z.object({ checkedMs: z.number(), latest: z.string() });

const readFound = (file: string) => attempt(() => readJson(file, foundSchema, ""), null);

/** At most one sentence. `file` holds the result of the last check. */
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
/** Far above the few dozen bytes of a genuine answer. */
const maxChars = 10_000;

/** Asks the registry for the latest version, at most once a day, even after a failed check. Never throws. */
async function checkForNewerVersion(file: string, env: Environment): Promise<void> {
  const nowMs = Date.now();
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
