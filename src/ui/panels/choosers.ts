/** Lists to choose from: modes, models, notes, sessions, and the settings. */

import { modeMeanings, type PermissionMode, permissionModes } from "../../protocol/permission.ts";
import type { Host } from "./host.ts";
import { sanitizeLine } from "../sanitize.ts";
import { type ThemeName, themeNames } from "../theme.ts";
import { listPanel, type ListPanel } from "./list-panel.ts";
import { loading, type PanelModel } from "./panel.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { EntryOf } from "../../protocol/entry.ts";
import { effectiveWindow } from "../../context/meter/meter.ts";
import { describeCut, whyCut } from "../../context/cut-words.ts";
import {
  formatAge,
  homePath,
  shortTokens,
  showBytes,
  showTokens,
  showUsd,
} from "../transcript/format.ts";
import { undoCut } from "../undo.ts";
import type { MemoryFile, SessionSummary, SessionWork } from "../types.ts";
import { takeStart } from "../../base/clip.ts";
import { counted, errorMessage } from "../../base/in-words.ts";
import { shellQuote } from "../../base/shell-quote.ts";
import {
  type EditableSetting,
  editableSettings,
  editSetting,
  isDefault,
  showSetting,
} from "../../config/edit-settings.ts";
import type { Settings } from "../../config/settings.ts";
import { fit, type Line, pad, span, wrapSpans, wrapWords } from "../line.ts";
import { settingGroups } from "../../protocol/setting.ts";

const currentFirst = <T extends string>(names: readonly T[], current: string): T[] =>
  names.toSorted((a, b) => Number(b === current) - Number(a === current));

const choiceLine = (name: string, current: string): string =>
  `${name === current ? "●" : " "} ${sanitizeLine(name)}`;

const modeColumns = 16;

function modeLines(mode: PermissionMode, current: PermissionMode, columns: number): string[] {
  const [first = "", ...more] = wrapWords(modeMeanings[mode], columns - modeColumns);
  return [
    choiceLine(mode, current).padEnd(modeColumns) + first,
    ...more.map((line) => " ".repeat(modeColumns) + line),
  ];
}

export const modePanel = (host: Host): PanelModel =>
  listPanel<PermissionMode>(host, {
    title: "Permission mode",
    hint: "Enter select · Esc close",
    items: () => currentFirst(permissionModes, host.state.mode),
    lines: (mode, columns) => modeLines(mode, host.state.mode, columns),
    closes: true,
    onChoose: (mode) => host.send({ type: "mode", mode }),
  });

export const themePanel = (host: Host): PanelModel =>
  listPanel<ThemeName>(host, {
    title: "Theme",
    hint: "Enter select, also for later sessions · Esc close",
    items: () => currentFirst(themeNames, host.theme.name),
    lines: (name) => [choiceLine(name, host.theme.name)],
    closes: true,
    onChoose: host.chooseTheme,
  });

/** Models whose window and price are asked for. */
const maxDescribed = 40;

async function describeModels(host: Host, names: readonly string[]): Promise<ModelTable> {
  const rules = names
    .slice(0, maxDescribed)
    .map(async (name) => [name, await host.services.modelRules(name)] as const);
  const known = await Promise.allSettled(rules);
  return new Map(known.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])));
}

type ModelTable = ReadonlyMap<string, ModelRules>;

const modelColumns = 34;

const modelHeader = `${"".padEnd(modelColumns)}  window  in, out per million tokens`;

function modelLine(name: string, { state, policy }: Host, rules: ModelRules | undefined): string {
  const line = pad(choiceLine(name, state.model), modelColumns);
  if (!rules) return line.trimEnd();
  const { input, output, areEstimates } = rules.prices;
  const price =
    input === 0 && output === 0
      ? "free"
      : `${showUsd(input, areEstimates)}, ${showUsd(output, areEstimates)}`;
  return `${line}${shortTokens(effectiveWindow(rules, policy)).padStart(8)}  ${price}`;
}

export function modelPanel(host: Host): PanelModel {
  const models = host.services.models();
  const names = loading(host, models, "Asking the server …");
  const described = loading(
    host,
    models.then((found) => describeModels(host, [host.state.model, ...found])),
    "",
  );
  return listPanel<string>(host, {
    title: () => `Model · effort ${host.settings.current.effort ?? "default"} (/effort)`,
    header: () => (described.value ? span("dim", modelHeader) : null),
    hint: "Enter select · Esc close · /model NAME takes any name",
    empty: () => names.message,
    items: () => (names.value ? [...new Set([host.state.model, ...names.value])] : []),
    lines: (name) => [modelLine(name, host, described.value?.get(name))],
    text: (name) => name,
    closes: true,
    onChoose(model) {
      if (model !== host.state.model) host.send({ type: "model", model });
    },
  });
}

export const undoPanel = (host: Host): PanelModel =>
  listPanel<EntryOf<"cut">>(host, {
    title: "Undo a compaction",
    hint: "Enter undo; later compactions are kept · Esc cancel",
    empty: "No compaction to undo.",
    items: () => host.view.cuts.toReversed(),
    lines: (cut) => [cutLine(cut, host.nowMs)],
    closes: true,
    onChoose: (cut) => void undoCut(host, cut.id),
  });

function cutLine(cut: EntryOf<"cut">, nowMs: number): string {
  const age = formatAge(cut.at, nowMs);
  const freed = showTokens(cut.price.usedBefore - cut.price.usedAfter).padStart(6);
  return `${age}  ${freed} tokens freed for ${showUsd(cut.price.usd, cut.price.isEstimate)}  ${describeCut(cut)} · ${sanitizeLine(whyCut(cut))}`;
}

export function memoryPanel(host: Host): PanelModel {
  const { services } = host;
  const files = loading(host, services.memoryFiles(), "Looking for files …");
  return listPanel<MemoryFile>(host, {
    title: "Memory",
    hint: "Enter edit · Esc close",
    empty: () => (files.value ? "No files." : files.message),
    items: () => files.value ?? [],
    lines: (file) => [fileLine(file)],
    footer: () => [
      "A message that starts with # is added to the notes on this folder.",
      "Sessions start with the newest 8,000 characters of each file of notes.",
    ],
    closes: true,
    onChoose: ({ path }) => void host.suspend(() => services.editFile(path)),
  });
}

const fileLine = ({ name, path, bytes }: MemoryFile): string => {
  const size = bytes === null ? "empty" : showBytes(bytes);
  return `${name.padEnd(22)} ${size.padStart(8)}  ${sanitizeLine(homePath(path))}`;
};

export function sessionPanel(host: Host): PanelModel {
  const { session: facts } = host;
  const load = (where: "here" | "everywhere") => ({
    isHere: where === "here",
    list: loading(host, host.services.sessions(where), "Looking for sessions …"),
  });
  let sessions = load("here");
  const works = new Map<string, { value: SessionWork | null; message: string }>();
  const workLine = (summary: SessionSummary): Line => {
    const work =
      works.get(summary.session) ?? loading(host, summary.readWork(), "Reading the session …");
    works.set(summary.session, work);
    if (!work.value) return span("dim", work.message);
    const { turns, usd } = work.value;
    const facts = [
      turns === null ? "" : counted(turns, "turn"),
      usd > 0 ? showUsd(usd) : "",
      showBytes(summary.bytes),
    ];
    return span("dim", facts.filter(Boolean).join(" · "));
  };
  return listPanel<SessionSummary>(host, {
    title: () => (sessions.isHere ? "Sessions in this folder" : "Sessions in all folders"),
    hint: () =>
      `Enter open, or answer · Tab ${sessions.isHere ? "all folders" : "this folder"} · Esc close`,
    empty: () => (sessions.list.value ? "No sessions here yet." : sessions.list.message),
    items: () => sessions.list.value ?? [],
    lines: (summary) => [sessionLine(summary, facts, host.nowMs)],
    footer: (chosen) => (chosen ? [workLine(chosen)] : []),
    keys: { tab: () => (sessions = load(sessions.isHere ? "everywhere" : "here")) },
    closes: true,
    onChoose: (summary) => openSession(host, summary),
  });
}

export function openSession(host: Host, { session, busy, cwd, isHomeless }: SessionSummary): void {
  const { session: facts } = host;
  if (session === facts.session) return;
  if (cwd !== facts.cwd && !isHomeless) {
    const command = `cd ${shellQuote(cwd)} && mini-claude --resume ${session}`;
    host.copy(command);
    return host.notify(`This session belongs to another folder. Copied: ${sanitizeLine(command)}`);
  }
  if (busy) return host.notify(`${session} is open in another terminal; close it there first.`);
  host.open({ kind: "session", session });
}

/** Age, folder if it is another one, title, first words and size of the context. Pure. */
export function sessionLine(
  { session, title, firstPrompt, at, usedTokens, cwd, busy, isHomeless }: SessionSummary,
  current: { session: string; cwd: string },
  nowMs: number,
): string {
  const age = formatAge(at, nowMs);
  const state = session === current.session ? "this one · " : busy ? "open elsewhere · " : "";
  const gone = isHomeless ? " (gone: Enter continues here)" : "";
  const folder = cwd === current.cwd ? "" : `${sanitizeLine(cwd)}${gone}  `;
  const name = sanitizeLine(title) || "(no title)";
  const words = sanitizeLine(firstPrompt);
  const first = words === "" || words.startsWith(name) ? "" : ` · ${takeStart(words, 80)}`;
  const size = usedTokens === null ? "" : ` · ${shortTokens(usedTokens)} tokens`;
  return `${age}  ${state}${folder}${name}${first}${size}`;
}

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
