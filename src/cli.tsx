#!/usr/bin/env -S ORIG_NODE_ENV=${NODE_ENV} NODE_ENV=production BUN_JSC_forceRAMSize=1073741824 BUN_JSC_useFTLJIT=0 BUN_RUNTIME_TRANSPILER_CACHE_PATH=${HOME}/.cache/mini-claude bun --no-env-file --config=/dev/null --tsconfig-override=/dev/null
// The flags of the shebang keep the opened folder from influencing how we start: Bun would load its
// .env, the preloads of its bunfig.toml and the JSX settings of its tsconfig.json. The engine lets
// garbage grow with the memory that it believes the computer has: 1 GiB instead of 24 saves 7 MiB in
// 200 tool turns and 70 with 500,000 entries, and costs no time. With 512 MiB, those open slower.
// Without the engine's last compiler (FTL), 100,000 entries open with 0.7 of the processor time and
// 7 MiB less: it takes longer to compile than its code saves, also in replays that take a minute.
// Transpiled code is not kept in the cache of packages, which other programs write.
import { quickAnswer } from "./app/quick-answer.ts";
import { fitHelp } from "./base/fit.ts";

/**
 * How many times as often as usual code must run before it is compiled to machine code. With 12 times,
 * 200 tool turns take 3 MiB more, and 100,000 entries open a seventh sooner; with a hundred times, they
 * take a third longer.
 */
const jitReluctance = 20;

const args = process.argv.slice(2);
const answer = quickAnswer(args);
if (answer !== null) process.stdout.write(fitHelp(answer));
// A process of its own that a compiled program starts; reading ends with it.
else if (args[0] === "--pages-of-pdf") await import("./tools/files/pdf.ts");
else {
  Bun.unsafe.setJITPolicy(jitReluctance);
  const { takeEnvironment } = await import("./config/credentials.ts");
  const env = await takeEnvironment();
  const { parseFlags } = await import("./config/flags.ts");
  const { main } = await import("./app/main.ts");
  process.exitCode = await main(
    () => parseFlags(args),
    env,
    () => process.cwd(),
  );
}
