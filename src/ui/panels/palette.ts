/** The palette: every command, key, setting that is on or off, and recent session, to find and to do. */

import { actions, keyGroups, type KeyAction } from "../../config/keys.ts";
import { editableSettings, editSetting, showSetting } from "../../config/edit-settings.ts";
import { commands as builtIn, listCommands } from "../commands.ts";
import type { Host } from "../host.ts";
import { type Line, rowColumns, span, spreadLine } from "../line.ts";
import { press } from "../keys.ts";
import { sanitizeLine } from "../sanitize.ts";
import { applySettings, openSession, sessionLine, settingTitle } from "./choosers.ts";
import { Memo } from "../memo.ts";
import { listPanel } from "./list-panel.ts";
import { loading, type PanelModel } from "./panel.ts";

/** `raw`: how it is typed or named in a file. */
type PaletteItem = { group: string; name: string; raw: string; run(): void };

/** They mean something only while one types. */
const typingKeys: readonly KeyAction[] = ["submit", "newline", "interrupt", "exit", "unfold"];

export function palettePanel(host: Host): PanelModel {
  const sessions = loading(host, host.services.sessions("here"), "");
  void host.loadUserCommands();
  const isRecent = ({ session, busy }: { session: string; busy: boolean }): boolean =>
    session !== host.options.session && !busy;
  const recent = (): PaletteItem[] =>
    (sessions.value ?? [])
      .filter(isRecent)
      .slice(0, maxSessions)
      .map((summary) => ({
        group: "recent sessions",
        name: sessionLine(summary, host.options, host.nowMs).trim(),
        raw: "",
        run: () => openSession(host, summary),
      }));
  const memo = new Memo<PaletteItem[]>();
  return listPanel<PaletteItem>(host, {
    title: "Palette",
    hint: "Enter run · Esc close",
    items: () =>
      memo.get([host.userCommands, sessions.value, host.settings.current, host.keys], () => [
        ...commandItems(host),
        ...recent(),
        ...settingItems(host),
        ...keyItems(host),
      ]),
    group: ({ group }) => group,
    text: ({ raw, name }) => `${raw.replace(/^\//, "")} ${name}`,
    lines: ({ name, raw }, columns) => [layoutItem(name, raw, columns)],
    closes: true,
    onChoose: ({ run }) => run(),
  });
}

const maxSessions = 5;

const layoutItem = (name: string, raw: string, columns: number): Line =>
  spreadLine(
    `  ${name.replace(/^./, (first) => first.toUpperCase())}`,
    span("dim", raw),
    Math.min(columns, rowColumns),
  );

function commandItems(host: Host): PaletteItem[] {
  return listCommands(host)
    .filter(({ name }) => name !== "palette")
    .map(({ name, group, help, usage }) => {
      const own = builtIn.find((command) => command.name === name);
      const key = own?.key === undefined ? "" : host.keys.describeKey(own.key);
      return {
        group,
        name: help,
        raw: [`/${name}`, key].filter(Boolean).join("  "),
        // A command that needs an argument is left in the prompt, to be finished there.
        run: () =>
          own && !usage.startsWith("<") ? own.run(host, "") : host.setPrompt(`/${name} `),
      };
    });
}

function settingItems(host: Host): PaletteItem[] {
  const { current } = host.settings;
  return editableSettings()
    .filter(({ values }) => values?.length === 2 && values.every((value) => value in opposite))
    .map((setting) => {
      const value = showSetting(current, setting);
      const next = opposite[value] ?? value;
      return {
        group: "settings",
        name: `${settingTitle(setting)}: ${shown[value] ?? value}`,
        raw: setting.name,
        run() {
          const edited = editSetting(current, setting, next);
          if ("problem" in edited) return host.flash(edited.problem);
          const said = applySettings(host, edited.settings, [setting]);
          host.services.saveSetting(setting.id, edited.value).catch(host.report);
          host.flash(`${sanitizeLine(settingTitle(setting))}: ${shown[next] ?? next}. ${said}`);
        },
      };
    });
}

const opposite: Readonly<Record<string, string>> = {
  true: "false",
  false: "true",
  on: "off",
  off: "on",
};

const shown: Readonly<Record<string, string>> = { true: "on", false: "off" };

const keyItems = (host: Host): PaletteItem[] =>
  keyGroups.flatMap(([title, names]) =>
    names
      .filter((name) => !typingKeys.includes(name) && !builtIn.some(({ key }) => key === name))
      .flatMap((name) => {
        const [chord] = host.keys.listChords(name);
        if (chord === undefined) return [];
        return {
          group: `keys: ${title}`,
          name: actions[name].help,
          raw: host.keys.describeKey(name),
          run: () => host.press(press(chord, "")),
        };
      }),
  );
