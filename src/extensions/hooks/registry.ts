/** All hooks of a session, in the order in which they run. */

import type { ToolInput } from "../../protocol/block.ts";
import type { TierName } from "../../protocol/entry.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import {
  type EndReason,
  type HookEvent,
  type HookInputs,
  type HookOutput,
  type HookResult,
  addOutput,
  compileMatcher,
  emptyResult,
  hookEvents,
  selectSubject,
} from "./output.ts";
import { errorMessage } from "../../base/format.ts";
import type { Launcher } from "../../tools/shell/launch.ts";
import type { AskModel } from "./command-hook.ts";
import type { SettingsHook } from "./settings.ts";

export { hookEvents } from "./output.ts";

type HookRun = {
  signal: AbortSignal;
  /** Normalizes an input that a hook chose for the call. */
  normalize?: ((input: ToolInput) => ToolInput) | undefined;
};

/** Given to every hook besides the input of its event. */
type HookBase = {
  session_id: string;
  transcript_path: string;
  cwd: string;
  permission_mode: string;
};

type FullInput<E extends HookEvent> = HookBase & { hook_event_name: E } & HookInputs[E];

export type HookHandler<E extends HookEvent> = (
  input: FullInput<E>,
  /** `refusal`: why an earlier hook blocks or ends the turn; null: none does. */
  run: HookRun & { refusal: string | null },
) => Promise<HookOutput> | AsyncGenerator<AgentEvent, HookOutput>;

/** Longest time that quitting waits for hooks, in milliseconds. */
const endMs = 2_000;

/** The source of the agent's own hooks. */
const builtIn = "built-in";

/** Origin of a hook, for `/hooks`. */
type HookOrigin = {
  source: string;
  name: string;
  isProject?: boolean;
  /** The tiers that it runs. */
  tiers?: readonly TierName[];
};

type Registered<E extends HookEvent> = {
  /** Empty: matches everything. */
  matcher: string;
  origin: HookOrigin;
  matches(subject: string): boolean;
  handler: HookHandler<E>;
  /** The outcome of its last run; null: it has not run. */
  last: string | null;
};

type HookRegistryOptions = {
  base(): HookBase;
  /** The hooks of the settings, read when the first event happens. */
  load(): Promise<readonly SettingsHook[]>;
  /** The environment of commands; no keys in it. */
  env: Record<string, string>;
  /** Takes variables that a SessionStart hook leaves for commands. */
  addVariables?(variables: Record<string, string>): void;
  /** For hooks that are questions to a model. */
  askModel?: AskModel;
  /** How hooks of the project are started; absent: as the user would. */
  launch?: Launcher["program"];
};

export class HookRegistry {
  readonly #options: HookRegistryOptions;
  readonly #hooks: { [E in HookEvent]?: Registered<E>[] } = {};
  #loading: Promise<void> | null = null;

  constructor(options: HookRegistryOptions) {
    this.#options = options;
  }

  /**
   * Adds a hook after those of its event. `matcher` is compared with the tool's name, the trigger or
   * the source, as in settings. Returns a function that removes it. Throws when `matcher` is not a
   * regular expression.
   */
  register<E extends HookEvent>(
    event: E,
    matcher: string | undefined,
    handler: HookHandler<E>,
    origin: HookOrigin,
  ): () => void {
    const matches = compileMatcher(matcher);
    if (!matches) throw new Error(`The matcher “${matcher}” is not a valid regular expression.`);
    const hook: Registered<E> = { matcher: matcher ?? "", origin, matches, handler, last: null };
    const hooks: Registered<E>[] = (this.#hooks[event] ??= []);
    hooks.push(hook);
    return () => {
      if (hooks.includes(hook)) hooks.splice(hooks.indexOf(hook), 1);
    };
  }

  /**
   * Runs the hooks of an event one after another, those of the project first and the agent's own
   * last: each sees the input of a call as the earlier ones left it. A hook that fails only warns the
   * user.
   */
  async *stream<E extends HookEvent>(
    event: E,
    input: HookInputs[E],
    run: HookRun,
  ): AsyncGenerator<AgentEvent, HookResult> {
    await this.#load();
    const result = emptyResult();
    const hooks = this.#inOrder(event);
    const subject = selectSubject(event, input);
    let seen = input;
    for (const hook of hooks.filter(({ matches }) => subject === null || matches(subject))) {
      // The agent's own hooks stop by themselves when the signal fires.
      if (run.signal.aborted && hook.origin.source !== builtIn) continue;
      const full = { ...this.#options.base(), hook_event_name: event, ...seen };
      const refusal = result.block ?? result.stop;
      const output = yield* runOne(event, hook, full, { ...run, refusal });
      const chosen =
        output.updatedInput && (run.normalize?.(output.updatedInput) ?? output.updatedInput);
      if (chosen) seen = { ...seen, tool_input: chosen };
      addOutput(
        result,
        chosen ? { ...output, updatedInput: chosen } : output,
        hook.origin.isProject ?? false,
      );
    }
    return result;
  }

  /** Like `stream`, without the events of the agent's own hooks. */
  async run<E extends HookEvent>(
    event: E,
    input: HookInputs[E],
    run: HookRun,
  ): Promise<HookResult> {
    const events = this.stream(event, input, run);
    let step = await events.next();
    while (!step.done) step = await events.next();
    return step.value;
  }

  #inOrder<E extends HookEvent>(event: E): Registered<E>[] {
    const hooks: readonly Registered<E>[] = this.#hooks[event] ?? [];
    const rank = ({ origin: { isProject, source } }: Registered<E>) =>
      isProject ? 0 : source === builtIn ? 2 : 1;
    return hooks.toSorted((a, b) => rank(a) - rank(b));
  }

  /** Runs the hooks of the end of a session, which must not delay it. */
  async end(reason: EndReason): Promise<void> {
    const run = { signal: AbortSignal.timeout(endMs) };
    await this.run("SessionEnd", { reason }, run);
  }

  /** Whether an event has hooks, as far as they have been read. */
  has(event: HookEvent): boolean {
    return (this.#hooks[event] ?? []).length > 0;
  }

  /** Every hook with its latest result, in the order of a session's events. */
  async list() {
    await this.#load();
    return hookEvents.flatMap((event) =>
      this.#inOrder(event).map(({ matcher, origin: { isProject: _, ...origin }, last }) => {
        return { event, matcher, ...origin, last };
      }),
    );
  }

  #load(): Promise<void> {
    this.#loading ??= this.#registerSettings();
    return this.#loading;
  }

  async #registerSettings(): Promise<void> {
    for (const hook of await this.#options.load()) {
      const { event, matcher, source, isProject } = hook;
      const name = hook.command ?? hook.prompt;
      this.register(event, matcher, this.#makeHandler(hook), { source, name, isProject });
    }
  }

  #makeHandler(hook: SettingsHook): HookHandler<HookEvent> {
    const { base, env, addVariables, askModel: ask, launch } = this.#options;
    return async (input, { signal }) => {
      if (hook.command === undefined) {
        if (!ask) throw new Error("no model can be asked here");
        const { runPromptHook } = await import("./command-hook.ts");
        return runPromptHook(hook, input, { ask, signal });
      }
      const { runHookCommand } = await import("./command-hook.ts");
      const start = (until: AbortSignal): Promise<HookOutput> =>
        runHookCommand(hook, input, {
          cwd: base().cwd,
          env,
          signal: until,
          addVariables,
          launch,
        });
      if (!hook.isAsync) return start(signal);
      start(new AbortController().signal).catch(() => undefined);
      return {};
    };
  }
}

async function* runOne<E extends HookEvent>(
  event: E,
  hook: Registered<E>,
  input: FullInput<E>,
  run: Parameters<HookHandler<E>>[1],
): AsyncGenerator<AgentEvent, HookOutput> {
  try {
    const answer = hook.handler(input, run);
    // The agent's own hooks must be awaited.
    const isOwn = hook.origin.source === builtIn;
    const output =
      "next" in answer ? yield* answer : await (isOwn ? answer : untilAborted(answer, run.signal));
    hook.last = describeOutcome(output);
    return output;
  } catch (error) {
    if (run.signal.aborted) {
      hook.last = "stopped by the user";
      return {};
    }
    const reason = errorMessage(error);
    hook.last = `failed: ${reason}`;
    return { message: `The ${event} hook “${hook.origin.name}” failed: ${reason}` };
  }
}

/** Does not wait for a hook that ignores its signal. */
function untilAborted<T>(hook: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const stop = (): void => reject(new Error("it was stopped"));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  hook.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  return promise;
}

function describeOutcome({ block, permission, updatedInput, context, stop }: HookOutput): string {
  if (stop !== undefined) return `stopped the turn: ${stop}`;
  if (block !== undefined) return `blocked: ${block}`;
  if (permission) return [permission.decision, permission.reason].filter(Boolean).join(": ");
  if (updatedInput) return "changed the input";
  return context === undefined ? "ran" : "added context";
}
