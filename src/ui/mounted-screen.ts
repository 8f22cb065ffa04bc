/** The screen as an Ink application, and its frames. */

import { createElement } from "react";
import type { Layout } from "./budget.ts";
import { App } from "./components/root.tsx";
import { layoutScreen } from "./layout.ts";
import { panels } from "./panels/table.tsx";
import { ScreenSource } from "./screen-context.ts";
import { makeScreen, type ScreenParts } from "./screen.ts";
import { type InkOutput, inkScreen } from "./terminal/ink-screen.tsx";

type MountParts = Omit<ScreenParts, "panels" | "commit"> & {
  size(): { columns: number; rows: number };
  /** Commits published changes without drawing. */
  flush(): void;
};

export function mountScreen({ size, flush, ...parts }: MountParts) {
  const screen = makeScreen({
    ...parts,
    panels,
    commit(): void {
      // Nothing is left for React to commit after a frame.
      if (source.revision !== screen.store.revision) commit();
    },
  });
  const source = new ScreenSource(screen);
  const content = createElement(App, { source });

  function publishLayout(): Layout {
    const { columns, rows } = size();
    const layout = layoutScreen(screen, columns, rows);
    source.publish(layout);
    return layout;
  }

  /**
   * Publishes the current layout. A panel's height is measured from its components: an open panel is
   * committed first, and the other rows are laid out again if its height changed.
   */
  function publish(): Layout {
    const { overlay, keyHandlers, store } = screen;
    const layout = publishLayout();
    if (store.state.panel === null) return layout;
    const { panelRows } = overlay;
    const hasField = keyHandlers.has("field");
    flush();
    const isSame = panelRows === overlay.panelRows && hasField === keyHandlers.has("field");
    return isSame ? layout : publishLayout();
  }

  function commit(): void {
    publish();
    flush();
  }

  return {
    screen,
    openInk: (output: InkOutput) => inkScreen({ ...output, content: () => content }),
    publish,
    /** Commits React updates; the next frame shows them. */
    commit,
    /** The published layout; null: there is none yet. */
    get layout(): Layout | null {
      return source.layout;
    },
  };
}
