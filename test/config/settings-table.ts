/** The manual's list of settings, made from their declarations: `bun test/config/settings-table.ts` writes it. */

import { join } from "node:path";
import { editableSettings, showSetting } from "../../src/config/edit-settings.ts";
import { defaultSettings } from "../../src/config/settings.ts";
import { settingGroups } from "../../src/protocol/setting.ts";

export const settingsFile = join(import.meta.dir, "../../src/docs/settings.md");

const titles: Record<(typeof settingGroups)[number], string> = {
  model: "Model",
  permissions: "Permissions",
  context: "Context",
  summaries: "Summaries",
  tools: "Tools",
  screen: "Screen",
};

function item(setting: ReturnType<typeof editableSettings>[number]): string {
  const value = showSetting(defaultSettings, setting);
  const shown = value === "" || value === "{}" ? "" : ` (\`${value}\`)`;
  return `- \`${setting.id}\`${shown}: ${setting.means}`;
}

/** The sections, each setting with its default in parentheses. */
export const settingsList = (): string =>
  settingGroups
    .map((group) => {
      const items = editableSettings().filter((setting) => setting.group === group);
      return `## ${titles[group]}\n\n${items.map(item).join("\n")}\n`;
    })
    .join("\n");

/** The other variables that set something, as the manual lists them. */
export const otherVariables = (): string[] =>
  editableSettings().flatMap(({ also = {} }) => Object.keys(also));

if (import.meta.main) {
  const text = await Bun.file(settingsFile).text();
  await Bun.write(settingsFile, `${text.split("\n## ")[0]}\n${settingsList()}`);
}
