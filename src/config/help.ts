import { flagLines } from "./flag-options.ts";

/** The text of `mini-claude --help`. */
export const helpText = `mini-claude: a coding agent for the terminal whose context you can see, steer, scroll and undo.

  mini-claude [flags] [prompt]     work in this folder
  mini-claude -p "prompt"          print the answer and exit; the prompt may come from standard input
  mini-claude sessions ...         list, search, show, export or prune sessions; see what runs now
  mini-claude import FILE|DIR      import sessions of Claude Code and Codex
  mini-claude doctor               check what works on this machine
  mini-claude auth status          the model's provider and the source of its key; --json
  mini-claude update               install the latest version; --check only looks for it
  mini-claude acp                  serve an editor over the Agent Client Protocol
  mini-claude trust [FOLDER]       trust the files of a folder; --list, --remove
  mini-claude help TOPIC           the manual: start, screen, context, cost, permissions, sessions, settings,
                                   headless, editors, mcp, hooks, commands, conventions, measured,
                                   troubleshooting, uninstall
  mini-claude mcp ...              add, list, get, remove, approve and log in to MCP servers

${flagLines().join("\n")}

Exit codes: 0 done, 1 failed, 2 usage error; 129, 130 or 143 ended by SIGHUP, SIGINT or SIGTERM.
`;
