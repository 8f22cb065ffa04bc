/** A setting of the running session, chosen from a list: model, permission mode, theme. */

import { permissionModes, type PermissionMode } from "../../protocol/permission.ts";
import { messageOf, type Host } from "../host.ts";
import { sanitizeLine } from "../sanitize.ts";
import { themeNames, type ThemeName } from "../theme.ts";
import { ListPanel, matching, type ListItem } from "./list-panel.ts";
import type { PanelModel } from "./panel.ts";

/** The current one comes first. */
function choicesOf<T extends string>(
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

/** What each permission mode allows. */
export const modeMeanings: Record<PermissionMode, string> = {
  default: "asks before it changes or runs anything",
  "accept-edits": "edits are approved automatically",
  plan: "read-only: nothing is written or run",
  bypass: "no approvals",
  "dont-ask": "denies whatever would need approval",
};

export const modePanel = (host: Host): PanelModel =>
  new ListPanel<PermissionMode>(host, {
    filter: "typing",
    content: (filter) => ({
      title: "Permission mode",
      hint: "Enter select · Esc close",
      empty: "",
      items: matching(
        choicesOf(permissionModes, host.state.mode, (mode) => modeMeanings[mode]),
        filter,
      ),
    }),
    onChoose(mode) {
      host.send({ type: "mode", mode });
      host.dispatch({ type: "panel", panel: null });
    },
  });

export const themePanel = (host: Host): PanelModel =>
  new ListPanel<ThemeName>(host, {
    filter: "typing",
    content: (filter) => ({
      title: "Theme",
      hint: "Enter select, also for later sessions · Esc close",
      empty: "",
      items: matching(choicesOf(themeNames, host.theme.name), filter),
    }),
    onChoose(name) {
      host.chooseTheme(name);
      host.dispatch({ type: "panel", panel: null });
    },
  });

export function modelPanel(host: Host): PanelModel {
  let names: readonly string[] | null = null;
  let empty = "Asking the server …";
  const load = host.options.services.models?.() ?? Promise.resolve([]);
  load.then(
    (list) => {
      names = list;
      host.redraw();
    },
    (error: unknown) => {
      empty = sanitizeLine(messageOf(error));
      host.redraw();
    },
  );
  return new ListPanel<string>(host, {
    filter: "typing",
    content(filter) {
      const { model } = host.state;
      const items = names === null ? [] : choicesOf([...new Set([model, ...names])], model);
      return {
        title: "Model",
        hint: "Enter select · type to search · Esc close · /model NAME takes any name",
        empty,
        items: matching(items, filter),
      };
    },
    onChoose(model) {
      if (model !== host.state.model) host.send({ type: "model", model });
      host.dispatch({ type: "panel", panel: null });
    },
  });
}
