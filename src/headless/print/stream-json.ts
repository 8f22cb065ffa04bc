import type { Evidence } from "../../context/evidence.ts";
import { randomUUID } from "node:crypto";
import type { AgentEvent, CompactionState } from "../../protocol/event.ts";
import { type Delta, type Usage, noUsage } from "../../protocol/model.ts";
import { type PermissionMode, claudeModes } from "../../protocol/permission.ts";
import {
  type PrintedMessage,
  answerMessages,
  answerOnWire,
  cutMessages,
  errorMessage,
  evidenceOnWire,
  resultMessage,
  stepMessages,
  toolResultMessage,
  usageOnWire,
  makeUuid,
} from "./messages.ts";
import type { Shape } from "./run-stats.ts";
import { type AssistantBlock, blockText } from "../../protocol/block.ts";
import type { EntryOf } from "../../protocol/entry.ts";
import type { RunningSubagent } from "../../protocol/subagent-definition.ts";

/** The facts about a run in `system/init`. */
export type RunFacts = {
  cwd: string;
  model: string;
  mode: PermissionMode;
  tools: string[];
  mcp_servers: { name: string; status: string }[];
  slash_commands: string[];
  agents: string[];
  skills: string[];
  apiKeySource: string;
  /** The folder was never trusted: which of its files are not used, and how a program allows them. */
  untrusted_folder?: { folder: string; unused: readonly string[]; error: string };
};

export type StreamJsonOptions = {
  session: string;
  /** The facts as they are now. */
  facts(): RunFacts;
  print(message: object): void;
  partialMessages: boolean;
  replayUserMessages: boolean;
  /** Costs of the session so far, by what caused them. */
  costs?(): object;
  /** Rules in view, and unused context. */
  evidence?(): Evidence;
  /** Print when the run works, waits for an answer, and is idle. */
  stateEvents?: boolean;
};

/** The version of Claude Code whose messages all of these are; the SDK names it in errors. */
const claudeCodeVersion = "2.1.332";

/** `--output-format stream-json`: the messages that Claude Code prints, one JSON object per line. */
export function streamJsonShape(options: StreamJsonOptions): Shape {
  const { session, facts, partialMessages, replayUserMessages } = options;
  let messageId = newMessageId();
  let stream: ReturnType<typeof streamEvents> | null = null;
  let usage = noUsage;
  /** The accepted message, which is printed once it is in the log. */
  let accepted: { message: object; uuid: string | undefined } | null = null;

  const print = (message: object, uuid: string = randomUUID()): void =>
    options.print({ ...message, session_id: session, uuid });
  const withOrigin = (origin: object, { uuid, ...message }: PrintedMessage): void =>
    print({ ...message, ...origin }, uuid);
  const ofMain = (message: PrintedMessage): void =>
    withOrigin({ parent_tool_use_id: null }, message);
  const tellTask = taskMessages(print);

  function init(): void {
    const { mode, ...rest } = facts();
    print({
      type: "system",
      subtype: "init",
      ...rest,
      permissionMode: claudeModes[mode],
      claude_code_version: claudeCodeVersion,
      output_style: "default",
      plugins: [],
    });
  }

  const streaming = () =>
    (stream ??= streamEvents(messageId, facts().model, usage, (event) =>
      ofMain({ type: "stream_event", event }),
    ));

  function restart(): void {
    stream = null;
    messageId = newMessageId();
  }

  function entry({ entry: fact }: Extract<AgentEvent, { type: "entry" }>): void {
    switch (fact.type) {
      case "assistant":
        if (fact.stop === "failed") return restart();
        if (partialMessages) streaming().end(fact);
        usage = fact.usage;
        for (const message of answerMessages(fact, messageId)) ofMain(message);
        return restart();
      case "user":
        return confirm(makeUuid(fact));
      case "result":
        return ofMain(toolResultMessage(fact));
      case "step":
        return steps(fact);
      case "cut":
        for (const { uuid, ...message } of cutMessages(fact)) print(message, uuid);
        return;
      default:
        return;
    }
  }

  function steps(step: EntryOf<"step">, origin: object = {}): void {
    for (const message of stepMessages(step, newMessageId(), facts().model))
      withOrigin({ ...origin, parent_tool_use_id: step.outer }, message);
  }

  /** At the latest when its turn ends: a prompt that a hook refuses leaves no message in the log. */
  function confirm(name: string = randomUUID()): void {
    if (!accepted) return;
    const { message, uuid = name } = accepted;
    accepted = null;
    ofMain({ type: "user", message, isReplay: true, uuid });
  }

  return {
    begin(command) {
      state("running");
      init();
      if (replayUserMessages && command?.type === "prompt") {
        const { content, uuid } = command;
        accepted = { message: { role: "user", content }, uuid };
      }
    },
    event(event) {
      switch (event.type) {
        case "entry":
          return entry(event);
        case "ask":
          return state("requires_action");
        case "asked":
          return state("running");
        case "delta":
          return partialMessages ? streaming().delta(event) : undefined;
        case "reset":
          return restart();
        case "compaction":
          return compaction(event.state);
        case "mode":
          return status({ status: null, permissionMode: claudeModes[event.mode] });
        case "retry":
          return print({
            type: "system",
            subtype: "api_retry",
            attempt: event.attempt,
            max_retries: event.of,
            retry_delay_ms: event.waitMs,
            error_status: null,
            error: "unknown",
            reason: event.reason,
          });
        default:
          return;
      }
    },
    nested(subagent, event) {
      tellTask(subagent, event);
      if (event.type !== "entry") return;
      const { entry: fact } = event;
      const origin = taskOrigin(subagent);
      if (fact.type === "assistant" && fact.stop !== "failed")
        for (const message of answerMessages(fact, newMessageId())) withOrigin(origin, message);
      if (fact.type === "result") withOrigin(origin, toolResultMessage(fact));
      if (fact.type === "step") steps(fact, origin);
    },
    end(report) {
      confirm();
      if (report.end.apiError) ofMain(errorMessage(report));
      if (report.end.why === "stopped") ofMain(interruption);
      print({
        ...resultMessage(report),
        ...(options.costs && { costs: options.costs() }),
        ...(options.evidence && evidenceOnWire(options.evidence())),
      });
      state("idle");
    },
  };

  function compaction(change: CompactionState): void {
    if (change.step === "started") status({ status: "compacting" });
    if (change.step === "done") status({ status: null, compact_result: "success" });
    if (change.step === "failed")
      status({ status: null, compact_result: "failed", compact_error: change.message });
  }

  function state(name: "running" | "requires_action" | "idle"): void {
    if (options.stateEvents)
      print({ type: "system", subtype: "session_state_changed", state: name });
  }

  function status(change: object): void {
    print({ type: "system", subtype: "status", ...change });
  }
}

const newMessageId = (): string => `msg_${randomUUID().replaceAll("-", "").slice(0, 24)}`;

const interruption = {
  type: "user",
  message: { role: "user", content: [{ type: "text", text: "[Request interrupted by user]" }] },
};

/** `call`: the id of the tool call whose input it is. */
type Streamed = { call: string | null; text: string };

/**
 * One answer. Blocks that did not arrive in pieces are sent whole at the end. `usage`: of the previous call,
 * because the usage of this call is known only at its end.
 */
function streamEvents(id: string, model: string, usage: Usage, emit: (event: object) => void) {
  const streamed: Streamed[] = [];
  let open: number | null = null;
  let blocks = 0;
  let isStarted = false;
  /** Indexes of blocks that did not grow. */
  let nextWhole = -1;

  function delta({ index, kind, text, call }: Delta): void {
    const start = kind === "input" ? call && { type: "tool_use", ...call, input: {} } : empty[kind];
    if (!start) return;
    if (open !== index) {
      begin(start);
      open = index;
      streamed.push({ call: call?.id ?? null, text: "" });
    }
    const last = streamed.at(-1);
    if (last) last.text += text;
    emit({ type: "content_block_delta", index: blocks - 1, delta: toApiDelta(kind, text) });
  }

  /** Sends the blocks of the complete answer that were not streamed, then the end. */
  function end({ content, usage: used, stop }: EntryOf<"assistant">): void {
    for (const block of content) if (!wasStreamed(block)) whole(block);
    stopBlock();
    startMessage();
    emit({
      type: "message_delta",
      delta: { stop_reason: stop, stop_sequence: null },
      usage: usageOnWire(used),
    });
    emit({ type: "message_stop" });
  }

  function wasStreamed(block: AssistantBlock): boolean {
    if (block.type === "tool_use") return streamed.some(({ call }) => call === block.id);
    const text =
      block.type === "text" ? block.text : block.type === "thinking" ? block.thinking : "";
    return text === "" || streamed.some((block) => block.text === text);
  }

  function whole(block: AssistantBlock): void {
    const index = nextWhole--;
    if (block.type === "text") delta({ type: "delta", index, kind: "text", text: block.text });
    if (block.type !== "tool_use") return;
    const { id: call, name, input } = block;
    const text = JSON.stringify(input);
    delta({ type: "delta", index, kind: "input", text, call: { id: call, name } });
  }

  function begin(block: object): void {
    startMessage();
    stopBlock();
    emit({ type: "content_block_start", index: blocks++, content_block: block });
  }

  function stopBlock(): void {
    if (open !== null) emit({ type: "content_block_stop", index: blocks - 1 });
    open = null;
  }

  function startMessage(): void {
    const message = answerOnWire(id, model, [], { ...usage, output: 0 });
    if (!isStarted) emit({ type: "message_start", message });
    isStarted = true;
  }

  return { delta, end };
}

const empty = {
  text: { type: "text", text: "" },
  thinking: { type: "thinking", thinking: "", signature: "" },
};

function toApiDelta(kind: Delta["kind"], text: string): object {
  switch (kind) {
    case "text":
      return { type: "text_delta", text };
    case "thinking":
      return { type: "thinking_delta", thinking: text };
    case "input":
      return { type: "input_json_delta", partial_json: text };
  }
}

/** Fields of every message of a subagent. */
const taskOrigin = ({ toolUse, session, type }: RunningSubagent): object => ({
  parent_tool_use_id: toolUse,
  agent_id: session,
  subagent_type: type,
});

/** Tells of subagents as the tasks of Claude Code: one message at the start of each, one at its end. */
function taskMessages(print: (message: object) => void) {
  /** The last words of those at work. */
  const working = new Map<string, string>();
  return ({ session, toolUse, type, prompt }: RunningSubagent, event: AgentEvent): void => {
    const ids = { type: "system", task_id: session, tool_use_id: toolUse };
    if (!working.has(session)) {
      working.set(session, "");
      const about = { description: type, subagent_type: type, task_type: "local_agent", prompt };
      print({ ...ids, subtype: "task_started", ...about });
    }
    if (event.type === "entry" && event.entry.type === "assistant")
      working.set(session, blockText(event.entry.content).trim() || (working.get(session) ?? ""));
    if (event.type !== "idle") return;
    const status = event.why === "done" ? "completed" : event.why;
    print({ ...ids, subtype: "task_notification", status, summary: working.get(session) });
    working.delete(session);
  };
}
