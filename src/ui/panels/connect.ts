/** Switches the provider: a pasted Anthropic key, or a server on this machine. */

import type { Host } from "../host.ts";
import { chordOf } from "../keys.ts";
import { sanitizeLine } from "../sanitize.ts";
import type { LocalServer, Next } from "../types.ts";
import { listPanel, type ListPanel } from "./list-panel.ts";
import { drawFrame, loading, type PanelModel } from "./panel.ts";
import { textField } from "./text-field.ts";

/** `next`: null for a key that is pasted. */
type Provider = { label: string; next: Next | null };

const pasted: Provider = { label: "An Anthropic API key, pasted here", next: null };

export function connectPanel(host: Host): PanelModel {
  const local = host.options.services.servers();
  const servers = loading(host, local, "looking for servers on this machine …");
  const list: ListPanel = listPanel<Provider>(host, {
    content: () => ({
      title: servers.value ? "Connect" : `Connect: ${servers.message}`,
      hint: "Enter select · type to search · Esc cancel",
      items: [...(servers.value ?? []).flatMap(offersOf), pasted],
    }),
    lines: ({ label }) => [label],
    onChoose({ next }) {
      if (!next) return void (list.opened = keyPanel(host));
      host.dispatch({ type: "panel", panel: null });
      host.open(next);
    },
  });
  return list;
}

const offersOf = ({ name, baseUrl, models }: LocalServer): Provider[] =>
  models.map((model) => ({
    label: `${sanitizeLine(model)}, served by ${name} at ${baseUrl}`,
    next: { kind: "server", baseUrl, model },
  }));

/** Holds the key in memory only and never draws any of it. */
function keyPanel(host: Host): PanelModel {
  let key = "";
  const submit = (): void => {
    if (key === "") return;
    host.dispatch({ type: "panel", panel: null });
    host.open({ kind: "key", key });
  };
  return {
    press(event) {
      if (event.type === "mouse" || chordOf(event) === "escape") return false;
      const chord = chordOf(event);
      if (chord === "backspace") key = key.slice(0, -1);
      else if (chord === "ctrl+u") key = "";
      else if (chord === "enter") submit();
      else if (event.text === "") return false;
      else key += event.text.trim();
      return true;
    },
    draw(columns) {
      const lines = key === "" ? [] : [`${key.length} characters`];
      const hint = "Enter use it until you quit; never stored · Esc cancel";
      return drawFrame({ title: "Anthropic API key", hint, lines }, columns, host.theme);
    },
    /** Only the length of the key reaches the screen. */
    field(columns) {
      const value = "x".repeat(key.length);
      const shown = { label: "Key: ", value, placeholder: "paste the key here", mask: "•" };
      return textField(host, shown, columns);
    },
  };
}
