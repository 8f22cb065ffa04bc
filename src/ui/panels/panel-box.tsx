import { Box } from "ink";
import { createContext, type ReactNode, use } from "react";
import { LineText } from "../components/line.tsx";
import { fit } from "../painted-text.ts";
import { type Line, span } from "../spans.ts";
import { useColumns } from "../look.ts";
import { useActions, useScreen, useSource } from "../screen-context.ts";
import { fitHint } from "./panel.ts";

/** A row of names above a panel; a click on one chooses it. */
export type Tabs = {
  line: Line;
  keys: Record<string, () => void>;
  click(column: number): void;
};

type BoxProps = {
  title: string;
  /** The keys and what they do, separated by dots; the last one, which closes, stays longest. */
  hint: string;
  tabs?: Tabs | undefined;
  /** Below everything: a field that is asked for. */
  foot?: ReactNode;
  children: ReactNode;
};

/** Rows of a panel besides its body: the title and the keys. */
export const frameRows = 2;

/** The frame of every panel: a title in a rule above it, and the keys below it. */
export function PanelBox({ title, hint, tabs, foot, children }: BoxProps): ReactNode {
  const columns = useColumns();
  const { overlay } = useSource().screen;
  const head = `── ${title} `;
  const rule = head + "─".repeat(Math.max(0, columns - Bun.stringWidth(head)));
  return (
    <Box flexDirection="column" flexShrink={0}>
      {tabs && <LineText line={tabs.line} />}
      <Box ref={overlay.mountText} flexDirection="column" flexShrink={0}>
        <Box aria-label={title}>
          <LineText line={span("boundary", fit(rule, columns))} />
        </Box>
        {children}
      </Box>
      <LineText line={span("dim", fitHint(hint, columns))} />
      {foot}
    </Box>
  );
}

/** The columns of a panel, and the most rows that it may take. */
export const usePanelSize = (): { columns: number; rows: number } => ({
  columns: useColumns(),
  rows: useScreen((_, { panelRoom }) => panelRoom),
});

/** Goes back to the panel below, from one that was opened over it. */
export const BackContext = createContext<(() => void) | null>(null);

/** Closes the panel: returns to the one below it, if there is one. */
export function useClose(): () => void {
  const { show } = useActions();
  return use(BackContext) ?? (() => show(null));
}
