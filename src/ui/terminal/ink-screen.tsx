/**
 * Ink, mounted on the screen's frames. React commits and Yoga lays out as usual; then the rows of the
 * laid-out tree go to `present` instead of through Ink's own rasteriser, which takes ten times as long.
 *
 * The one thing here that Ink does not document is `onRender` of its root node, which it calls after
 * each layout (`test/ui/terminal/ink-screen.test.tsx` guards it). Without it, Ink's own output goes to
 * the terminal: the same screen, only slower.
 */

import { Writable } from "node:stream";
import { Box, render, type DOMElement, type Instance } from "ink";
import { useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { App, Screen } from "../components/app.tsx";
import { reuseParts, type Frame } from "../layout.ts";
import { fieldOf } from "../overlay.ts";
import type { ScreenSource } from "../screen-context.ts";
import type { FieldKeys } from "./field-keys.ts";
import { rowsOfTree } from "./ink-rows.ts";

type InkScreenOptions = {
  keys: FieldKeys;
  /** Shows the rows of a frame. */
  present(rows: readonly string[], frame: Frame | null): void;
  /** Ink's own output, where its tree cannot be read. */
  write(output: string): void;
  crash(error: unknown): void;
  /** What is drawn; the whole screen by default. */
  screen?: ReactNode;
  /** False: uses Ink's own output. */
  readsTree?: boolean;
  /** For screen readers: Ink writes text and roles in lines, on the normal screen. */
  isSpoken?: boolean;
  /** False: nothing is drawn twice; only what is said is written. */
  isInteractive?: boolean;
};

type Size = { columns: number; rows: number };

export type InkScreen = ReturnType<typeof inkScreen>;

export function inkScreen(options: InkScreenOptions) {
  const {
    keys,
    present,
    write,
    crash,
    screen = <Screen />,
    readsTree = true,
    isSpoken = false,
    isInteractive = true,
  } = options;
  const listeners = new Set<() => void>();
  const output = new InkOutput(write);
  let frame: Frame | null = null;
  let isTooSmall = false;
  let root: DOMElement | null = null;
  let isPresented = false;

  const source: ScreenSource = {
    frame: () => frame,
    isTooSmall: () => isTooSmall,
    subscribe(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    mounted: keys.mounted,
  };

  /** Shows what is laid out; without a tree, Ink has done it. */
  function show(): void {
    isPresented = true;
    if (root && (frame || isTooSmall)) present(rowsOfTree(root, output.rows), frame);
  }

  function onMount(node: DOMElement | null): void {
    if (!readsTree || isSpoken || typeof node?.onRender !== "function") return output.pass();
    root = node;
    root.onRender = show;
  }

  const tree = (
    <Mounted onMount={onMount}>
      <App source={source}>{screen}</App>
    </Mounted>
  );
  let instance: Instance | null = null;

  /** Mounts the application, with the first frame already there. */
  function mount(): Instance {
    const mounted = render(tree, {
      stdout: output,
      stdin: keys.stdin,
      exitOnCtrlC: false,
      patchConsole: false,
      // By itself, Ink is not interactive where it finds a variable CI.
      interactive: isInteractive,
      maxFps: 60,
      isScreenReaderEnabled: isSpoken,
    });
    mounted.waitUntilExit().catch(crash);
    return mounted;
  }

  return {
    /** Draws a frame in this turn of the event loop; null: the terminal is too small for one. */
    publish(next: Frame | null, { columns, rows }: Size): void {
      output.columns = columns;
      output.rows = rows;
      isTooSmall = next === null;
      frame = next && reuseParts(frame, next);
      isPresented = false;
      if (instance) for (const changed of listeners) changed();
      else instance = mount();
      // React commits in a microtask; without a change for it, the cursor or the selection moved.
      queueMicrotask(() => {
        if (!isPresented) show();
        keys.presented(fieldOf(frame?.overlay ?? null));
      });
    },
    /** Draws what was published now, not at the end of the turn. */
    flush: () => instance?.rerender(tree),
    unmount(): void {
      // What Ink draws on its way out is not for the terminal.
      root = null;
      output.drop();
      instance?.unmount();
    },
  };
}

/** Hands over the root of Ink's tree before anything is drawn. */
function Mounted({
  onMount,
  children,
}: {
  onMount(root: DOMElement | null): void;
  children: ReactNode;
}): ReactNode {
  const box = useRef<DOMElement>(null);
  const [isMounted, setMounted] = useState(false);
  useLayoutEffect(() => {
    let node = box.current;
    while (node?.parentNode) node = node.parentNode;
    onMount(node);
    setMounted(true);
  }, [onMount]);
  return <Box ref={box}>{isMounted && children}</Box>;
}

/** Standard output as Ink sees it. What it writes is dropped unless `pass` was called. */
class InkOutput extends Writable {
  readonly isTTY = true;
  columns = 80;
  rows = 24;
  #isPassing = false;
  readonly #pass: (output: string) => void;

  constructor(pass: (output: string) => void) {
    super();
    this.#pass = pass;
  }

  pass(): void {
    this.#isPassing = true;
  }

  drop(): void {
    this.#isPassing = false;
  }

  override _write(chunk: unknown, _: string, done: () => void): void {
    if (this.#isPassing) this.#pass(String(chunk));
    done();
  }
}
