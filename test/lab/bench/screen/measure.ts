/** Every figure of the screen, beside the same figure of a bare Ink app and of `cat`, in one run. */

import { startModel } from "./model.ts";
import { Program, type Costs, type Echo } from "./program.ts";
import { place, type Place } from "./session.ts";
import { prepareBareInk } from "./start-bare-ink.ts";

export type Figure = {
  name: string;
  unit: string;
  value: number;
  cat?: number;
  ink?: number;
  /** The same figure of another version of the program. */
  before?: number;
};

export type Size = {
  starts: number;
  keys: number;
  tokens: number;
  turns: number;
  items: number;
  entries: number;
  codeLines: number;
  idleSeconds: number;
};

export const sizes = {
  full: {
    starts: 5,
    keys: 40,
    tokens: 2_000,
    turns: 200,
    items: 10_000,
    entries: 100_000,
    codeLines: 2_000,
    idleSeconds: 5,
  },
  quick: {
    starts: 2,
    keys: 12,
    tokens: 300,
    turns: 20,
    items: 2_000,
    entries: 20_000,
    codeLines: 500,
    idleSeconds: 2,
  },
} satisfies Record<string, Size>;

/** A program is idle once it has thrown away what only its start needed. */
const settleMs = 2_000;

/** Bun collects all garbage when a program has been idle for 10 seconds, and returns the memory. */
const afterCollectionMs = 12_000;

const startCat = (): Program =>
  new Program(["sh", "-c", "stty raw -echo; printf 'Ask '; exec cat"]);

type Bare = {
  startInk(): Program;
  cat: Echo;
  ink: Echo;
  inkStream: Costs;
  inkTokens: number;
  inkMemory: number;
};

/** `before`: the program of another version, measured in turns with this one; null: none. */
export async function measure(size: Size, before: string | null): Promise<Figure[]> {
  const model = startModel();
  const bareInk = await prepareBareInk();
  const startInk = bareInk.start;
  const now = await place(model.url);
  const then = before === null ? null : await place(model.url, before);
  try {
    const starts = [now.start, startCat, startInk, ...(then ? [then.start] : [])];
    const [ms = 0, catMs = 0, inkMs = 0, thenMs] = await startTimes(
      starts.map((from) => ({ from, to: (program) => program.firstKeyMs() })),
      size,
    );
    const cat = startCat();
    const ink = startInk();
    const inkTokens = size.tokens / 4;
    await Bun.sleep(settleMs);
    const inkMemory = await ink.memoryMb();
    const bare: Bare = {
      startInk,
      cat: await cat.keys(size.keys),
      ink: await ink.keys(size.keys),
      inkTokens,
      inkMemory,
      inkStream: await ink.costsOf(() => ink.run(`${inkTokens} words a`)),
    };
    await Promise.all([cat.close(), ink.close()]);
    const old = then ? await measureProgram(then, size, bare) : [];
    const figures = [
      { name: "start: first key", unit: "ms", value: ms, cat: catMs, ink: inkMs },
      ...(await measureProgram(now, size, bare)),
    ];
    const earlier = new Map(old.map(({ name, value }) => [name, value]));
    if (thenMs !== undefined) earlier.set("start: first key", thenMs);
    return figures.map((figure) => {
      const was = earlier.get(figure.name);
      return was === undefined ? figure : { ...figure, before: was };
    });
  } finally {
    model.stop();
    bareInk.remove();
    await now.remove();
    await then?.remove();
  }
}

/** Every figure of one program, in a session that grows. */
async function measureProgram({ start, grow }: Place, size: Size, bare: Bare): Promise<Figure[]> {
  const { startInk, inkStream, inkTokens, inkMemory } = bare;
  const figures: Figure[] = [];
  const add = (name: string, unit: string, value: number, base: Partial<Figure> = {}): void =>
    void figures.push({ name, unit, value, ...base });
  const program = start();
  await program.waitFor("Ask");
  await Bun.sleep(settleMs);
  const idleMb = await program.memoryMb();
  const addKeys = async (when: string, of: Program): Promise<void> => {
    const { medianMs, p95Ms, bytes } = await of.keys(size.keys);
    add(`key, ${when}: median`, "ms", medianMs, {
      cat: bare.cat.medianMs,
      ink: bare.ink.medianMs,
    });
    add(`key, ${when}: 95th percentile`, "ms", p95Ms, {
      cat: bare.cat.p95Ms,
      ink: bare.ink.p95Ms,
    });
    if (when !== "while text is streamed")
      add(`key, ${when}: written`, "bytes", bytes, { cat: bare.cat.bytes, ink: bare.ink.bytes });
  };
  const addStream = (where: string, { cpuS, bytes, frames }: Costs, tokens: number): void => {
    const each = { ink: (1_000 * inkStream.cpuS) / inkTokens };
    add(`${where}: CPU of 1,000 tokens`, "s", (1_000 * cpuS) / tokens, each);
    add(`${where}: written for a token`, "bytes", bytes / tokens, {
      ink: inkStream.bytes / inkTokens,
    });
    add(`${where}: frames a second`, "", (100 * frames) / tokens);
  };

  await addKeys("empty session", program);
  const { tokens } = size;
  addStream(
    "answer",
    await program.costsOf(() => program.run(`run:stream ${tokens} 100 s1`)),
    tokens,
  );
  await program.send(`run:stream ${size.keys * 40 + 400} 200 s2`);
  await program.waitFor("Section 1");
  await addKeys("while text is streamed", program);
  await program.waitFor("done-s2");
  await program.send(`run:code ${size.codeLines} ${tokens / 4} 100 s3`);
  // On a busy machine a line may scroll away unseen.
  const findLine = (screen: string): number => Number(/ v(\d+) = /.exec(screen)?.[1] ?? 0);
  await program.waitFor((screen) => findLine(screen) >= size.codeLines - 40);
  await Bun.sleep(1_000);
  const inCode = await program.costsOf(() => program.waitFor("done-s3"));
  addStream(`in ${size.codeLines} lines of code`, inCode, tokens / 4);

  const turns = await program.costsOf(() => program.run(`run:tools ${size.turns} s4`));
  add("tool turn: CPU", "s", turns.cpuS / size.turns);
  add("memory, idle", "MiB", idleMb, { ink: inkMemory });
  add(`memory, ${size.turns} tool turns more`, "MiB", (await program.memoryMb()) - idleMb);
  await Bun.sleep(3_000);
  const idle = await program.costsOf(() => Bun.sleep(size.idleSeconds * 1_000));
  add("idle after them: CPU", "%", (100 * idle.cpuS) / size.idleSeconds);
  add("idle after them: written", "bytes", idle.bytes);
  await Bun.sleep(afterCollectionMs);
  add("memory, once the engine has collected", "MiB", (await program.memoryMb()) - idleMb);
  await program.quit();

  await grow(size.items);
  const long = start("--continue");
  await long.waitFor("Ask");
  await addKeys(`after ${size.items} items`, long);
  add(`memory, ${size.items} items more`, "MiB", (await long.memoryMb()) - idleMb);
  addStream(
    `after ${size.items} items`,
    await long.costsOf(() => long.run(`run:stream ${tokens} 100 s5`)),
    tokens,
  );
  await long.quit();

  await grow(size.entries);
  const resume = (): Program => start("--continue");
  // Opens and closes the log first, since a real one was closed by the program.
  const last = resume();
  await last.waitFor("Ask");
  await last.quit();
  const [keyMs = 0, completeMs = 0, topMs = 0, bareMs = 0] = await startTimes(
    [
      { from: resume, to: (program) => program.firstKeyMs() },
      { from: resume, to: (program) => program.completeMs() },
      { from: resume, to: (program) => program.topMs("100 s1") },
      { from: startInk, to: (program) => program.firstKeyMs() },
    ],
    size,
  );
  const resumed = `start, ${size.entries} entries`;
  add(`${resumed}: first key`, "ms", keyMs, { ink: bareMs });
  add(`${resumed}: complete`, "ms", completeMs, { ink: bareMs });
  add(`${resumed}: at its top`, "ms", topMs, { ink: bareMs });
  return figures;
}

type Start = { from(): Program; to(program: Program): Promise<number> };

/**
 * Alternates between them and takes the best of several runs each, because other load only adds
 * time.
 */
async function startTimes(kinds: readonly Start[], { starts }: Size): Promise<number[]> {
  const best = kinds.map(() => Infinity);
  for (let run = 0; run < starts; run++)
    for (const [index, { from, to }] of kinds.entries()) {
      const program = from();
      best[index] = Math.min(best[index] ?? Infinity, await to(program));
      await program.close();
    }
  return best;
}
