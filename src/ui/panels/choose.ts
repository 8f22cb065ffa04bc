/** A setting of the running session, chosen from a list: model, permission mode, theme. */

import { modeMeanings, permissionModes, type PermissionMode } from "../../protocol/permission.ts";
import type { Host } from "../host.ts";
import { sanitizeLine } from "../sanitize.ts";
import { themeNames, type ThemeName } from "../theme.ts";
import { listPanel } from "./list-panel.ts";
import { loading, type PanelModel } from "./panel.ts";

/** The current one comes first. */
export const currentFirst = <T extends string>(names: readonly T[], current: string): T[] =>
  names.toSorted((a, b) => Number(b === current) - Number(a === current));

export const choiceLine = (name: string, current: string, meaning = ""): string =>
  `${name === current ? "●" : " "} ${sanitizeLine(name)}  ${meaning}`.trimEnd();

export const modePanel = (host: Host): PanelModel =>
  listPanel<PermissionMode>(host, {
    content: () => ({
      title: "Permission mode",
      hint: "Enter select · Esc close",
      items: currentFirst(permissionModes, host.state.mode),
    }),
    lines: (mode) => [choiceLine(mode, host.state.mode, modeMeanings[mode])],
    onChoose(mode) {
      host.send({ type: "mode", mode });
      host.dispatch({ type: "panel", panel: null });
    },
  });

export const themePanel = (host: Host): PanelModel =>
  listPanel<ThemeName>(host, {
    content: () => ({
      title: "Theme",
      hint: "Enter select, also for later sessions · Esc close",
      items: currentFirst(themeNames, host.theme.name),
    }),
    lines: (name) => [choiceLine(name, host.theme.name)],
    onChoose(name) {
      host.chooseTheme(name);
      host.dispatch({ type: "panel", panel: null });
    },
  });

export function modelPanel(host: Host): PanelModel {
  const names = loading(host, host.options.services.models(), "Asking the server …");
  return listPanel<string>(host, {
    content: () => ({
      title: "Model",
      hint: "Enter select · type to search · Esc close · /model NAME takes any name",
      empty: names.message,
      items: names.value ? [...new Set([host.state.model, ...names.value])] : [],
    }),
    lines: (name) => [choiceLine(name, host.state.model)],
    onChoose(model) {
      if (model !== host.state.model) host.send({ type: "model", model });
      host.dispatch({ type: "panel", panel: null });
    },
  });
}
