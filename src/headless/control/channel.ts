import { randomUUID } from "node:crypto";
import type { ReadableStreamDefaultReader } from "node:stream/web";
import { z } from "zod";
import { takeStart } from "../../base/clip.ts";
import { parseJson } from "../../base/guards.ts";
import { splitStream } from "../../base/split-stream.ts";
import { errorMessage } from "../../base/format.ts";
import { type UserBlock, userBlockSchema } from "../../protocol/block.ts";

type ChannelOptions = {
  input: ReadableStream<Uint8Array>;
  /** One message to the client. */
  print(message: object): void;
  /** Reports unreadable input to the user. */
  warn(sentence: string): void;
};

type Handlers = {
  user(message: UserLine): void;
  /** Returns the body of the response. Throws a sentence for an unsupported request. */
  request(request: ControlRequest["request"]): Promise<object>;
  /** The client has closed its end. */
  end(): void;
};

/** Maximum line length in characters; far above a message with several images. */
const maxLineChars = 128 * 1024 ** 2;

type Response = Record<string, unknown>;

/** Both ends of the connection to a client. Lines that arrive before `serve` wait. */
export class ControlChannel {
  readonly #options: ChannelOptions;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #pending = new Map<string, PromiseWithResolvers<Response>>();
  readonly #initialize = Promise.withResolvers<ControlRequest["request"] | null>();
  readonly #handlers = Promise.withResolvers<Handlers>();
  #ended = false;
  #handled: Promise<void> = Promise.resolve();

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.#reader = options.input.getReader();
    this.#read().catch((error: unknown) => {
      options.warn(errorMessage(error));
      this.#end();
    });
  }

  /** The `initialize` request; null if the client starts with another message. */
  get initialize(): Promise<ControlRequest["request"] | null> {
    return this.#initialize.promise;
  }

  serve(handlers: Handlers): void {
    this.#handlers.resolve(handlers);
  }

  /** Stops reading, as if the client had closed its end: a pending read keeps the program running. */
  async close(): Promise<void> {
    await this.#reader.cancel();
  }

  /** Sends a request to the client. Rejects if the client refuses or disconnects, or the signal fires. */
  request(request: object & { subtype: string }, signal?: AbortSignal): Promise<Response> {
    if (this.#ended) return Promise.reject(new Error("The client has closed the connection."));
    const request_id = randomUUID();
    const pending = Promise.withResolvers<Response>();
    const cancel = (): void => {
      this.#pending.delete(request_id);
      this.#options.print({ type: "control_cancel_request", request_id });
      pending.reject(new Error("The question was withdrawn."));
    };
    this.#pending.set(request_id, pending);
    this.#options.print({ type: "control_request", request_id, request });
    if (signal?.aborted) cancel();
    signal?.addEventListener("abort", cancel);
    return pending.promise.finally(() => signal?.removeEventListener("abort", cancel));
  }

  async #read(): Promise<void> {
    const tooLong = (): never => {
      throw new Error("A line on standard input is longer than 128 MB.");
    };
    const lines = splitStream(this.#bytes(), "\n", { maxChars: maxLineChars, tooLong });
    for await (const line of lines) this.#take(line);
    this.#end();
  }

  async *#bytes(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const { value } = await this.#reader.read();
      // The last line may lack its end.
      yield value ?? Buffer.from("\n");
      if (!value) return;
    }
  }

  #take(json: string): void {
    if (json.trim() === "") return;
    const line = parseLine(json);
    if (line === null) {
      this.#options.warn(
        `A line on standard input is not a valid message and was ignored: ${takeStart(json, 200)}`,
      );
      return;
    }
    if (line.type === "control_response") return this.#settle(line.response);
    const isFirst = line.type === "control_request" && line.request.subtype === "initialize";
    this.#initialize.resolve(isFirst ? line.request : null);
    if (line.type === "user") this.#then((handlers) => handlers.user(line));
    if (line.type === "control_request") this.#then((handlers) => this.#respond(line, handlers));
  }

  /** Handles lines in order, so that answers keep the order of requests. */
  #then(handle: (handlers: Handlers) => Promise<void> | void): void {
    this.#handled = this.#handled.then(async () => handle(await this.#handlers.promise));
  }

  async #respond({ request_id, request }: ControlRequest, handlers: Handlers): Promise<void> {
    const response = await handlers.request(request).then(
      (body) => ({ subtype: "success", request_id, response: body }),
      (error: unknown) => {
        return { subtype: "error", request_id, error: errorMessage(error) };
      },
    );
    this.#options.print({ type: "control_response", response });
  }

  #settle(response: Extract<IncomingLine, { type: "control_response" }>["response"]): void {
    const pending = this.#pending.get(response.request_id);
    this.#pending.delete(response.request_id);
    if (response.subtype === "success") pending?.resolve(response.response);
    else pending?.reject(new Error(response.error));
  }

  #end(): void {
    this.#ended = true;
    this.#initialize.resolve(null);
    for (const { reject } of this.#pending.values())
      reject(new Error("The client has closed the connection."));
    this.#pending.clear();
    this.#then((handlers) => handlers.end());
  }
}

const otherBlock = z.object({ type: z.string() }).transform(({ type }): UserBlock => {
  return { type: "text", text: `[A block of type “${type}” was left out: it is not supported.]` };
});

const content = z.union([
  z.string().transform((words): UserBlock[] => [{ type: "text", text: words }]),
  z.array(z.union([userBlockSchema, otherBlock])),
]);

const userLine = z.object({
  type: z.literal("user"),
  message: z.object({ role: z.literal("user"), content }),
  uuid: z.string().nullish(),
  parent_tool_use_id: z.string().nullish(),
});

const requestLine = z.object({
  type: z.literal("control_request"),
  request_id: z.string(),
  request: z.looseObject({ subtype: z.string() }),
});

const responseLine = z.object({
  type: z.literal("control_response"),
  response: z.discriminatedUnion("subtype", [
    z.object({
      subtype: z.literal("success"),
      request_id: z.string(),
      // Anything else counts as an empty answer.
      response: z.record(z.string(), z.unknown()).catch({}),
    }),
    z.object({
      subtype: z.literal("error"),
      request_id: z.string(),
      error: z.string().catch("no reason given"),
    }),
  ]),
});

/** Messages that need no action. */
const silentLine = z.object({
  type: z.enum(["keep_alive", "update_environment_variables", "control_cancel_request"]),
});

const line = z.discriminatedUnion("type", [userLine, requestLine, responseLine, silentLine]);

type IncomingLine = z.infer<typeof line>;
export type ControlRequest = z.infer<typeof requestLine>;
type UserLine = z.infer<typeof userLine>;

/** Null: not a valid message. */
const parseLine = (json: string): IncomingLine | null =>
  line.safeParse(parseJson(json)).data ?? null;
