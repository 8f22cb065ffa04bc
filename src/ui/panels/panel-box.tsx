import { Box } from "ink";
import { createContext, type ReactNode, use } from "react";
import { LineText } from "../components/line.tsx";
import { fit } from "../painted-text.ts";
import { type Line, span } from "../spans.ts";
import { useColumns } from "../look.ts";
import { useActions, useScreen, useSource } from "../screen-context.ts";
import { fitHint } from "./navigation.ts";

/** Tab bar above a panel; clickable. */
export type Tabs = {
  line: Line;
  keys: Record<string, () => void>;
  click(column: number): void;
};

type BoxProps = {
  title: string;
  /** Key hints, separated by " · ". When space is short, the last one (close) is kept. */
  hint: string;
  tabs?: Tabs | undefined;
  /** Open text field, below everything else. */
  foot?: ReactNode;
  children: ReactNode;
};

/** Rows of the title and the key hints. */
export const frameRows = 2;

/** Frame of every panel: title rule above, key hints below. */
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

/** Columns and maximum rows of a panel. */
export const usePanelSize = (): { columns: number; rows: number } => ({
  columns: useColumns(),
  rows: useScreen((_, { panelRoom }) => panelRoom),
});

/** Returns to the panel below a stacked one. */
export const BackContext = createContext<(() => void) | null>(null);

/** Closes the panel: returns to the one below it, if there is one. */
export function useClose(): () => void {
  const { show } = useActions();
  return use(BackContext) ?? (() => show(null));
}
