#!/usr/bin/env -S ORIG_NODE_ENV=${NODE_ENV} NODE_ENV=production bun --no-env-file --config=/dev/null --tsconfig-override=/dev/null
// The flags of the shebang keep the opened folder from having a say in how we start: Bun would load
// its .env, the preloads of its bunfig.toml and the JSX settings of its tsconfig.json.
import { parseFlags } from "./config/flags.ts";
import { main } from "./cli/main.ts";
import { takeEnvironment } from "./config/take-environment.ts";

const env = await takeEnvironment();
process.exitCode = await main(() => parseFlags(process.argv.slice(2)), env, process.cwd());
