/** Switches the provider: a pasted Anthropic key, or a server on this machine. */

import { FieldModel } from "../field.ts";
import type { Host } from "../host.ts";
import { chordOf } from "../keys.ts";
import { sanitizeLine } from "../sanitize.ts";
import type { LocalServer, Next } from "../types.ts";
import { listPanel, type ListPanel } from "./list-panel.ts";
import { loading, type PanelModel } from "./panel.ts";

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

/** Holds the key in memory only; the screen shows a dot for each character. */
function keyPanel(host: Host): PanelModel {
  const key = new FieldModel("", host.redraw);
  const submit = (): void => {
    const value = key.value.trim();
    if (value === "") return;
    host.dispatch({ type: "panel", panel: null });
    host.open({ kind: "key", key: value });
  };
  return {
    press(event) {
      if (event.type === "mouse" || chordOf(event) === "escape") return false;
      if (chordOf(event) !== "enter") return host.typeInto(key, event);
      submit();
      return true;
    },
    view() {
      const { length } = key.value.trim();
      return {
        kind: "panel",
        title: "Anthropic API key",
        body: { kind: "text", lines: length === 0 ? [] : [`${length} characters`] },
        hint: "Enter use it until you quit; never stored · Esc cancel",
        field: {
          field: key,
          label: "Key: ",

          placeholder: "paste the key here",
          mask: "•",
        },
      };
    },
  };
}
