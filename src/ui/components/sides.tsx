import { Box } from "ink";
import type { ReactNode } from "react";

/** Columns between the two. */
const gap = 2;

/** Two texts at the ends of a row, or below each other where they do not fit. */
export const Sides = ({ children }: { children: ReactNode }): ReactNode => (
  <Box flexWrap="wrap" flexShrink={0} justifyContent="space-between" columnGap={gap}>
    {children}
  </Box>
);

/** Rows that `<Sides>` takes for these texts; an empty one takes none. */
export function sideRows(texts: readonly string[], columns: number): number {
  const shown = texts.filter(Boolean);
  const isWide = Bun.stringWidth(shown.join("")) + gap * (shown.length - 1) <= columns;
  return isWide ? Math.min(1, shown.length) : shown.length;
}
