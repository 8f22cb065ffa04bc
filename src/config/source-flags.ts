import { UsageError } from "./usage-error.ts";

/** Whose settings, instructions and commands are used. */
export const settingSources = ["user", "project", "local"] as const;

export type SettingSource = (typeof settingSources)[number];

/** An empty list means none. Throws `UsageError`. */
export function sourceFlags(given: string | undefined): readonly SettingSource[] {
  if (given === undefined) return settingSources;
  const names = given.split(",").filter((name) => name !== "");
  return names.map((name) => {
    const source = settingSources.find((known) => known === name);
    if (source) return source;
    throw new UsageError(
      `--setting-sources must list ${settingSources.join(", ")}, not ${JSON.stringify(name)}.`,
    );
  });
}
