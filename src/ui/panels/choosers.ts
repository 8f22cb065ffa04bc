/** The settings: found, explained, changed. */

import type { Host } from "./host.ts";
import { sanitizeLine } from "../sanitize.ts";
import { choiceLine, currentFirst } from "./choice-line.ts";
import { listPanel, type ListPanel } from "./old-list.ts";
import type { PanelModel } from "./panel.ts";
import { errorMessage } from "../../base/in-words.ts";
import {
  type EditableSetting,
  editableSettings,
  editSetting,
  isDefault,
  showSetting,
} from "../../config/edit-settings.ts";
import type { Settings } from "../../config/settings.ts";
import { fit, type Line, pad, span, wrapSpans } from "../line.ts";
import { settingGroups } from "../../protocol/setting.ts";

const nameColumns = 28;
const valueColumns = 20;

/** From this width on, the names of the settings file are listed beside what they mean. */
const minNamed = 90;

/** The settings that people change, by their ids: they come first. */
const common = [
  "model",
  "effort",
  "permissionMode",
  "policy.balance",
  "policy.autoCompact",
  "budget.session",
  "theme",
  "mouse",
  "vim",
  "notifications",
  "statusLine",
  "printOnExit",
];

const groupOf = ({ id, group }: EditableSetting): string =>
  common.includes(id) ? "often changed" : `all: ${group}`;

const rank = ({ id, group }: EditableSetting): number =>
  common.includes(id) ? common.indexOf(id) : common.length + settingGroups.indexOf(group);

/** A setting as a person says it: the first clause of its meaning. */
const settingTitle = ({ means }: EditableSetting): string =>
  /^(.+?)(?:[;:.](?:\s|$)|, such as|$)/.exec(means)?.[1] ?? means;

/** Puts changed settings into effect, and says when they are. */
function applySettings(
  host: Host,
  settings: Settings,
  changed: readonly EditableSetting[],
): string {
  const later = host.settings.change(
    settings,
    changed.map(({ id }) => id),
  );
  const names = changed.filter(({ id }) => later.includes(id)).map(({ name }) => name);
  return names.length === 0 ? "Applied." : `Applied when the agent is done: ${names.join(", ")}.`;
}

export function settingsPanel(host: Host): PanelModel {
  const { session: facts } = host;
  const all = editableSettings().toSorted((a, b) => rank(a) - rank(b));
  let settings: Settings = host.settings.current;
  let problem = "";

  const change = (setting: EditableSetting, text: string): void => {
    const changed = editSetting(settings, setting, text);
    problem = "problem" in changed ? changed.problem : "";
    if ("problem" in changed) return;
    settings = changed.settings;
    list.opened = null;
    list.ask(null);
    host.services.saveSetting(setting.id, changed.value).catch((error: unknown) => {
      problem = errorMessage(error);
      host.redraw();
    });
  };
  const close = (): void => {
    host.show(null);
    const before = host.settings.current;
    const changed = all.filter(
      (setting) => showSetting(settings, setting) !== showSetting(before, setting),
    );
    if (changed.length > 0) host.notify(applySettings(host, settings, changed));
  };

  const list: ListPanel = listPanel<EditableSetting>(host, {
    title: "Settings",
    hint: "Enter change · Esc close and apply",
    items: () => all,
    footer: settingFooter,
    keys: { escape: close },
    group: groupOf,
    text: (setting) => `${setting.name} ${settingTitle(setting)}`,
    lines: (setting, columns) => [settingLine(setting, columns)],
    onChoose(setting) {
      problem = "";
      const current = showSetting(settings, setting);
      if (setting.values?.length === 2)
        change(setting, setting.values.find((value) => value !== current) ?? current);
      else if (setting.values) list.opened = valueList(setting, setting.values);
      else
        list.ask({
          label: `${setting.name}: `,
          placeholder: "empty: the default",
          hint: "Enter save · Esc back",
          value: current,
          onEnter: (text) => change(setting, text),
        });
    },
  });

  function settingLine(setting: EditableSetting, columns: number): Line {
    const value = sanitizeLine(showSetting(settings, setting)) || "none";
    const shown = isDefault(settings, setting) ? value : span("strong", value);
    // Where there is no room for the name of the file, it is below the list.
    const names = columns < minNamed ? 0 : nameColumns;
    const room = columns - names - valueColumns;
    const title = `  ${pad(fit(settingTitle(setting), room - 4), room - 2)}`;
    return [title, span("dim", pad(setting.name, names).slice(0, names)), shown];
  }

  function settingFooter(setting: EditableSetting | undefined, columns: number): Line[] {
    if (!setting) return [];
    const source = facts.settingSources?.get(setting.id);
    const from = isDefault(settings, setting) ? "The default." : source ? `From ${source}.` : "";
    const help = `${setting.name}: ${setting.means} ${from}`.trim();
    return ["", ...wrapSpans("dim", help, columns), ...wrapSpans("bad", problem, columns)];
  }

  const valueList = (setting: EditableSetting, names: readonly string[]): ListPanel => {
    const current = showSetting(settings, setting);
    return listPanel<string>(host, {
      title: setting.name,
      hint: "Enter select · Esc back",
      items: () => currentFirst(names, current),
      footer: (_, columns) => settingFooter(setting, columns),
      lines: (name) => [choiceLine(name, current)],
      onChoose: (name) => change(setting, name),
    });
  };

  return list;
}
