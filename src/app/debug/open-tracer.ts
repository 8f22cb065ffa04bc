import { join, resolve } from "node:path";
import { version } from "../../../package.json";
import type { Flags } from "../../config/flags.ts";
import type { Paths } from "../../config/paths.ts";
import type { Environment } from "../../base/environment.ts";
import type { Tracer } from "./tracer.ts";

/** The debug log that `--debug` or `MINI_CLAUDE_DEBUG` asks for. Throws when it cannot be opened. */
export async function openTracer(
  flags: Pick<Flags, "debug" | "debugFile">,
  env: Environment,
  paths: Paths,
  cwd: string,
): Promise<Tracer | undefined> {
  const variable = env["MINI_CLAUDE_DEBUG"] ?? "";
  const isOff = /^(|0|false|no|off)$/i.test(variable);
  if (!flags.debug && isOff) return undefined;
  const isFile = !isOff && !/^(1|true|yes|on)$/i.test(variable);
  const name = `${new Date().toISOString().replace(/[:.]/g, "")}-${process.pid}.log`;
  const named = flags.debugFile ?? (isFile ? variable : undefined);
  const file = named === undefined ? join(paths.root, "debug", name) : resolve(cwd, named);
  const { createTracer } = await import("./tracer.ts");
  const tracer = createTracer(file, env);
  const { platform, arch } = process;
  tracer.write("start", `mini-claude ${version}, Bun ${Bun.version}, ${platform} ${arch}, ${cwd}`);
  return tracer;
}
