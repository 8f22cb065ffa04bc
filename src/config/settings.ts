import { readFileSync } from "node:fs";
import { z } from "zod";
import { fromEnvironment, leaves, plant, type Found } from "./environment.ts";
import { defaultSettings, settingsSchema, type Settings } from "./schema.ts";

export { defaultSettings, type Settings } from "./schema.ts";

type Env = Record<string, string | undefined>;
type Tree = { [key: string]: unknown };

export type Loaded = {
  settings: Settings;
  /** Where each setting that is not a default came from: a file, a variable, a flag. */
  sources: Map<string, string>;
  /** What was wrong, a sentence each; the value before it holds instead. */
  problems: string[];
};

/**
 * Defaults, then the person's settings file, then the environment, then flags. A value that is not
 * allowed is reported and passed over: one bad line does not keep the agent from starting. Nothing
 * is ever read from the opened folder, whose owner may be a stranger.
 */
export function loadSettings(from: { env: Env; file: string; flags: Found[] }): Loaded {
  const problems: string[] = [];
  const sources = new Map<string, string>();
  let settings: Settings = structuredClone(defaultSettings);
  for (const { path, value, source } of [
    ...fromFile(from.file, problems),
    ...fromEnvironment(from.env),
    ...from.flags,
  ]) {
    const next: Tree = structuredClone(settings);
    plant(next, path, value);
    const parsed = settingsSchema.safeParse(next);
    if (parsed.success) {
      settings = parsed.data;
      sources.set(path.join("."), source);
    } else problems.push(complaint(source, path, value, parsed.error));
  }
  return { settings, sources, problems };
}

const fileSchema = z.record(z.string(), z.unknown());

function fromFile(file: string, problems: string[]): Found[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!missing)
      problems.push(
        `${file} cannot be read (${error instanceof Error ? error.message : error}); it is ignored.`,
      );
    return [];
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    problems.push(
      `${file} is not valid JSON (${error instanceof Error ? error.message : error}); it is ignored.`,
    );
    return [];
  }
  const tree = fileSchema.safeParse(json);
  if (!tree.success) {
    problems.push(`${file} must hold one JSON object with settings; it is ignored.`);
    return [];
  }
  return flatten(tree.data).map(({ path, value }) => ({ path, value, source: file }));
}

/** Down to the settings that the schema knows; what it does not know stays whole, to be reported. */
function flatten(tree: Tree, above: string[] = []): { path: string[]; value: unknown }[] {
  const known = new Set(leaves().map(({ path }) => path.join(".")));
  return Object.entries(tree).flatMap(([name, value]) => {
    const path = [...above, name];
    const branch = fileSchema.safeParse(value);
    const isSetting = known.has(path.join("."));
    return !isSetting && branch.success && !Array.isArray(value)
      ? flatten(branch.data, path)
      : [{ path, value }];
  });
}

function complaint(source: string, path: string[], value: unknown, error: z.ZodError): string {
  const name = path.join(".");
  const issue = error.issues[0];
  if (issue?.code === "unrecognized_keys")
    return `${source}: there is no setting “${name}”; it is ignored.`;
  return `${source}: “${name}” cannot be ${JSON.stringify(value)} (${issue?.message ?? "not allowed"}); it is ignored.`;
}
