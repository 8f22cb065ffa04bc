/** Three small projects in different languages, none with a .gitignore. */

export const teaTimer: Record<string, string> = {
  "README.md":
    "# Tea timer\n\nRings a bell when the tea is ready.\n\n## Usage\n\n```sh\ntea green\n```\n",
  "package.json": `{
  "name": "tea-timer",
  "version": "1.2.0",
  "bin": "src/cli.ts",
  "scripts": {
    "start": "bun src/cli.ts",
    "test": "echo 3 passed, 0 failed"
  },
  "dependencies": {
    "chalk": "^5.3.0"
  },
  "devDependencies": {
    "typescript": "~5.9.0"
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
  "node_modules/chalk/package.json": '{ "name": "chalk", "version": "5.3.0" }\n',
  "node_modules/chalk/index.js":
    "// TODO: brewSeconds of somebody else\nexport const brewSeconds = 1;\n",
};

export const inventory: Record<string, string> = {
  "README.md": "# Inventory\n\nKeeps track of what is in the warehouse.\n",
  "pyproject.toml": `[project]
name = "inventory"
version = "0.3.0"
dependencies = [
  "requests>=2.31",
  "rich",
]

[project.optional-dependencies]
test = ["pytest>=8"]
`,
  "inventory/__init__.py": "",
  "inventory/__main__.py": `"""Command line of the inventory."""

from inventory.store import Store

if __name__ == "__main__":
    print(Store().total())
`,
  "inventory/store.py": `"""The stock of a warehouse."""


class Store:
    """Items and how many of each there are."""

    def __init__(self):
        self.items = {}

    def add_item(self, name, count=1):
        """Adds to what is there. FIXME: refuse fractions."""
        if count < 0:
            raise ValueError("count must not be negative")
        self.items[name] = self.items.get(name, 0) + count

    def total(self):
        return sum(self.items.values())
`,
  "inventory/load.py": `from inventory.store import Store


def load_items(path):
    store = Store()
    with open(path) as lines:
        for line in lines:
            store.add_item(line.strip())
    return store
`,
  "tests/test_store.py": `from inventory.store import Store


def test_total():
    store = Store()
    store.add_item("bolt", 2)
    assert store.total() == 2
`,
  "venv/lib/python3.12/site-packages/rich/store.py":
    "class Store:\n    pass  # TODO of somebody else\n",
};

export const linkCheck: Record<string, string> = {
  "README.md": "# linkcheck\n\nFinds dead links on a website.\n",
  "go.mod": `module example.com/linkcheck

go 1.23

require golang.org/x/net v0.34.0

require (
	github.com/fatih/color v1.18.0
)
`,
  Makefile: "lint:\n\techo 0 errors\n",
  "main.go": `package main

import "example.com/linkcheck/internal/crawl"

const port = "8080"

func main() {
	crawl.Start(port)
}
`,
  "internal/crawl/crawl.go": `// Package crawl visits pages and follows their links.
package crawl

import "errors"

// Crawler remembers which pages were visited.
type Crawler struct {
	visited map[string]bool
}

// Visit reads one page and returns an error for a dead link.
func (c *Crawler) Visit(page string) error {
	if c.visited[page] {
		return errors.New("page was visited before")
	}
	c.visited[page] = true
	return nil
}

// Start crawls from the first page.
func Start(port string) {
	(&Crawler{visited: map[string]bool{}}).Visit(port)
}
`,
  "vendor/github.com/fatih/color/color.go":
    "package color\n\n// TODO of somebody else\nfunc Visit() {}\n",
};
