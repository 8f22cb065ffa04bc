import type { ReactNode } from "react";
import { modeMeanings, type PermissionMode, permissionModes } from "../../protocol/permission.ts";
import { wrapWords } from "../painted-text.ts";
import { useActions, useScreen } from "../screen-context.ts";
import { choiceLine, currentFirst } from "./choice-line.ts";
import { ListPanel } from "./list-panel.tsx";

const nameColumns = 16;

function modeLines(mode: PermissionMode, current: PermissionMode, columns: number): string[] {
  const [first = "", ...more] = wrapWords(modeMeanings[mode], columns - nameColumns);
  return [
    choiceLine(mode, current).padEnd(nameColumns) + first,
    ...more.map((line) => " ".repeat(nameColumns) + line),
  ];
}

export function ModePanel(): ReactNode {
  const current = useScreen(({ store }) => store.state.mode);
  const { send } = useActions();
  return (
    <ListPanel
      title="Permission mode"
      hint="Enter select · Esc close"
      items={currentFirst(permissionModes, current)}
      lines={(mode, columns) => modeLines(mode, current, columns)}
      closes
      onChoose={(mode) => send({ type: "mode", mode })}
    />
  );
}
