import { Box } from "ink";
import type { ReactNode } from "react";
import { span } from "../spans.ts";
import type { ListRow } from "../panels/navigation.ts";
import { LineText } from "./line.tsx";

/** Rows with one selection. */
export const List = ({ rows }: { rows: readonly ListRow[] }): ReactNode => (
  <Box flexDirection="column" flexShrink={0} aria-role="listbox">
    {rows.map(({ line, isChosen }, index) => (
      <Box key={index} aria-role="option" aria-state={{ selected: isChosen }}>
        <LineText line={isChosen && typeof line === "string" ? span("selected", line) : line} />
      </Box>
    ))}
  </Box>
);
