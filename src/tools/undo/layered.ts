/** Commands that write to a view of their own, from their start until their changes are in the log. */

import { rescueLayers, type Layers } from "../sandbox/layers.ts";
import type { Execution } from "../tool.ts";
import {
  openLayer,
  type LayerChanges,
  type LayerOptions,
  type OpenLayer,
} from "./command-layer.ts";
import type { StateChange } from "./workspace-state.ts";

type LayeredOptions = Pick<LayerOptions, "hasEffect" | "show" | "save" | "maxBytes"> & {
  layers(): Promise<Layers | null>;
  /** Our own folder. */
  own: string;
  /** A new folder in it. */
  placeFor(kind: "aside" | "kept", why: string): string;
  /** Called when the changes of a command have been taken over. */
  tell(changes: LayerChanges): void;
};

export type LayeredCommands = ReturnType<typeof layeredCommands>;

export function layeredCommands(options: LayeredOptions) {
  const running = new Set<OpenLayer>();
  /** By commands that ended after their calls. */
  let late: StateChange[] = [];
  /** About commands that a session did not outlive, until they are told. */
  let rescued: string[] | null = null;

  function takeLate(): StateChange[] {
    const files = late;
    late = [];
    return files;
  }

  return {
    takeLate,

    /** A view for a confined command; null where there is none, and for one that goes on after its call or ends others. */
    async isolate(
      execution: Execution,
      toolUse: string,
      isBackground = false,
    ): Promise<OpenLayer | null> {
      if (execution.sandbox !== "required" || isBackground) return null;
      if (signals.test(execution.source)) return null;
      const place = await (await options.layers())?.open();
      if (!place) return null;
      rescued ??= await rescueLayers(options.own, options.placeFor("aside", "unfinished"));
      const open = openLayer({
        ...options,
        ...place,
        execution,
        asideFolder: options.placeFor("aside", toolUse),
        keptFolder: options.placeFor("kept", toolUse),
      });
      running.add(open);
      void open.changes.then((changes) => {
        running.delete(open);
        options.tell(changes);
      });
      return open;
    },

    /** When its call ends. `isOver`: it has ended, too. */
    async finish(open: OpenLayer) {
      await open.release();
      const changes = await Promise.race([open.changes, null]);
      const news = (rescued ?? []).map((text) => `\n[${text}]`).join("");
      rescued = [];
      const files = takeLate();
      if (changes !== null)
        return { files: [...files, ...changes.files], note: news + changes.note, isOver: true };
      void open.changes.then((later) => void late.push(...later.files));
      return { files, note: news + stillRuns, isOver: false };
    },

    /** Waits for what still runs. */
    close: (): Promise<unknown> => Promise.all([...running].map(({ changes }) => changes)),
  };
}

/** Lines that do nothing but signal or list processes, which a command with a view of its own does not see. */
const signals =
  /^(?:(?:kill|pkill|killall|pgrep|ps|sleep|echo)(?: [\w./%:=-]+| "?\$\(cat [\w./-]+\)"?)*(?: 2> ?\/dev\/null)?(?: && |; | \|\| |$))+$/;

const stillRuns =
  "\n[It sees the workspace as it was when it started; what it changes is taken over when it ends.]";
