/** The README's table of settings, made from their declarations: `bun test/config/settings-table.ts` writes it. */

import { join } from "node:path";
import { editableSettings, showSetting } from "../../src/config/edit-settings.ts";
import { defaultSettings } from "../../src/config/settings.ts";
import { settingGroups } from "../../src/protocol/setting.ts";

const file = join(import.meta.dir, "../../README.md");

const code = (text: string): string => `\`${text.replaceAll("|", "\\|")}\``;

function row(setting: ReturnType<typeof editableSettings>[number]): string {
  const value = showSetting(defaultSettings, setting);
  const shown = value === "" || value === "{}" ? "none" : code(value);
  return `| ${code(setting.id)} | ${shown} | ${setting.means.replaceAll("|", "\\|")} |`;
}

export const settingsTable = (): string[] => [
  "| setting | default | meaning |",
  "| --- | --- | --- |",
  ...settingGroups.flatMap((group) =>
    editableSettings()
      .filter((setting) => setting.group === group)
      .map(row),
  ),
];

/** The other variables that set something, as the README lists them. */
export const otherVariables = (): string[] =>
  editableSettings().flatMap(({ also = {} }) => Object.keys(also));

const pattern = /^\| setting +\|.*\n(?:\|.*\n)+/m;

/** The table that the README has, without its alignment. */
export async function readmeTable(): Promise<string[]> {
  const [table = ""] = pattern.exec(await Bun.file(file).text()) ?? [];
  return table
    .trimEnd()
    .split("\n")
    .map((line) =>
      line
        .replace(/ *\| */g, " | ")
        .replace(/-{3,}/g, "---")
        .trim(),
    );
}

if (import.meta.main) {
  const readme = await Bun.file(file).text();
  await Bun.write(
    file,
    readme.replace(pattern, () => `${settingsTable().join("\n")}\n`),
  );
}
