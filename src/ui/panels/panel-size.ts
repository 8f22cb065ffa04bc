import { useColumns } from "../look.ts";
import { useScreen } from "../screen-context.ts";

/** The columns of a panel, and the most rows that it may take. */
export const usePanelSize = (): { columns: number; rows: number } => ({
  columns: useColumns(),
  rows: useScreen((_, { panelRoom }) => panelRoom),
});
