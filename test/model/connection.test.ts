import { expect, test } from "bun:test";
import { connectionAdvice } from "../../src/base/connection-faults.ts";
import { isUnreachable, explainCause, unreachable } from "../../src/model/failures.ts";

const coded = (code: string, message = "failed") => Object.assign(new Error(message), { code });
const because = (cause: unknown) => new Error("outer", { cause: new Error("middle", { cause }) });

test("the reason is the innermost cause, in one line", () => {
  expect(explainCause(because(new Error(" socket\n\t hang up ")))).toBe("socket hang up");
  expect(explainCause(because("no error"))).toBe("middle");
  expect(explainCause(new Error(" \n "))).toBe("no reason given");
  expect(explainCause(undefined)).toBe("connection lost");
});

test("no connection was made when any cause says so, by its code or its words", () => {
  expect(isUnreachable(because(coded("ECONNREFUSED")))).toBe(true);
  expect(isUnreachable(because(new Error("getaddrinfo failed")))).toBe(true);
  expect(isUnreachable(because(coded("ECONNRESET")))).toBe(false);
  expect(isUnreachable("ECONNREFUSED")).toBe(false);
});

test("causes in a circle end", () => {
  const error = new Error("round");
  error.cause = error;
  expect(explainCause(error)).toBe("round");
  expect(isUnreachable(error)).toBe(false);
});

const context = { model: "m", host: "api.example", secret: null, keyName: "KEY", nowMs: 0 };

test("a certificate that is not accepted and a proxy that refuses end the call and say what to set", () => {
  const certificate = because(coded("UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unable to verify"));
  expect(unreachable(certificate, context)).toMatchObject({
    kind: "invalid",
    message: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
  });
  const refused = "Proxy refused to open a tunnel: 407 Proxy Authentication Required";
  expect(unreachable(because(coded("ERR_PROXY_TUNNEL", refused)), context)).toMatchObject({
    kind: "invalid",
    message: expect.stringContaining("user name and password in HTTPS_PROXY"),
  });
});

test("a proxy that is overloaded is asked again", () => {
  const busy = coded("ERR_PROXY_TUNNEL", "Proxy refused to open a tunnel: 503 Unavailable");
  expect(unreachable(because(busy), context).kind).toBe("busy");
  expect(connectionAdvice(busy)).toBeNull();
});
