/** Panels with one choice from a few names, the current one first. */

import type { ReactNode } from "react";
import { modeMeanings, permissionModes } from "../../protocol/permission.ts";
import { useTheme } from "../look.ts";
import { hang } from "../painted-text.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useActions, useScreen } from "../screen-context.ts";
import { themeNames } from "../theme.ts";
import { ListPanel } from "./list-panel.tsx";

export const currentFirst = <T extends string>(names: readonly T[], current: string): T[] =>
  names.toSorted((a, b) => Number(b === current) - Number(a === current));

export const choiceLine = (name: string, current: string): string =>
  `${name === current ? "●" : " "} ${sanitizeLine(name)}`;

const nameColumns = 16;

export function ThemePanel(): ReactNode {
  const { name: current } = useTheme();
  const { chooseTheme } = useActions();
  return (
    <ListPanel
      title="Theme"
      hint="Enter select, also for later sessions · Esc close"
      items={currentFirst(themeNames, current)}
      lines={(name) => [choiceLine(name, current)]}
      closes
      onChoose={chooseTheme}
    />
  );
}

export function ModePanel(): ReactNode {
  const current = useScreen(({ store }) => store.state.mode);
  const { send } = useActions();
  return (
    <ListPanel
      title="Permission mode"
      hint="Enter select · Esc close"
      items={currentFirst(permissionModes, current)}
      lines={(mode, columns) =>
        hang(choiceLine(mode, current).padEnd(nameColumns), modeMeanings[mode], columns)
      }
      closes
      onChoose={(mode) => send({ type: "mode", mode })}
    />
  );
}
