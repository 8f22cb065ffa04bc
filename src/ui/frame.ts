/** A frame, from the screen to what components read. */

import type { Layout } from "./budget.ts";
import { layoutScreen } from "./layout.ts";
import type { ScreenSource } from "./screen-context.ts";

/**
 * Publishes the newest layout; `flush` has React commit. The height of a panel is that of its components:
 * while one is open, it is mounted first, and the rows of the others follow.
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
