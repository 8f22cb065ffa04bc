/** The five skills, in projects of two languages. */

import { expect, test } from "bun:test";
import { inventory, teaTimer } from "./projects.ts";
import { offlineSessions } from "./session.ts";

const openSession = offlineSessions();

const projects = { teaTimer, inventory };

type Row = [
  project: keyof typeof projects,
  request: string,
  /** What the answer contains. */
  says: string[],
  /** The calls that needed permission. */
  asks?: string[],
];

const rows: Row[] = [
  ["teaTimer", "what is this project?", ["**Tea timer** (`README.md:1`)", "Rings a bell", "1.2.0"]],
  ["teaTimer", "explain this codebase", ["6 files", "`src/`: 2"]],
  ["inventory", "what's in here?", ["Keeps track of what is in the warehouse", "`inventory/`: 4"]],
  ["teaTimer", "where is showPanel?", ["**`src/view/timer-panel.ts:2`**", "`src/cli.ts:5`"]],
  ["teaTimer", "where is the brew time computed?", ["**`src/brew.ts:6`**"]],
  ["teaTimer", 'where is "Panel(brewSeconds"?', ["**`src/cli.ts:5`**", "“Panel(brewSeconds”"]],
  ["inventory", "where is the Store class defined", ["**`inventory/store.py:4`**"]],
  ["inventory", "find The xylophone", ["I found nothing for “xylophone”"]],
  ["teaTimer", "read src/brew.ts", ["`src/brew.ts:1`", " 6  export function brewSeconds"]],
  [
    "teaTimer",
    "show lines 2-3 of brew.ts",
    ["`src/brew.ts:2`", "“show lines 4-163 of src/brew.ts”"],
  ],
  ["teaTimer", "run the tests", ["`npm run test` succeeded", "3 passed"]],
  ["teaTimer", "run ` echo hi `", ["`echo hi` succeeded", "hi"]],
  [
    "teaTimer",
    'replace "1.2.0" with "1.3.0" in package.json',
    ["Done: Changed package.json at line 3."],
    ["Edit package.json"],
  ],
  ["teaTimer", "list the files", ["6 files here", "- `src/cli.ts`"]],
  ["teaTimer", "list the files in src/", ["3 files in `src/`", "- `src/cli.ts`"]],
  ["teaTimer", "read src/view", ["I can't read `src/view`"]],
  ["inventory", "run the tests", ["`python3 -m pytest -q`"]],
];

for (const [project, request, says, asks = []] of rows)
  test(`${project}: ${request}`, async () => {
    await using session = await openSession(projects[project]);
    const { text, asked } = await session.ask(request);
    for (const part of says) expect(text).toContain(part);
    // Whether a command asks depends on the sandbox.
    if (!request.startsWith("run")) expect(asked).toEqual(asks);
  });
