import { expect, test } from "bun:test";
import { isUnreachable, explainCause } from "../../src/model/failures.ts";

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
