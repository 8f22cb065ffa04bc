/** A setting of the running session, chosen from a list: model, permission mode, theme. */

import { useEffect, useState } from "react";
import { permissionModes, type PermissionMode } from "../../protocol/permission.ts";
import { sanitiseLine } from "../sanitise.ts";
import { themeNames } from "../theme.ts";
import type { PanelProps } from "../types.ts";
import { Picker, type Choice } from "./picker.tsx";

const close = ({ dispatch }: PanelProps): void => dispatch({ type: "panel", panel: null });

/** The one that holds now stands first. */
function choicesOf<T extends string>(
  names: readonly T[],
  now: string,
  words: (name: T) => string = () => "",
): Choice<T>[] {
  const ordered = names.toSorted((a, b) => Number(b === now) - Number(a === now));
  return ordered.map((name) => ({
    value: name,
    line: `${name === now ? "●" : " "} ${sanitiseLine(name)}  ${words(name)}`.trimEnd(),
  }));
}

const meanings: Record<PermissionMode, string> = {
  default: "asks before anything is changed or run",
  "accept-edits": "edits in the workspace are not asked about",
  plan: "nothing is written or run",
  bypass: "nothing is asked about",
};

export function ModePicker(props: PanelProps) {
  const { state, send, theme, columns, rows } = props;
  return (
    <Picker
      title="Permission mode"
      hint="Enter takes it · Esc closes"
      none=""
      choices={choicesOf(permissionModes, state.mode, (mode) => meanings[mode])}
      onChoose={(mode) => {
        send({ type: "mode", mode });
        close(props);
      }}
      theme={theme}
      columns={columns}
      rows={rows}
    />
  );
}

export function ThemePicker(props: PanelProps) {
  const { dispatch, options, theme, columns, rows, nowMs } = props;
  return (
    <Picker
      title="Theme"
      hint="Enter takes it and keeps it for later sessions · Esc closes"
      none=""
      choices={choicesOf(themeNames, theme.name)}
      onChoose={(name) => {
        dispatch({ type: "theme", theme: name });
        close(props);
        options.services
          .saveSetting?.("theme", name)
          .catch(({ message }: Error) =>
            dispatch({ type: "flash", text: message, untilMs: nowMs + 6_000 }),
          );
      }}
      theme={theme}
      columns={columns}
      rows={rows}
    />
  );
}

export function ModelPicker(props: PanelProps) {
  const { state, options, send, theme, columns, rows } = props;
  const [names, setNames] = useState<readonly string[] | null>(null);
  const { services } = options;
  useEffect(() => {
    let isGone = false;
    void (services.models?.() ?? Promise.resolve([])).then((list) => isGone || setNames(list));
    return () => {
      isGone = true;
    };
  }, [services]);
  return (
    <Picker
      title="Model"
      hint="Enter asks it from now on · type to search · Esc closes · /model NAME takes any name"
      none="Asking the server …"
      choices={names === null ? [] : choicesOf([...new Set([state.model, ...names])], state.model)}
      onChoose={(model) => {
        if (model !== state.model) send({ type: "model", model });
        close(props);
      }}
      theme={theme}
      columns={columns}
      rows={rows}
    />
  );
}
