/** What `mini-claude --help` prints. */
export const helpText = `mini-claude: a coding agent for the terminal whose context you can see, steer, scroll and undo.

  mini-claude [flags] [prompt]     work in this folder
  mini-claude -p "prompt"          print the answer and exit; the prompt may come from standard input
  mini-claude sessions ...         list, search, show, export or prune sessions; see what runs now
  mini-claude import FILE|DIR      import sessions of other agents: Claude Code, Codex, pi
  mini-claude doctor               check what works on this machine
  mini-claude auth status          the model's provider and the source of its key; --json
  mini-claude update               install the latest version; --check only looks for it
  mini-claude acp                  serve an editor over the Agent Client Protocol
  mini-claude trust [FOLDER]       trust the files of a folder; --list, --remove
  mini-claude help TOPIC           the manual: start, screen, context, cost, permissions, sessions, settings,
                                   headless, editors, mcp, hooks, commands, conventions, measured,
                                   troubleshooting, uninstall
  mini-claude mcp ...              add, list, get, remove, approve and log in to MCP servers

  -c, --continue                   resume the latest session of this folder
  -r, --resume [ID]                resume a session by a unique prefix of its ID; without one, list them
  -p, --print                      print the answer and exit
      --output-format FORMAT       text, json, stream-json (as Claude Code), events (the agent's own)
      --input-format stream-json   read messages and control requests, one JSON object per line
      --include-partial-messages   print the answer as it arrives (stream-json)
      --replay-user-messages       print accepted messages (stream-json)
      --json-schema SCHEMA         answer with an object of this JSON schema
      --max-turns N                stop after N model calls
      --max-budget-usd USD         stop when this much is spent
      --permission-prompt-tool T   who approves: stdio (the client) or an MCP tool
      --no-session-persistence     do not save the session (with -p)
      --agents JSON                subagents for this run: {"name": {"description", "prompt", "tools"}}
      --session-id UUID            ID of the new session
      --fork-session               with --resume or --continue: continue in a copy
  -m, --model NAME                 claude-sonnet-5-5 by default; also sonnet, opus, haiku
      --fallback-model NAME        used while the model is overloaded
      --effort LEVEL               low, medium, high, xhigh, max: how much effort goes into an answer
      --offline                    the built-in model: no key, no network
      --provider NAME              anthropic, bedrock, vertex, openai, openrouter, …, offline
      --base-url URL               a server that speaks the Messages API or OpenAI's
      --window TOKENS              context window size, if it cannot be detected or to use less
      --permission-mode MODE       default, accept-edits, auto, plan, bypass, dont-ask
      --dangerously-skip-permissions   the same as --permission-mode bypass
      --allowedTools RULES         allow without approval: Read "Bash(git log:*)"
      --disallowedTools RULES      deny in every mode
      --tools NAMES                the only tools offered; "" for none
      --system-prompt TEXT         replaces the built-in one (or --system-prompt-file FILE)
      --append-system-prompt TEXT  added to it (or --append-system-prompt-file FILE)
      --settings FILE|JSON         additional settings
      --setting-sources LIST       whose files are read: user, project, local
  -w, --worktree NAME              work in a git worktree of that name, created if needed
      --trust                      trust this folder's files for this run
      --add-dir FOLDER             let the tools use this folder too (repeatable)
      --mcp-config FILE|JSON       MCP servers for this run (repeatable); --strict-mcp-config: no others
      --screen-reader              plain text, for screen-reader users
      --debug                      write a debug log (or MINI_CLAUDE_DEBUG=FILE)
      --verbose                    print stack traces
  -h, --help    -v, --version

Exit codes: 0 done, 1 failed, 2 usage error; 129, 130 or 143 ended by SIGHUP, SIGINT or SIGTERM.
`;
