/**
 * The modules of `src/` that tests may import: whatever moves behind them changes no test.
 * A name that ends in a slash stands for every module of the folder.
 */
export const doors: Record<string, string> = {
  "protocol/": "the vocabulary: entries, blocks, events, commands, policy, model rules",
  "base/": "small functions without a subject",

  "config/flags.ts": "the command line as values",
  "config/settings.ts": "the settings: read and merged, listed to edit, saved",
  "config/paths.ts": "where files lie, and the environment that says so",

  "log/store.ts": "the log of a session: written, read, forked, imported",
  "log/catalog.ts": "the sessions of a folder: listed, searched, opened and removed",
  "log/checkpoints.ts": "contents of files, stored by hash",

  "context/view/view.ts": "the view of a log: rows, cuts, tokens",
  "context/meter/meter.ts": "how full the window is, and whether the server caches it",
  "context/meter/cache.ts": "the price of a cut, of its undo, and of the next prompt",
  "context/summary/compose.ts": "the text that replaces what a summary covers",
  "context/ladder.ts": "which cut is due",
  "context/forecast.ts": "which cut comes next, when, and at what price after a pause",
  "context/request.ts": "the request that the model receives for a view",

  "agent/agent.ts": "the agent: commands in, events out",
  "agent/compaction/at-boundary.ts": "the ladder as a hook of the loop",

  "model/client.ts": "a model: a request in, events out, or its error",
  "model/catalog.ts": "known models: windows, prices, abilities",
  "model/anthropic/messages.ts": "the Messages API, and the clouds that speak it",
  "model/openai/client.ts": "servers that speak OpenAI's API",
  "model/offline/client.ts": "the model without a key",

  "trust/judge.ts": "may this call run",
  "trust/rules/rules.ts": "permission rules of settings and session",
  "trust/sandbox/sandbox.ts": "commands in the sandbox",
  "trust/project/project.ts": "what of a project is trusted",

  "snapshots/snapshots.ts": "the state of the workspace, kept in git objects",
  "snapshots/rewind.ts": "files back to an earlier state",

  "tools/tool.ts": "a tool: schema, intent, run",
  "tools/toolbox.ts": "the built-in tools, ready to run",

  "extensions/hooks/registry.ts": "hooks: register, run, add up what they say",
  "extensions/mcp/hub.ts": "MCP servers and their tools",
  "extensions/instructions/instructions.ts": "AGENTS.md and CLAUDE.md",
  "extensions/commands/prompt-files.ts": "commands, skills and agents written as Markdown",
  "extensions/diagnostics/diagnostics.ts": "language servers: told of edits, asked for new errors",

  "run/open-run.ts": "a session opened: log, model, tools, agent",
  "headless/library/agent.ts": "the package: an agent",
  "headless/library/context.ts": "the package: the context engine",
  "ui/app.ts": "the screen from start to end",
  "ui/mounted-screen.ts": "the screen as an Ink application, without a terminal",
  "ui/theme.ts": "colors by meaning",
  "ui/terminal/painter.ts": "rows as output that changes what is shown",
  "ui/terminal/terminal-input.ts": "what a terminal sends, as keys",
  "app/main.ts": "the program",
  "release/compile.ts": "the program for each system",
  "release/packages.ts": "the packages of a release",
  "commands/import/import.ts": "sessions of Claude Code and Codex as sessions of ours",
  "app/services/create-services.ts": "what the screen gets from the disk and from other programs",
};
