/** The program in this process, with a strict fake of the model's server: run to its end, or driven by a client. */

import { afterAll } from "bun:test";
import { sandbox, type RunOptions } from "../bin.ts";
import { startFakeApi, type Answer, type AnswerBlock } from "../fake-api/index.ts";
import { inProcess } from "../in-process.ts";
import { connectTo, type Line } from "./connect.ts";

type Answers = (Answer | AnswerBlock[])[];
type Options = RunOptions & {
  /** Another model than the one that gives the answers. */
  url?: string;
  prompt?: string;
};

export async function openProgram(name: string) {
  const box = inProcess(await sandbox(name));
  const api = startFakeApi();
  afterAll(async () => {
    await api.stop();
    await box.remove();
  });
  const keys = (url: string) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "sk-ant-test" });
  return {
    box,
    api,
    /** The messages of the latest request to the model. */
    sent: (): string => JSON.stringify(api.bodies.at(-1)?.messages),
    /** `-p`; `messages` is the JSON that it printed. */
    async run(
      flags: string[],
      answers: Answers,
      { url = api.url, prompt = "go", env, ...options }: Options = {},
    ) {
      api.next(...answers);
      const own = { ...keys(url), ...env };
      const ran = await box.run(["-p", ...flags, prompt], { ...options, env: own });
      const messages: Line[] = ran.out
        .split("\n")
        .flatMap((line) => (/^[[{]/.test(line) ? JSON.parse(line) : []));
      const result: Record<string, unknown> = messages.at(-1) ?? {};
      return { ...ran, messages, result };
    },
    connect(answers: Answers, { flags = [] as string[], url = api.url, env = {} } = {}) {
      api.next(...answers);
      return connectTo(box, flags, { ...keys(url), ...env });
    },
  };
}
