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

/** A command line program in TypeScript. */
export const notesCli: Record<string, string> = {
  "README.md":
    '# Jot\n\nKeeps short notes in the terminal.\n\n## Install\n\n```sh\nnpm install -g jot\n```\n\n## Usage\n\n```sh\njot add "buy milk"\njot list --all\n```\n',
  "package.json": `{
  "name": "jot",
  "version": "0.1.0",
  "license": "MIT",
  "bin": { "jot": "src/cli.ts" },
  "engines": { "node": ">=20" },
  "scripts": {
    "start": "node src/cli.ts",
    "test": "echo 4 passed, 0 failed"
  },
  "dependencies": {
    "commander": "^12.1.0"
  }
}
`,
  "src/cli.ts": `import { parseArgs } from "node:util";
import { addNote, listNotes } from "./notes.ts";
import { writeLog } from "./log.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: "boolean" }, verbose: { type: "boolean", short: "v" } },
});

const [command, text = ""] = positionals;
if (command === "add") addNote(text);
else listNotes(values.all ?? false);
if (values.verbose) writeLog(\`\${command} done\`);
`,
  "src/notes.ts": `/** Notes, newest first. */
export type Note = { text: string; at: number };

const notes: Note[] = [];

/** Adds a note. Throws for an empty one. */
export function addNote(text: string): void {
  if (text === "") throw new Error("A note needs a text.");
  notes.unshift({ text, at: Date.now() });
}

export function listNotes(all: boolean): void {
  for (const note of all ? notes : notes.slice(0, 10)) console.log(note.text);
}
`,
  "src/log.ts": `import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { homedir } from "node:os";

const logFile = join(homedir(), ".jot", "jot.log");

function formatLine(message: string): string {
  return \`\${new Date().toISOString()} \${message}\\n\`;
}

/** Appends a line to the log. */
export function writeLog(message: string): void {
  // TODO: rotate the log
  appendFileSync(logFile, formatLine(message));
}
`,
  "test/notes.test.ts": `import { addNote } from "../src/notes.ts";\n\naddNote("one");\n`,
};

/** A Python package. */
export const shelfPackage: Record<string, string> = {
  "README.md":
    "# shelf\n\nA small library to keep track of books.\n\n## Usage\n\n```python\nfrom shelf import Shelf\n```\n",
  "pyproject.toml": `[project]
name = "shelf"
version = "1.0.0"
description = "Keeps track of books"
requires-python = ">=3.11"
authors = [{ name = "Ada Reader", email = "ada@example.com" }]
dependencies = ["click>=8"]

[project.scripts]
shelf = "shelf.cli:main"

[tool.pytest.ini_options]
testpaths = ["tests"]
`,
  "requirements.txt": "click>=8\n",
  "shelf/__init__.py": `from shelf.books import Shelf\n`,
  "shelf/books.py": `"""Books and where they are."""


class BookNotFound(Exception):
    """No book has this title."""


class Shelf:
    """A row of books."""

    def __init__(self):
        self.books = []

    def add_book(self, title):
        """Puts a book at the end."""
        self.books.append(title)

    def find(self, title):
        # FIXME: ignore case
        if title not in self.books:
            raise BookNotFound(title)
        return self.books.index(title)
`,
  "shelf/cli.py": `"""The command line."""

import click

from shelf.books import Shelf

GREETING = "Welcome"


@click.command()
@click.option("--title", default="Dune")
def main(title):
    shelf = Shelf()
    shelf.add_book(title)
    click.echo(f"{GREETING}: {shelf.find(title)}")
`,
  "tests/test_books.py": `from shelf.books import Shelf


def test_add_book():
    shelf = Shelf()
    shelf.add_book("Dune")
    assert shelf.find("Dune") == 0
`,
};

/** A web server in Rust. */
export const shopServer: Record<string, string> = {
  "README.md":
    "# Corner shop\n\nA web shop in one binary.\n\nStart it with `cargo run`, then open http://localhost:3000.\n",
  "Cargo.toml": `[package]
name = "corner-shop"
version = "0.3.1"
edition = "2021"

[dependencies]
axum = "0.7"
tokio = { version = "1", features = ["full"] }
`,
  "src/main.rs": `//! The web server of the shop.

mod cart;

use axum::{routing::get, Router};

const PORT: u16 = 3000;

#[tokio::main]
async fn main() {
    let app = Router::new()
        .route("/", get(index))
        .route("/cart", get(cart::show));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", PORT)).await.unwrap();
    axum::serve(listener, app).await.unwrap();
}

async fn index() -> &'static str {
    include_str!("../static/index.html")
}
`,
  "src/cart.rs": `/// What a customer is about to buy.
pub struct Cart {
    pub items: Vec<String>,
}

impl Cart {
    /// Adds an item.
    pub fn add(&mut self, item: &str) {
        self.items.push(item.to_string());
    }
}

pub async fn show() -> &'static str {
    // TODO: show the items
    "empty"
}
`,
  "static/index.html": `<!doctype html>
<html>
  <head><title>Shop</title></head>
  <body><h1>Welcome to the shop</h1></body>
</html>
`,
  ".github/workflows/ci.yml":
    "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: cargo test\n",
  ".env": "SECRET_KEY=do-not-show\n",
  ".gitignore": "target\n.env\n",
};
