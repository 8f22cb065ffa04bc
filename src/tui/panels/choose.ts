/** A setting of the running session, chosen from a list: model, permission mode, theme. */

import { modeMeanings, permissionModes, type PermissionMode } from "../../protocol/permission.ts";
import type { Host } from "../host.ts";
import { sanitizeLine } from "../sanitize.ts";
import { themeNames, type ThemeName } from "../theme.ts";
import { ListPanel, type ListItem } from "./list-panel.ts";
import { loading } from "./loading.ts";
import type { PanelModel } from "./panel.ts";

/** Names to choose from; the current one comes first. */
export function choicesOf<T extends string>(
  names: readonly T[],
  current: string,
  describe: (name: T) => string = () => "",
): ListItem<T>[] {
  const ordered = names.toSorted((a, b) => Number(b === current) - Number(a === current));
  return ordered.map((name) => ({
    value: name,
    lines: [`${name === current ? "●" : " "} ${sanitizeLine(name)}  ${describe(name)}`.trimEnd()],
  }));
}

export const modePanel = (host: Host): PanelModel =>
  new ListPanel<PermissionMode>(host, {
    content: () => ({
      title: "Permission mode",
      hint: "Enter select · Esc close",
      empty: "",
      items: choicesOf(permissionModes, host.state.mode, (mode) => modeMeanings[mode]),
    }),
    onChoose(mode) {
      host.send({ type: "mode", mode });
      host.dispatch({ type: "panel", panel: null });
    },
  });

export const themePanel = (host: Host): PanelModel =>
  new ListPanel<ThemeName>(host, {
    content: () => ({
      title: "Theme",
      hint: "Enter select, also for later sessions · Esc close",
      empty: "",
      items: choicesOf(themeNames, host.theme.name),
    }),
    onChoose(name) {
      host.chooseTheme(name);
      host.dispatch({ type: "panel", panel: null });
    },
  });

export function modelPanel(host: Host): PanelModel {
  const names = loading(host, host.options.services.models(), "Asking the server …");
  return new ListPanel<string>(host, {
    content() {
      const { model } = host.state;
      const items = names.value ? choicesOf([...new Set([model, ...names.value])], model) : [];
      return {
        title: "Model",
        hint: "Enter select · type to search · Esc close · /model NAME takes any name",
        empty: names.message,
        items,
      };
    },
    onChoose(model) {
      if (model !== host.state.model) host.send({ type: "model", model });
      host.dispatch({ type: "panel", panel: null });
    },
  });
}
