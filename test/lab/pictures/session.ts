/**
 * Makes the README's moving picture, `session.svg`: a session of the real program in a terminal in memory,
 * with a scripted model: a question, an edit, a compaction, scrolling back, the undo.
 */

import { join } from "node:path";
import { call, say, startFakeApi, type ApiRequest, type Responder } from "../../fake-api/index.ts";
import { idle, program } from "../../ui/program.ts";
import { darkInk, rowToSvg, svgPage } from "./svg.ts";

const size = { cols: 96, rows: 26 };

const modules = ["lexer", "parser", "printer"];

const source = (name: string): string =>
  [
    `/** The ${name} of the calculator. */`,
    ...Array.from({ length: 60 }, (_, at) => [
      "",
      `/** Step ${at + 1} of the ${name}: returns what is left of the input. */`,
      `export const ${name}Step${at + 1} = (input: string): string => input.slice(${at + 1});`,
    ]).flat(),
    "",
  ].join("\n");

const precedence = `/** Binds tighter the higher it is. */
export function rank(operator: string): number {
  if (operator === "+" || operator === "-") return 1;
  if (operator === "*") return 2;
  return 0;
}
`;

const questions = ["where is precedence decided?", "division is missing, please add it"];

const answers = [
  [
    say("I'll look at where operators are ranked.", {
      content: [call("Grep", { pattern: "rank\\(", path: "src", output_mode: "content" })],
    }),
    say("", {
      content: ["rank", ...modules].map((name) => call("Read", { file_path: `src/${name}.ts` })),
    }),
    say("In `rank` (`src/rank.ts:2`): it gives each operator a number, the parser compares them."),
  ],
  [
    say("", {
      content: [
        call("Edit", {
          file_path: "src/rank.ts",
          old_string: 'if (operator === "*") return 2;',
          new_string: 'if (operator === "*" || operator === "/") return 2;',
        }),
      ],
    }),
    say("", { content: [call("Bash", { command: "grep -c operator src/rank.ts" })] }),
    say("Done: division binds as tightly as multiplication now."),
  ],
];

const responder: Responder = ({ messages }) => {
  const asked = messages.findLastIndex(isQuestion);
  const step = messages.slice(asked).filter(({ role }) => role === "assistant").length;
  const turn = JSON.stringify(messages[asked]?.content).includes(questions[0] ?? "") ? 0 : 1;
  return answers[turn]?.[step] ?? say("");
};

const isQuestion = ({ content }: ApiRequest["messages"][number]): boolean =>
  questions.some((question) => JSON.stringify(content).includes(question));

/** What the screen shows from a moment on, as pieces of SVG, one for each row. */
type Frame = { seconds: number; rows: string[] };

export async function recordSession(): Promise<string> {
  const on = await program("calculator");
  for (const name of modules) await Bun.write(join(on.folder, `src/${name}.ts`), source(name));
  await Bun.write(join(on.folder, "src/rank.ts"), precedence);
  const api = startFakeApi({ responder, model: { windowTokens: 60_000 } });
  const pty = await on.open({
    args: ["--permission-mode", "accept-edits"],
    ...size,
    isKept: true,
    env: { ANTHROPIC_API_KEY: "sk-ant-test", ANTHROPIC_BASE_URL: api.url },
  });
  const frames: Frame[] = [];
  const show = (seconds: number): void => {
    const rows = Array.from({ length: size.rows }, (_, row) => rowToSvg(pty, row, darkInk));
    frames.push({ seconds, rows });
  };
  const enter = async (text: string, done: string): Promise<void> => {
    let typed = "❯ ";
    for (const word of text.match(/\S+\s*/g) ?? []) {
      typed += word;
      await pty.type(word);
      await pty.waitFor(typed.trim());
      show(0.25);
    }
    await pty.press("enter");
    await pty.waitFor((now) => now.includes(done) && idle.test(now));
  };
  const press = async (chord: string, shown: string): Promise<void> => {
    await pty.press(chord);
    await pty.waitFor(shown);
  };

  show(1.5);
  for (const [turn, question] of questions.entries()) {
    await enter(question, turn === 0 ? "compares them." : "as multiplication now.");
    show(3);
  }
  await press("ctrl+s", "Enter compact");
  await pty.waitFor(/Kept: /);
  show(2.5);
  // It is preselected where it frees as much as a summary.
  if (!pty.screen().includes("❯ Clear")) await press("down", "❯ Clear");
  show(2.5);
  await press("enter", "by you");
  await pty.waitFor(idle);
  show(2.5);
  await press("pageup", "more below");
  show(3.5);
  await press("ctrl+end", "by you");
  await enter("/undo-compact", "Compaction undone");
  await pty.waitFor(/1\dk of/);
  show(3.5);
  await pty.close();
  await api.stop();
  await on.remove();
  return animate(frames);
}

/**
 * Each row is drawn once for each time that it stays the same, and shown for that time; a viewer that shows
 * no animations has the first frame.
 */
function animate(frames: readonly Frame[]): string {
  const total = frames.reduce((sum, { seconds }) => sum + seconds, 0);
  const starts = frames.map((_, at) =>
    frames.slice(0, at).reduce((sum, { seconds }) => sum + seconds, 0),
  );
  const spans = new Map<string, string[]>();
  for (let row = 0; row < size.rows; row++) {
    let from = 0;
    for (let at = 1; at <= frames.length; at++) {
      const drawn = frames[from]?.rows[row] ?? "";
      if (at < frames.length && frames[at]?.rows[row] === drawn) continue;
      const key = `${from}-${at}`;
      if (drawn !== "") spans.set(key, [...(spans.get(key) ?? []), drawn]);
      from = at;
    }
  }
  const percent = (at: number): string => (((starts[at] ?? total) / total) * 100).toFixed(2);
  const style: string[] = [`g{visibility:hidden;animation:${total}s step-end infinite}`];
  const body: string[] = [];
  for (const [key, rows] of spans) {
    const [from = 0, to = 0] = key.split("-").map(Number);
    const steps = [
      from === 0 ? "" : "0%{visibility:hidden}",
      `${percent(from)}%{visibility:visible}`,
      to === frames.length ? "" : `${percent(to)}%{visibility:hidden}`,
    ];
    style.push(`@keyframes f${key}{${steps.join("")}}#f${key}{animation-name:f${key}}`);
    if (from === 0) style.push(`#f${key}{visibility:visible}`);
    body.push(`<g id="f${key}">${rows.join("\n")}</g>`);
  }
  return svgPage(size, darkInk, `<style>${style.join("\n")}</style>\n${body.join("\n")}`);
}

if (import.meta.main) {
  await Bun.write(join(import.meta.dir, "session.svg"), await recordSession());
  process.exit(0);
}
