/** Every setting with its value and its meaning, changed in place. */

import { messageOf } from "../../base/in-words.ts";
import {
  type EditableSetting,
  editableSettings,
  editSetting,
  isDefault,
  showSetting,
} from "../../config/edit-settings.ts";
import type { Settings } from "../../config/settings.ts";
import { FieldModel } from "../field.ts";
import type { Host } from "../host.ts";
import { chordOf, type InputEvent } from "../keys.ts";
import { type Line, span, wrapWords } from "../line.ts";
import { sanitizeLine } from "../sanitize.ts";
import { choiceLine, currentFirst } from "./choosers.ts";
import { listPanel, type ListPanel } from "./list-panel.ts";
import type { PanelModel } from "./panel.ts";

const nameColumns = 28;

export function settingsPanel(host: Host): PanelModel {
  const { options } = host;
  const all = editableSettings();
  let settings: Settings = host.settings.current;
  let field: { setting: EditableSetting; input: FieldModel } | null = null;
  let problem = "";

  const change = (setting: EditableSetting, text: string): void => {
    const changed = editSetting(settings, setting, text);
    problem = "problem" in changed ? changed.problem : "";
    if ("problem" in changed) return;
    settings = changed.settings;
    field = null;
    list.opened = null;
    options.services.saveSetting(setting.id, changed.value).catch((error: unknown) => {
      problem = messageOf(error);
      host.redraw();
    });
  };
  const close = (): void => {
    host.dispatch({ type: "panel", panel: null });
    const before = host.settings.current;
    const changed = all.filter((one) => showSetting(settings, one) !== showSetting(before, one));
    if (changed.length === 0) return;
    const later = host.settings.change(
      settings,
      changed.map(({ id }) => id),
    );
    const names = changed.filter(({ id }) => later.includes(id)).map(({ name }) => name);
    host.flash(
      names.length === 0 ? "Applied." : `Applied when the agent is done: ${names.join(", ")}.`,
    );
  };

  const list: ListPanel = listPanel<EditableSetting>(host, {
    keys: { escape: close },
    content: () => ({
      title: "Settings",
      hint: "Enter change · type to search · Esc close and apply",
      items: all,
      footer: footerOf,
    }),
    lines: (setting) => [lineOf(setting)],
    onChoose(setting) {
      problem = "";
      const current = showSetting(settings, setting);
      if (setting.values?.length === 2)
        change(setting, setting.values.find((value) => value !== current) ?? current);
      else if (setting.values) list.opened = valueList(setting, setting.values);
      else field = { setting, input: new FieldModel(current, host.redraw) };
    },
  });

  function lineOf(setting: EditableSetting): Line {
    const value = sanitizeLine(showSetting(settings, setting)) || "none";
    const shown = isDefault(settings, setting) ? value : span("strong", value);
    return [`${setting.name.padEnd(nameColumns)} `, shown];
  }

  function footerOf(setting: EditableSetting | undefined, columns: number): Line[] {
    if (!setting) return [];
    const source = options.settingSources?.get(setting.id);
    const from = isDefault(settings, setting) ? "The default." : source ? `From ${source}.` : "";
    const help = wrapWords(`${setting.means} ${from}`.trim(), columns);
    return [
      "",
      ...help.map((line) => span("dim", line)),
      ...(problem === "" ? [] : wrapWords(problem, columns).map((l) => span("bad", l))),
    ];
  }

  const valueList = (setting: EditableSetting, names: readonly string[]): ListPanel => {
    const current = showSetting(settings, setting);
    return listPanel<string>(host, {
      keys: { escape: () => (list.opened = null) },
      content: () => ({
        title: setting.name,
        hint: "Enter select · Esc back",
        items: currentFirst(names, current),
        footer: (_, columns) => footerOf(setting, columns),
      }),
      lines: (name) => [choiceLine(name, current)],
      onChoose: (name) => change(setting, name),
    });
  };

  const typeInto = (
    { setting, input }: NonNullable<typeof field>,
    event: InputEvent,
  ): boolean | Promise<void> => {
    const chord = chordOf(event);
    if (chord === "enter") change(setting, input.value.trim());
    else if (chord === "escape") field = null;
    else return host.typeInto(input, event);
    return true;
  };

  return {
    press: (event) => (field ? typeInto(field, event) : list.press(event)),
    view(columns, rows) {
      const shown = list.view(columns, field ? rows - 1 : rows);
      if (!field) return shown;
      const { input, setting } = field;
      const placeholder = "empty: the default";
      const value = { field: input, label: `${setting.name}: `, placeholder };
      return { ...shown, filter: null, field: value };
    },
  };
}
