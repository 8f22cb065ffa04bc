/** Projects of three kinds, as a stranger has them: a Python package, a Go service, a React app. */

export const loanPackage: Record<string, string> = {
  "README.md": `# shelf

Keep track of the books you lend.

## Install

    pip install -e .

## Use

    shelf lend "Dune" --to Ben
    shelf list
`,
  "pyproject.toml": `[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "shelf"
version = "1.4.2"
description = "Keep track of the books you lend."
requires-python = ">=3.11"
license = "MIT"
authors = [{ name = "Ada Brook" }]
dependencies = ["click>=8.1", "rich"]

[project.optional-dependencies]
dev = ["pytest", "ruff"]

[project.scripts]
shelf = "shelf.cli:main"

[tool.ruff]
line-length = 100
`,
  "src/shelf/__init__.py": `"""Keep track of the books you lend."""

__version__ = "1.4.2"
`,
  "src/shelf/cli.py": `"""The command line."""

import os

import click

from .store import BookStore, NotLent

DEFAULT_DAYS = 21


@click.group()
def main() -> None:
    """Lend books and get them back."""


@main.command()
@click.argument("title")
@click.option("--to", required=True, help="Who borrows it.")
@click.option("--days", default=DEFAULT_DAYS)
def lend(title: str, to: str, days: int) -> None:
    """Lend a book."""
    store = BookStore(os.environ.get("SHELF_DB", "shelf.json"))
    store.lend(title, to, days)
    click.echo(f"{title} lent to {to}")


@main.command()
@click.argument("title")
def back(title: str) -> None:
    """Take a book back."""
    try:
        BookStore(os.environ.get("SHELF_DB", "shelf.json")).take_back(title)
    except NotLent as error:
        raise click.ClickException(str(error))


# TODO: list overdue books
`,
  "src/shelf/store.py": `"""Books on disk, as JSON."""

import json
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path


class NotLent(Exception):
    """The book is on the shelf."""


@dataclass
class Loan:
    title: str
    to: str
    due: date


class BookStore:
    """All loans, in one file."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)

    def lend(self, title: str, to: str, days: int) -> Loan:
        loan = Loan(title, to, date.today() + timedelta(days=days))
        self._save([*self._load(), loan])
        return loan

    def take_back(self, title: str) -> None:
        loans = self._load()
        left = [loan for loan in loans if loan.title != title]
        if len(left) == len(loans):
            raise NotLent(f"{title} is not lent")
        self._save(left)

    def _load(self) -> list[Loan]:
        if not self.path.exists():
            return []
        return [Loan(x["title"], x["to"], date.fromisoformat(x["due"])) for x in json.loads(self.path.read_text())]

    def _save(self, loans: list[Loan]) -> None:
        self.path.write_text(json.dumps([{**loan.__dict__, "due": loan.due.isoformat()} for loan in loans]))
`,
  "tests/test_store.py": `from shelf.store import BookStore, NotLent
import pytest


def test_lend(tmp_path):
    assert BookStore(tmp_path / "a.json").lend("Dune", "Ben", 3).to == "Ben"


def test_back_unknown(tmp_path):
    with pytest.raises(NotLent):
        BookStore(tmp_path / "a.json").take_back("Dune")
`,
};

export const pingService: Record<string, string> = {
  Makefile: `.PHONY: build test run
build:
	go build -o bin/pinger ./cmd/server
test:
	go test ./...
run:
	go run ./cmd/server
`,
  "cmd/server/handlers.go": `package main

import (
	"encoding/json"
	"net/http"

	"example.com/pinger/internal/store"
)

// listResults writes all results as JSON.
func listResults(s *store.Store) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(s.All())
	}
}

// addHost adds a host to ping.
func addHost(s *store.Store) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		host := r.FormValue("host")
		if host == "" {
			http.Error(w, "host is missing", http.StatusBadRequest)
			return
		}
		s.Add(host)
	}
}
`,
  "cmd/server/main.go": `// Command server pings hosts and serves the results.
package main

import (
	"log"
	"net/http"
	"os"
	"time"

	"example.com/pinger/internal/store"
	"github.com/go-chi/chi/v5"
)

const defaultAddr = ":8080"

func main() {
	addr := os.Getenv("PINGER_ADDR")
	if addr == "" {
		addr = defaultAddr
	}
	s := store.New(100)
	r := chi.NewRouter()
	r.Get("/results", listResults(s))
	r.Post("/hosts", addHost(s))
	log.Printf("listening on %s", addr)
	if err := http.ListenAndServe(addr, r); err != nil {
		log.Fatalf("server failed: %v", err)
	}
}

// pingTimeout limits one ping.
const pingTimeout = 3 * time.Second
`,
  "go.mod": `module example.com/pinger

go 1.23

require github.com/go-chi/chi/v5 v5.1.0
`,
  "internal/store/store.go": `// Package store keeps the newest results in memory.
package store

import "sync"

// Result is the outcome of a ping.
type Result struct {
	Host string
	OK   bool
}

// Store is safe for concurrent use.
type Store struct {
	mu      sync.Mutex
	max     int
	results []Result
}

// New returns a store for up to max results.
func New(max int) *Store { return &Store{max: max} }

// Add appends a result for the host.
func (s *Store) Add(host string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results = append(s.results, Result{Host: host})
	if len(s.results) > s.max {
		s.results = s.results[1:]
	}
}

// All returns a copy.
func (s *Store) All() []Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Result(nil), s.results...)
}
`,
  "internal/store/store_test.go": `package store

import "testing"

func TestAdd(t *testing.T) {
	s := New(1)
	s.Add("a")
	s.Add("b")
	if got := s.All(); len(got) != 1 || got[0].Host != "b" {
		t.Fatal(got)
	}
}
`,
};

export const taskApp: Record<string, string> = {
  "package.json": `{
  "name": "tasklist",
  "version": "0.1.0",
  "private": true,
  "type": "module",
  "scripts": {
    "dev": "vite",
    "build": "tsc && vite build",
    "test": "vitest run",
    "lint": "eslint src"
  },
  "dependencies": {
    "react": "^19.0.0",
    "react-dom": "^19.0.0"
  },
  "devDependencies": {
    "typescript": "^5.7.0",
    "vite": "^6.0.0",
    "vitest": "^3.0.0"
  }
}
`,
  "src/App.tsx": `import { useState } from "react";
import { AddForm } from "./components/AddForm";
import { TaskRow } from "./components/TaskRow";
import { useTasks } from "./useTasks";

export function App() {
  const { tasks, add, toggle, remove } = useTasks();
  const [filter, setFilter] = useState<"all" | "open">("all");
  const shown = tasks.filter((t) => filter === "all" || !t.done);
  return (
    <main>
      <h1>Tasks</h1>
      <AddForm onAdd={add} />
      <button className="filter" onClick={() => setFilter(filter === "all" ? "open" : "all")}>
        {filter}
      </button>
      {shown.map((t) => (
        <TaskRow key={t.id} task={t} onToggle={toggle} onRemove={remove} />
      ))}
    </main>
  );
}
`,
  "src/components/AddForm.tsx": `import { useState } from "react";

export function AddForm({ onAdd }: { onAdd(title: string): void }) {
  const [title, setTitle] = useState("");
  return (
    <form onSubmit={(e) => { e.preventDefault(); onAdd(title); setTitle(""); }}>
      <input value={title} onChange={(e) => setTitle(e.target.value)} placeholder="What needs doing?" />
    </form>
  );
}
`,
  "src/components/TaskRow.tsx": `import type { Task } from "../useTasks";

export function TaskRow({ task, onToggle, onRemove }: { task: Task; onToggle(id: string): void; onRemove(id: string): void }) {
  return (
    <div className={task.done ? "done" : ""}>
      <input type="checkbox" checked={task.done} onChange={() => onToggle(task.id)} />
      {task.title}
      <button onClick={() => onRemove(task.id)}>x</button>
    </div>
  );
}
`,
  "src/useTasks.ts": `import { useEffect, useState } from "react";

export interface Task {
  id: string;
  title: string;
  done: boolean;
}

const STORAGE_KEY = "tasks";

/** Tasks, kept in localStorage. */
export function useTasks() {
  const [tasks, setTasks] = useState<Task[]>(() => JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]"));
  useEffect(() => localStorage.setItem(STORAGE_KEY, JSON.stringify(tasks)), [tasks]);
  const add = (title: string) => setTasks([...tasks, { id: crypto.randomUUID(), title, done: false }]);
  const toggle = (id: string) => setTasks(tasks.map((t) => (t.id === id ? { ...t, done: !t.done } : t)));
  const remove = (id: string) => setTasks(tasks.filter((t) => t.id !== id));
  return { tasks, add, toggle, remove };
}
`,
  "tests/useTasks.test.ts": `import { expect, test } from "vitest";

test("nothing yet", () => expect([]).toEqual([]));
`,
};
