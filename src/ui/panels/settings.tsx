import { type ReactNode, useState } from "react";
import { errorMessage } from "../../base/format.ts";
import {
  type EditableSetting,
  editableSettings,
  editSetting,
  isDefault,
  showSetting,
  type Settings,
} from "../../config/settings.ts";
import { fit, pad, rowColumns } from "../painted-text.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useSource } from "../screen-context.ts";
import type { Shared } from "../shared.ts";
import { type Line, span, wrapSpans } from "../spans.ts";
import { choiceLine, currentFirst } from "./choices.tsx";
import { ListPanel } from "./list-panel.tsx";

/** Frequently changed settings by id; listed first. */
const common = [
  "model",
  "effort",
  "permissionMode",
  "balance",
  "autoCompact",
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

const rank = ({ id }: EditableSetting): number =>
  common.includes(id) ? common.indexOf(id) : common.length;

let listed: readonly EditableSetting[] | null = null;

/** Read from the manual, which is loaded when the panel is first opened. */
function listSettings(): readonly EditableSetting[] {
  if (listed) return listed;
  const { findTopic }: typeof import("../../docs/topics.ts") = require("../../docs/topics.ts");
  const settings = editableSettings(findTopic("settings").text);
  return (listed = settings.toSorted((a, b) => rank(a) - rank(b)));
}

/** Saves changes immediately and applies them on close. */
export function SettingsPanel(): ReactNode {
  const { screen } = useSource();
  const { store, actions, services, session } = screen;
  const [settings, setSettings] = useState(screen.settings.current);
  const [edited, setEdited] = useState<EditableSetting | null>(null);
  const [problem, setProblem] = useState("");

  function choose(setting: EditableSetting): void {
    setProblem("");
    const current = showSetting(settings, setting);
    if (setting.values?.length !== 2) setEdited(setting);
    else change(setting, setting.values.find((value) => value !== current) ?? current);
  }

  function change(setting: EditableSetting, text: string): void {
    const changed = editSetting(settings, setting, text);
    if ("problem" in changed) return setProblem(changed.problem);
    setProblem("");
    setSettings(changed.settings);
    setEdited(null);
    services.saveSetting(setting.id, changed.value).catch((error: unknown) => {
      setProblem(errorMessage(error));
      store.redraw();
    });
  }

  function describe(setting: EditableSetting | undefined, columns: number): Line[] {
    if (!setting) return [];
    const source = session.settingSources?.get(setting.id);
    const from = isDefault(settings, setting) ? "The default." : source ? `From ${source}.` : "";
    const help = `${setting.id}: ${setting.means} ${from}`.trim();
    return ["", ...wrapSpans("dim", help, columns), ...wrapSpans("bad", problem, columns)];
  }

  function close(): void {
    actions.show(null);
    const message = applySettings(screen, settings);
    if (message !== "") actions.notify(message);
  }

  const current = edited ? showSetting(settings, edited) : "";
  return (
    <ListPanel
      title="Settings"
      hint="Enter change · Esc close and apply"
      items={listSettings()}
      lines={(setting, columns) => [settingLine(settings, setting, Math.min(columns, rowColumns))]}
      footer={describe}
      group={groupOf}
      text={(setting) => `${setting.id} ${settingTitle(setting)}`}
      onChoose={choose}
      keys={{ escape: close }}
      asked={
        edited !== null &&
        !edited.values && {
          label: `${edited.id}: `,
          placeholder: "empty: the default",
          hint: "Enter save · Esc back",
          value: current,
          onEnter: (text) => change(edited, text),
          onEscape: () => setEdited(null),
        }
      }
      opened={
        edited?.values && (
          <ListPanel
            title={edited.id}
            hint="Enter select · Esc back"
            items={currentFirst(edited.values, current)}
            lines={(name) => [choiceLine(name, current)]}
            footer={(_, columns) => describe(edited, columns)}
            onChoose={(name) => change(edited, name)}
          />
        )
      }
      onBack={() => setEdited(null)}
    />
  );
}

/** Applies changed settings and returns a message about when they take effect; empty: no changes. */
function applySettings({ settings: live }: Pick<Shared, "settings">, settings: Settings): string {
  const before = live.current;
  const changed = listSettings().filter(
    (setting) => showSetting(settings, setting) !== showSetting(before, setting),
  );
  if (changed.length === 0) return "";
  const later = live.change(
    settings,
    changed.map(({ id }) => id),
  );
  const names = changed.filter(({ id }) => later.includes(id)).map(({ id }) => id);
  return names.length === 0 ? "Applied." : `Applied when the agent is done: ${names.join(", ")}.`;
}

const nameColumns = 28;
const valueColumns = 20;

/** Minimum width for a column with the names used in the settings file. */
const minNamed = 90;

function settingLine(settings: Settings, setting: EditableSetting, columns: number): Line {
  const value = sanitizeLine(showSetting(settings, setting)) || "none";
  const shown = isDefault(settings, setting) ? value : span("strong", value);
  // In narrow terminals the name is in the footer instead.
  const names = columns < minNamed ? 0 : nameColumns;
  const room = columns - names - valueColumns;
  const title = `  ${pad(fit(settingTitle(setting), room - 4), room - 2)}`;
  return [title, span("dim", pad(setting.id, names).slice(0, names)), shown];
}

/** Readable title: the first clause of the description. */
const settingTitle = ({ means }: EditableSetting): string =>
  /^(.+?)(?:[;:.](?:\s|$)|, such as|$)/.exec(means)?.[1] ?? means;
