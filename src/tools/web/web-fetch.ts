import { z } from "zod";
import { messageOf } from "../../base/in-words.ts";
import { textOutput, ToolError, type Tool } from "../tool.ts";
import { hostOf, parseWebAddress, systemLookup } from "./address.ts";
import { fetchPage, type Network } from "./fetch-page.ts";
import { namesProxy } from "./proxy-variables.ts";

const schema = z.strictObject({
  url: z.string(),
  prompt: z.string().optional(),
});

type Input = z.infer<typeof schema>;

const internet: Network = {
  fetch: (url, init) => fetch(url, init),
  lookup: systemLookup,
  usesProxy: namesProxy(process.env),
};

/** Reads a page of the web as Markdown. */
export const webFetchTool: Tool<Input> = {
  name: "WebFetch",
  description:
    "Reads a web page as Markdown. A redirect to another site is reported, not followed.",
  schema,
  readOnly: true,
  intent: async ({ url }) => {
    const address = parseWebAddress(url);
    return {
      access: { kind: "fetch", host: hostOf(address) },
      title: "Read a web page",
      detail: address.href,
    };
  },
  async run({ url }, { signal }) {
    const page = await fetchPage(parseWebAddress(url), internet, signal);
    if (page.is === "redirect")
      return said(`This page redirects to another site: ${page.to.href}. Call WebFetch with that.`);
    const { body, type } = page;
    if (!/html/i.test(type)) return said(body);
    const { pageText } = await import("./page-text.ts");
    try {
      return said(pageText(body, page.url) || "(The page has no text.)");
    } catch (error) {
      throw new ToolError(`${page.url.href} could not be converted to text (${messageOf(error)}).`);
    }
  },
};

const said = (text: string) => textOutput(text.toWellFormed());
