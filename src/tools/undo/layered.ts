/** Commands that write to a view of their own, from their start until their changes are in the log. */

import type { Layers } from "../../trust/sandbox/layers.ts";
import { pruneOwn } from "../prune.ts";
import type { Execution } from "../tool.ts";
import { describeError } from "../workspace.ts";
import {
  openLayer,
  type LayerChanges,
  type LayerOptions,
  type OpenLayer,
} from "./command-layer.ts";
import { recoverCommands } from "./journal.ts";
import type { StateChange } from "./workspace-state.ts";

type LayeredOptions = Pick<LayerOptions, "hasEffect" | "show" | "save" | "maxBytes"> & {
  layers(): Promise<Layers | null>;
  /** Our own folder. */
  own: string;
  /** The opened folders. */
  roots: readonly string[];
  /** A new folder in it. */
  placeFor(kind: "aside" | "kept", why: string): string;
  /** Called when the changes of a command have been taken over. */
  tell(changes: LayerChanges): void;
};

export type LayeredCommands = ReturnType<typeof layeredCommands>;

export function layeredCommands(options: LayeredOptions) {
  const running = new Set<OpenLayer>();
  /** By commands that ended after their calls, and in earlier sessions. */
  const late: Pick<LayerChanges, "files" | "close">[] = [];
  /** Their changes were returned, but are not in the log for certain: it may have no room. */
  let unlogged: Pick<LayerChanges, "files" | "close">[] = [];
  /** For the model, with the next result. */
  let news: string[] = [];
  let recovered: Promise<string[]> | null = null;
  let hasPruned = false;

  async function recover(): Promise<string[]> {
    const left = await recoverCommands(options.own, options.roots).catch(() => null);
    if (left === null) return [];
    late.push(left);
    news.push(...left.told);
    return left.told;
  }

  function takeNews(): string {
    const told = news.map((text) => `\n[${text}]`).join("");
    news = [];
    return told;
  }

  async function giveUp(why: string): Promise<void> {
    (await options.layers())?.giveUp();
    news.push(
      `The copy-on-write view of the workspace failed (${why}): from now on, commands write to the workspace itself.`,
    );
  }

  async function tryOpen(execution: Execution, toolUse: string): Promise<OpenLayer | null> {
    try {
      const place = await (await options.layers())?.open();
      if (!place) return null;
      if (!hasPruned) void pruneOwn(options.own, Date.now()).catch(() => undefined);
      hasPruned = true;
      await (recovered ??= recover());
      return openLayer({
        ...options,
        ...place,
        execution,
        asideFolder: options.placeFor("aside", toolUse),
        keptFolder: options.placeFor("kept", toolUse),
      });
    } catch (error) {
      await giveUp(describeError(error));
      return null;
    }
  }

  /** Again, too, what was returned and not logged. */
  function takeLate(): StateChange[] {
    unlogged.push(...late.splice(0));
    return unlogged.flatMap(({ files }) => files);
  }

  return {
    takeLate,
    takeNews,
    giveUp,

    /** Takes on what earlier sessions left; returns, once, what to tell about it. */
    async recover(): Promise<string[]> {
      const told = await (recovered ??= recover());
      return told.splice(0);
    },

    /** All that was returned is in the log. */
    logged(): void {
      for (const { close } of unlogged) close();
      unlogged = [];
    },

    /** A view for a confined command; null where there is none, and for one that goes on after its call or ends others. */
    async isolate(
      execution: Execution,
      toolUse: string,
      isBackground = false,
    ): Promise<OpenLayer | null> {
      if (execution.sandbox !== "required" || isBackground) return null;
      if (signals.test(execution.source)) return null;
      const open = await tryOpen(execution, toolUse);
      if (open === null) return null;
      running.add(open);
      void open.changes.then(async (changes) => {
        options.tell(changes);
        await open.removed();
        running.delete(open);
      });
      return open;
    },

    /** When its call ends. `intend`: as in its changes; null: it has not ended yet. */
    async finish(open: OpenLayer) {
      await open.release();
      const changes = await Promise.race([open.changes, null]);
      const files = takeLate();
      const news = takeNews();
      if (changes === null) {
        void open.changes.then((later) => void late.push(later));
        return { files, note: news + stillRuns, intend: null };
      }
      const ended = { ...changes, files: [...changes.files] };
      unlogged.push(ended);
      const intend = async (more: readonly StateChange[]): Promise<void> => {
        await changes.intend(more);
        ended.files.push(...more);
      };
      return { files: [...files, ...changes.files], note: news + changes.note, intend };
    },

    /** Waits for what still runs. */
    close: (): Promise<unknown> =>
      Promise.all([...running].map(({ changes, removed }) => changes.then(removed))),
  };
}

/** Lines that do nothing but signal or list processes, which a command with a view of its own does not see. */
const signals =
  /^(?:(?:kill|pkill|killall|pgrep|ps|sleep|echo)(?: [\w./%:=-]+| "?\$\(cat [\w./-]+\)"?)*(?: 2> ?\/dev\/null)?(?: && |; | \|\| |$))+$/;

const stillRuns =
  "\n[It sees the workspace as it was when it started; what it changes is taken over when it ends.]";
