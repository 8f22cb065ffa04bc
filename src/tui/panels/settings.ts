/** Every setting with its value and its meaning, changed in place. */

import { takeEnd } from "../../protocol/clip.ts";
import {
  editableSettings,
  editSetting,
  isDefault,
  showSetting,
  type EditableSetting,
} from "../../config/edit-settings.ts";
import type { Settings } from "../../config/settings.ts";
import { messageOf, type Host } from "../host.ts";
import type { InputEvent } from "../keys.ts";
import { emptyEditor, insert, type Editor } from "../prompt/editor.ts";
import { editByKey } from "../prompt/keys.ts";
import { sanitizeLine } from "../sanitize.ts";
import { wrapWords } from "../wrap.ts";
import { ListPanel, matching } from "./list-panel.ts";
import type { PanelModel, TextField } from "./panel.ts";

/** Columns of a name. */
const nameColumns = 28;

export function settingsPanel(host: Host): PanelModel {
  const { options } = host;
  const all = editableSettings();
  let settings: Settings = options.settings;
  let field: { setting: EditableSetting; editor: Editor } | null = null;
  let values: ListPanel<string> | null = null;
  let problem = "";

  const change = (setting: EditableSetting, text: string): void => {
    const changed = editSetting(settings, setting, text);
    problem = "problem" in changed ? changed.problem : "";
    if ("problem" in changed) return;
    settings = changed.settings;
    field = null;
    values = null;
    options.services.saveSetting?.(setting.id, changed.value).catch((error: unknown) => {
      problem = messageOf(error);
      host.redraw();
    });
  };
  const close = (): void => {
    host.dispatch({ type: "panel", panel: null });
    if (settings === options.settings) return;
    const { mode, model, theme } = host.state;
    // What was switched in this session stays, unless it was changed here.
    const isSame = <K extends keyof Settings>(name: K): boolean =>
      settings[name] === options.settings[name];
    const kept = {
      ...settings,
      ...(isSame("permissionMode") ? { permissionMode: mode } : {}),
      ...(isSame("theme") && theme !== null ? { theme } : {}),
      ...(isSame("model") && model !== "offline" ? { model } : {}),
    };
    if (host.state.phase === "idle") host.open({ kind: "settings", settings: kept });
    else host.flash("Saved. The changes apply when the session is opened again.");
  };

  const list: ListPanel<EditableSetting> = new ListPanel<EditableSetting>(host, {
    filter: "typing",
    content(filter, columns) {
      const items = matching(all.map(itemOf), filter);
      return {
        title: "Settings",
        hint: "Enter change · type to search · Esc close and apply",
        empty: "",
        items,
        footer: footerOf(items[list.place(items.length)]?.value, columns),
      };
    },
    onChoose(setting) {
      problem = "";
      const current = showSetting(settings, setting);
      if (setting.values?.length === 2)
        change(setting, setting.values.find((value) => value !== current) ?? current);
      else if (setting.values) values = valueList(setting, setting.values);
      else field = { setting, editor: insert(emptyEditor, current) };
    },
  });

  function itemOf(setting: EditableSetting) {
    const value = sanitizeLine(showSetting(settings, setting)) || "none";
    const shown = isDefault(settings, setting) ? value : host.theme.paint("strong", value);
    return { value: setting, lines: [`${setting.name.padEnd(nameColumns)} ${shown}`] };
  }

  function footerOf(setting: EditableSetting | undefined, columns: number): string[] {
    if (!setting) return [];
    const { theme } = host;
    const source = options.settingSources?.get(setting.id);
    const from = isDefault(settings, setting) ? "The default." : source ? `From ${source}.` : "";
    const help = wrapWords(`${setting.help} ${from}`.trim(), columns);
    return [
      "",
      ...help.map((line) => theme.paint("dim", line)),
      ...(problem === "" ? [] : wrapWords(problem, columns).map((l) => theme.paint("bad", l))),
    ];
  }

  const valueList = (setting: EditableSetting, names: readonly string[]): ListPanel<string> => {
    const current = showSetting(settings, setting);
    const ordered = names.toSorted((a, b) => Number(b === current) - Number(a === current));
    return new ListPanel<string>(host, {
      filter: "typing",
      content: (filter, columns) => ({
        title: setting.name,
        hint: "Enter select · Esc back",
        empty: "",
        items: matching(
          ordered.map((name) => ({
            value: name,
            lines: [`${name === current ? "●" : " "} ${name}`],
          })),
          filter,
        ),
        footer: footerOf(setting, columns),
      }),
      onChoose: (name) => change(setting, name),
    });
  };

  const typeInto = ({ setting, editor }: NonNullable<typeof field>, event: InputEvent): boolean => {
    if (event.type === "mouse") return false;
    const { chord, text } =
      event.type === "key" ? event : { chord: "", text: sanitizeLine(event.text) };
    if (chord === "enter") change(setting, editor.text.trim());
    else if (chord === "escape") field = null;
    else {
      const edited = editByKey(editor, chord, text);
      if (!edited) return false;
      field = { setting, editor: edited };
    }
    return true;
  };

  const press = (event: InputEvent): boolean => {
    if (field) return typeInto(field, event);
    if (event.type !== "key" || event.chord !== "escape") return (values ?? list).press(event);
    if (values) values = null;
    else close();
    return true;
  };

  return {
    draw: (columns, rows) => (values ?? list).draw(columns, rows),
    press(event) {
      const used = press(event);
      if (used) host.redraw();
      return used;
    },
    field(columns): TextField | null {
      if (!field) return null;
      const label = `${field.setting.name}: `;
      const room = Math.max(1, columns - label.length - 1);
      return { label, value: takeEnd(field.editor.text, room), placeholder: "empty: the default" };
    },
  };
}
