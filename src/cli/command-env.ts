import { childEnv } from "../config/credentials.ts";
import { pathOutside } from "../project/program-path.ts";
import type { StartOptions } from "./start-options.ts";

/** The environment for commands: no keys, and no programs of an untrusted project on its PATH. */
export function commandEnv({
  env,
  project: { root, isTrusted },
}: Pick<StartOptions, "env" | "project">): Record<string, string> {
  const all = childEnv(env);
  return isTrusted ? all : { ...all, PATH: pathOutside(all["PATH"] ?? "", root) };
}
