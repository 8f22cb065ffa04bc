/**
 * A strict fake of the Messages API, for every test that needs one.
 *
 * ```ts
 * const api = startFakeApi();
 * api.next(say("Hello."), { content: [think("hm"), call("Read", { file_path: "a" })] });
 * const client = createAnthropicClient({ apiKey: "test", baseUrl: api.url, clock: api.clock });
 * await api.stop(); // rejects when the script ran dry
 * ```
 */

import { FakeApi, type FakeApiOptions } from "./fake-api.ts";

export { call, say, think } from "./answers.ts";
export type { Answer, AnswerBlock, Failed, Responder, Said } from "./answers.ts";
export { FakeClock } from "./fake-clock.ts";
export { FakeApi, type FakeApiOptions, type Recorded } from "./fake-api.ts";
export { toBlocks, type ApiBlock, type ApiMessage, type ApiRequest } from "./schema.ts";
export { countTokens } from "./tokens.ts";

export type RunningFakeApi = ReturnType<typeof startFakeApi>;

/** Listens on a free loopback port. `new FakeApi()` needs none, through its `fetch`. */
export function startFakeApi(options: FakeApiOptions = {}) {
  const api = new FakeApi(options);
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: api.handle,
  });
  return Object.assign(api, {
    /** The base URL for a client. */
    url: `http://127.0.0.1:${server.port}`,
    /** Rejects after an error that must fail the test. */
    async stop() {
      await server.stop(true);
      if (api.failures.length > 0)
        throw new Error(`The fake API failed: ${api.failures.join("; ")}`);
    },
  });
}
