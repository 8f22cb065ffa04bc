#!/usr/bin/env -S ORIG_NODE_ENV=${NODE_ENV} NODE_ENV=production BUN_RUNTIME_TRANSPILER_CACHE_PATH=${HOME}/.cache/mini-claude bun --no-env-file --config=/dev/null --tsconfig-override=/dev/null
// The flags of the shebang keep the opened folder from influencing how we start: Bun would load its
// .env, the preloads of its bunfig.toml and the JSX settings of its tsconfig.json. Transpiled code is
// not kept in the cache of packages, which other programs write.
import { quickAnswer } from "./app/quick-answer.ts";
import { fitHelp } from "./base/fit.ts";

const args = process.argv.slice(2);
const answer = quickAnswer(args);
if (answer !== null) process.stdout.write(fitHelp(answer));
// A process of its own that a compiled program starts; reading ends with it.
else if (args[0] === "--pages-of-pdf") await import("./tools/files/pdf.ts");
else {
  const { hideMemory } = await import("./base/hide-memory.ts");
  hideMemory();
  const { takeEnvironment } = await import("./config/credentials.ts");
  const env = takeEnvironment();
  const { parseFlags } = await import("./config/flags.ts");
  const { main } = await import("./app/main.ts");
  process.exitCode = await main(
    () => parseFlags(args),
    env,
    () => process.cwd(),
  );
}
