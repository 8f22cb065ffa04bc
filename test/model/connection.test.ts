/** Calls whose connection was not made, or was lost. */

import { expect, test } from "bun:test";
import { createOpenAiClient } from "../../src/model/openai/client.ts";
import { buildRequest, run } from "./calls.ts";

const coded = (code: string, message = "failed") => Object.assign(new Error(message), { code });
const because = (cause: unknown) => new Error("outer", { cause: new Error("middle", { cause }) });

/** The error of a call whose `fetch` throws this. */
async function lost(error: unknown) {
  const fetch = () => Promise.reject(error);
  const client = createOpenAiClient({ baseUrl: "http://api.example/v1", fetch });
  const { error: told } = await run(client, buildRequest({ model: "m" }));
  return `${told?.kind}: ${told?.message}`;
}

test("the reason is the innermost cause, in one line", async () => {
  expect(await lost(because(new Error(" socket\n\t hang up ")))).toBe(
    "busy: The connection to http://api.example/v1 was lost (socket hang up).",
  );
  expect(await lost(because("no error"))).toContain("(middle)");
  expect(await lost(new Error(" \n "))).toContain("(no reason given)");
  expect(await lost(undefined)).toContain("(connection lost)");
});

test("no connection was made when any cause says so, by its code or its words", async () => {
  for (const cause of [coded("ECONNREFUSED"), new Error("getaddrinfo failed")])
    expect(await lost(because(cause))).toStartWith("unreachable: Cannot reach");
  expect(await lost(because(coded("ECONNRESET")))).toStartWith("busy: ");
});

test("causes in a circle end", async () => {
  const error = new Error("round");
  error.cause = error;
  expect(await lost(error)).toStartWith("busy: ");
});

test("a certificate that is not accepted and a proxy that refuses end the call and say what to set", async () => {
  const certificate = coded("UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unable to verify");
  expect(await lost(because(certificate))).toMatch(/^invalid: .*NODE_EXTRA_CA_CERTS/);
  const proxy = (status: string) =>
    lost(because(coded("ERR_PROXY_TUNNEL", `Proxy refused to open a tunnel: ${status}`)));
  expect(await proxy("407 Proxy Authentication Required")).toMatch(
    /^invalid: .*user name and password in HTTPS_PROXY/,
  );
  expect(await proxy("503 Unavailable")).toStartWith("busy: ");
});
