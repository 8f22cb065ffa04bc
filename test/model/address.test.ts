import { expect, test } from "bun:test";
import { parseAddress } from "../../src/model/network.ts";

test.each([
  ["http://localhost:11434", "http://localhost:11434", "http://localhost:11434", "localhost"],
  ["https://a.example/v1//", "https://a.example/v1", "https://a.example/v1", "a.example"],
  ["https://me:pw@a.example/v1", "https://me:pw@a.example/v1", "https://a.example/v1", "a.example"],
  ["https://a.example/v1?q=1#f", "https://a.example/v1", "https://a.example/v1", "a.example"],
])("%s", (text, url, shown, hostname) => {
  expect(parseAddress(text)).toEqual({ url, shown, hostname });
});

test.each(["localhost:11434", "file:///etc/passwd", "xhttp://a.example", "httpss://a.example", ""])(
  "%j is not the address of a server",
  (text) => {
    expect(() => parseAddress(text)).toThrow(`"${text}" is not a server address`);
  },
);

test("only the start of a long invalid address is quoted", () => {
  expect(() => parseAddress("x".repeat(201))).toThrow(`"${"x".repeat(200)}" is not`);
});
