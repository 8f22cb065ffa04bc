import type { ReactNode } from "react";
import { useTheme } from "../look.ts";
import { useActions } from "../screen-context.ts";
import { themeNames } from "../theme.ts";
import { choiceLine, currentFirst } from "./choice-line.ts";
import { ListPanel } from "./list-panel.tsx";

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
