import { Box } from "ink";
import type { ReactNode } from "react";
import { type Line, span } from "../line.ts";
import type { ListRow } from "../panels/panel.ts";
import { LineText, LineTexts } from "./line.tsx";

type ListProps = { rows: readonly ListRow[]; footer: readonly Line[] };

/** Rows of which one is chosen, and lines below them. */
export const List = ({ rows, footer }: ListProps): ReactNode => (
  <Box flexDirection="column" flexShrink={0} aria-role="listbox">
    {rows.map(({ line, isChosen }, index) => (
      <Box key={index} aria-role="option" aria-state={{ selected: isChosen }}>
        <LineText line={isChosen && typeof line === "string" ? span("selected", line) : line} />
      </Box>
    ))}
    <LineTexts lines={footer} />
  </Box>
);
