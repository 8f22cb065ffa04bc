/** Two small projects in different languages. */

export const teaTimer: Record<string, string> = {
  "README.md":
    "# Tea timer\n\nRings a bell when the tea is ready.\n\n## Usage\n\n```sh\ntea green\n```\n",
  "package.json": `{
  "name": "tea-timer",
  "version": "1.2.0",
  "scripts": {
    "test": "echo 3 passed, 0 failed"
  }
}
`,
  "src/cli.ts": `#!/usr/bin/env bun
import { brewSeconds } from "./brew.ts";
import { showPanel } from "./view/timer-panel.ts";

showPanel(brewSeconds(process.argv[2] ?? "black"));
`,
  "src/brew.ts": `/** How long each kind of tea has to steep. */

const seconds: Record<string, number> = { green: 120, black: 240 };

/** Seconds for a kind of tea. Throws for an unknown kind. */
export function brewSeconds(kind: string): number {
  const found = seconds[kind];
  if (found === undefined) throw new Error(\`There is no tea called \${kind}.\`);
  return found;
}
`,
  "src/view/timer-panel.ts": `/** Draws the remaining time. */
export function showPanel(seconds: number): void {
  // TODO: draw a progress bar
  console.log(\`\${seconds} seconds left\`);
}
`,
  "test/brew.test.ts": `import { brewSeconds } from "../../commands/src/brew.ts";

brewSeconds("green");
`,
  "node_modules/chalk/index.js": "export const brewSeconds = 1;\n",
};

export const inventory: Record<string, string> = {
  "README.md": "# Inventory\n\nKeeps track of what is in the warehouse.\n",
  "pyproject.toml": '[project]\nname = "inventory"\nversion = "0.3.0"\n',
  "inventory/__init__.py": "",
  "inventory/__main__.py": "from inventory.store import Store\n\nprint(Store().total())\n",
  "inventory/store.py": `"""The stock of a warehouse."""


class Store:
    """Items and how many of each there are."""

    def total(self):
        return sum(self.items.values())
`,
  "inventory/load.py": "from inventory.store import Store\n\nstore = Store()\n",
};
