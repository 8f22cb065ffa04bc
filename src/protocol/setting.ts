/**
 * A setting is declared once: which values it may have, its default, its meaning. The settings
 * screen, the help, the manual's list and the names of environment variables follow from that.
 */

import type { z } from "zod";

/** The groups of settings, in the order in which they are listed. */
export const settingGroups = [
  "model",
  "permissions",
  "context",
  "summaries",
  "tools",
  "screen",
] as const;

type SettingGroup = (typeof settingGroups)[number];

export type Setting<T = unknown> = {
  schema: z.ZodType<T>;
  /** The default; undefined: none. */
  value: T;
  group: SettingGroup;
  /** For the user, in one or two sentences. */
  means: string;
  /** Variables of other tools that set it, and the value that their text stands for. */
  also?: Record<string, (text: string) => unknown>;
};

/** Settings by name; those that belong together are in a table of their own. */
export type SettingTable = { readonly [name: string]: Setting | SettingTable };

/** The values of a table's settings. A setting without a default may be absent. */
export type SettingValues<T> = Flat<
  {
    -readonly [K in keyof T as undefined extends SettingValue<T[K]> ? never : K]: SettingValue<
      T[K]
    >;
  } & {
    -readonly [K in keyof T as undefined extends SettingValue<T[K]> ? K : never]?: SettingValue<
      T[K]
    >;
  }
>;

type SettingValue<T> = T extends Setting<infer V> ? V : SettingValues<T>;
type Flat<T> = { [K in keyof T]: T[K] };

/** Makes the settings of a group. */
export const settingGroup =
  (group: SettingGroup) =>
  <T>(
    schema: z.ZodType<T>,
    value: NoInfer<T>,
    means: string,
    also: NonNullable<Setting["also"]> = {},
  ): Setting<T> => ({ schema, value, group, means, also });

export const isSetting = (found: Setting | SettingTable): found is Setting =>
  "schema" in found && "means" in found;

/** The value of every setting when nothing is set. */
export function defaultValues<T extends SettingTable>(table: T): SettingValues<T>;
export function defaultValues(table: SettingTable): object {
  const defaults: Record<string, unknown> = {};
  for (const [name, found] of Object.entries(table)) {
    const value = isSetting(found) ? found.value : defaultValues(found);
    if (value !== undefined) defaults[name] = value;
  }
  return defaults;
}

/** Whether the text of a variable means yes. */
export const isOn = (text: string): boolean => !/^(0|false|no|off)$/i.test(text.trim());
