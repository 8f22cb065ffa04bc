/** Lays out a frame and publishes it to the components. */

import type { Layout } from "./budget.ts";
import { layoutScreen } from "./layout.ts";
import type { ScreenSource } from "./screen-context.ts";

/**
 * Publishes the current layout. A panel's height is measured from its components: while a panel is open,
 * `flush` commits it first, and the other rows are laid out again if its height changed.
 */
export function publishFrame(
  source: ScreenSource,
  { columns, rows }: { columns: number; rows: number },
  flush: () => void,
): Layout {
  const { screen } = source;
  const { overlay, keyHandlers } = screen;
  const layout = layoutScreen(screen, columns, rows);
  source.publish(layout);
  if (screen.store.state.panel === null) return layout;
  const { panelRows } = overlay;
  const hasField = keyHandlers.has("field");
  flush();
  if (panelRows === overlay.panelRows && hasField === keyHandlers.has("field")) return layout;
  const next = layoutScreen(screen, columns, rows);
  source.publish(next);
  return next;
}
