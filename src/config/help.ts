/** What `mini-claude --help` prints. */
export const helpText = `mini-claude: a coding agent for the terminal whose context you can see, steer, scroll and take back.

  mini-claude [flags] [prompt]     work in this folder
  mini-claude -p "prompt"          answer without a screen; the prompt may also come on standard input
  mini-claude sessions ...         list, show, export, prune what is kept
  mini-claude import FILE|DIR      bring sessions of Claude Code, pi and Codex here
  mini-claude replay ...           what a policy would have sent and cost, from recorded sessions

  -c, --continue                   go on with the latest session of this folder
  -r, --resume [ID]                choose a session, or go on with that one; the beginning of its name is enough
  -p, --print                      no screen: print the answer and leave
      --output-format FORMAT       text, json, or stream-json (one event a line)
      --model NAME                 default claude-sonnet-5-5
      --offline                    the built-in model: no key, no network
      --provider NAME              auto, anthropic, openai, offline
      --base-url URL               a server that speaks the Messages API or OpenAI's
      --window TOKENS              size of the context window, where nobody else knows it
      --permission-mode MODE       default, accept-edits, plan, bypass
      --add-dir FOLDER             let the tools use this folder too (repeatable)
      --screen-reader              words on the normal screen, for who listens
      --debug                      write a debug log (or MINI_CLAUDE_DEBUG=FILE)
      --verbose                    show stack traces
  -h, --help    -v, --version

Exit codes: 0 done, 1 failed, 2 wrong use, 130 interrupted.
`;
