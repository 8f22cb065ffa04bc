/**
 * The components that are mounted, as React's hook for devtools sees them: at the start, while an answer
 * is streamed, and with a panel open. `bun test/pictures/tree.ts`
 */

import { z } from "zod";
import type { Stage } from "../ui/stage.ts";

/** What React keeps of a component: its type, its first child, and its next sibling. */
const fiberSchema = z.object({ type: z.unknown(), child: z.unknown(), sibling: z.unknown() });

const rootSchema = z.object({ current: z.unknown() });

/** What is in every tree, and the texts of a line. */
const hidden = /^(App|ErrorBoundary|Mounted|LineTexts?|Text)$/;

let roots = new Set<unknown>();
const hook = {
  supportsFiber: true,
  inject: () => 1,
  onCommitFiberRoot: (_: number, root: unknown) => void roots.add(root),
  onCommitFiberUnmount: () => undefined,
};
Object.assign(globalThis, { __REACT_DEVTOOLS_GLOBAL_HOOK__: hook });

const readName = (type: unknown): string => (typeof type === "function" ? type.name : "");

/** The components of a fiber and of its siblings, one a line. */
function* lines(value: unknown, depth = 0): Generator<string> {
  const { data: fiber } = fiberSchema.safeParse(value);
  if (!fiber) return;
  const name = readName(fiber.type);
  const isShown = name !== "" && !hidden.test(name);
  if (isShown) yield `${"  ".repeat(depth)}<${name}>`;
  yield* lines(fiber.child, depth + (isShown ? 1 : 0));
  yield* lines(fiber.sibling, depth);
}

const { stage } = await import("../ui/stage.ts");
const { Builder } = await import("../context/build.ts");
// Ink reads it when it mounts; when it was imported, it would have loaded the devtools themselves.
process.env["DEV"] = "true";

const states: [name: string, open: () => Promise<Stage>][] = [
  ["start", async () => stage(new Builder(), { isEmpty: true })],
  [
    "streaming",
    async () => {
      const session = new Builder();
      session.user("Explain the parser");
      const on = stage(session);
      await on.tell(
        { type: "phase", phase: "waiting" },
        { type: "delta", index: 0, kind: "text", text: "It" },
      );
      return on;
    },
  ],
  ["panel open", async () => stage(new Builder(), { panel: { kind: "settings" } })],
];

for (const [name, open] of states) {
  roots = new Set();
  const on = await open();
  on.rows(120, 40);
  await on.settle();
  const trees = [...roots].map((root) => [...lines(rootSchema.parse(root).current)]);
  const [tree = []] = trees.filter((drawn) => drawn.some((line) => line.includes("<Screen>")));
  console.log(`${name}\n${tree.map((line) => `  ${line}`).join("\n")}\n`);
  on.end();
}
process.exit(0);
