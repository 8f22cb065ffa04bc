import { Text, Transform, useIsScreenReaderEnabled } from "ink";
import { type ReactNode, use, useSyncExternalStore } from "react";
import type { Layout } from "../budget.ts";
import { DrawsRowsContext, layoutOf, useSource } from "../screen-context.ts";

type PaintedProps = {
  /** Styled already: Markdown, code and diffs are laid out line by line, and only once. */
  lineAt(index: number): string;
  rows: number;
};

/**
 * Long text, in a Box of its width and at least its height. Ink measures as many blank lines, and those
 * only when there are more or fewer: measuring the text takes 3 ms a frame, and a `<Text>` within would
 * be measured for every frame.
 */
export function Painted({ lineAt, rows }: PaintedProps): ReactNode {
  const isSpoken = useIsScreenReaderEnabled();
  if (rows <= 0) return null;
  if (isSpoken)
    return (
      <Text>{Bun.stripANSI(Array.from({ length: rows }, (_, at) => lineAt(at)).join("\n"))}</Text>
    );
  return <Transform transform={(_, index) => lineAt(index)}>{blank(rows)}</Transform>;
}

/** A space, because the transform is not asked about an empty line. */
const blank = (rows: number): string => Array<string>(rows).fill(" ").join("\n");

type LiveProps = { of(layout: Layout): readonly string[]; rows: number };

/**
 * Lines that are read while Ink's layout is turned into rows. They change with every key and token. Mostly nothing
 * else changes, and React renders nothing.
 */
export function LiveLines({ of, rows }: LiveProps): ReactNode {
  const source = useSource();
  const drawsRows = use(DrawsRowsContext);
  // Ink's own output is drawn only after something was rendered.
  useSyncExternalStore(source.subscribe, () => (drawsRows() ? null : of(layoutOf(source))));
  const lineAt = (index: number): string => (source.layout && of(source.layout)[index]) ?? "";
  return <Painted lineAt={lineAt} rows={rows} />;
}
