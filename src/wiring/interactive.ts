import { Channel } from "../agent/channel.ts";
import { detectLocalServers } from "../model/detect.ts";
import type { Command } from "../protocol/command.ts";
import { runScreen } from "../tui/screen.tsx";
import { chooseLog } from "./choose-log.ts";
import type { StartParts } from "./headless.ts";
import { noticesFor } from "./notices.ts";
import { prepareRun } from "./run.ts";
import { createServices } from "./services.ts";

/** The agent on the whole screen, until the person leaves it. */
export async function runInteractive(parts: StartParts): Promise<number> {
  const { flags, settings, problems, paths, env, cwd } = parts;
  const log = await chooseLog(flags.resume, paths);
  const run = await prepareRun({ ...parts, log });
  const commands = new Channel<Command>();
  const servers =
    run.model.label === "offline" ? await detectLocalServers({ patienceMs: 150 }) : [];
  try {
    const { lastAnswer, code } = await runScreen({
      events: run.agent(commands),
      send: (command) => commands.push(command),
      history: [...log.path],
      label: run.model.label,
      model: run.modelName,
      cwd,
      session: log.session,
      logFile: log.file,
      rules: run.rules,
      policy: settings.policy,
      settings,
      services: createServices({ cwd, env, settings, paths }),
      ...(flags.prompt === "" ? {} : { firstPrompt: flags.prompt }),
      notices: [...problems, ...log.repairs, ...noticesFor(run.model.label, servers)],
    });
    if (lastAnswer !== "") process.stdout.write(`${lastAnswer}\n\n`);
    if (log.path.length > 0)
      process.stdout.write(`Go on with: mini-claude --resume ${log.session}\n`);
    return code;
  } finally {
    commands.push({ type: "stop" });
    commands.close();
    await run.close();
  }
}
