/** The manual: topics for users, and for the agent when asked how mini-claude works. */

import { didYouMean } from "../config/complaint.ts";
import commands from "./commands.md" with { type: "text" };
import context from "./context.md" with { type: "text" };
import conventions from "./conventions.md" with { type: "text" };
import cost from "./cost.md" with { type: "text" };
import editors from "./editors.md" with { type: "text" };
import headless from "./headless.md" with { type: "text" };
import hooks from "./hooks.md" with { type: "text" };
import mcp from "./mcp.md" with { type: "text" };
import measured from "./measured.md" with { type: "text" };
import permissions from "./permissions.md" with { type: "text" };
import screen from "./screen.md" with { type: "text" };
import sessions from "./sessions.md" with { type: "text" };
import settings from "./settings.md" with { type: "text" };
import start from "./start.md" with { type: "text" };
import troubleshooting from "./troubleshooting.md" with { type: "text" };
import uninstall from "./uninstall.md" with { type: "text" };

/** In the order in which they are listed. */
const texts: Record<string, string> = {
  start,
  screen,
  context,
  cost,
  permissions,
  sessions,
  settings,
  headless,
  editors,
  mcp,
  hooks,
  commands,
  conventions,
  measured,
  troubleshooting,
  uninstall,
};

/** `about`: the sentence below the title. */
export type Topic = { name: string; title: string; about: string; text: string };

export const topics: readonly Topic[] = Object.entries(texts).map(([name, text]) => {
  const [, title = name, about = ""] = /^# (.+)\n\n((?:.+\n)+)/.exec(text) ?? [];
  return { name, title, about: about.trim().replaceAll("\n", " "), text };
});

export const topicList = topics.map(({ name, about }) => `- ${name}: ${about}`).join("\n");

/** By its name, or by a word of its title. Throws a sentence with the nearest name and the list. */
export function findTopic(wanted: string): Topic {
  const word = wanted.trim().toLowerCase().replace(/\.md$/, "");
  const found =
    topics.find(({ name }) => name === word) ??
    topics.find(({ title }) => title.toLowerCase().split(/\W+/).includes(word));
  if (found) return found;
  const names = topics.map(({ name }) => name);
  const near = didYouMean(word, names, ".");
  throw new Error(`There is no topic ${wanted.trim()}${near} The topics: ${names.join(", ")}.`);
}
