/** Switches the provider: a pasted Anthropic key, or a server on this machine. */

import type { Host } from "../host.ts";
import type { InputEvent } from "../keys.ts";
import { sanitizeLine } from "../sanitize.ts";
import type { LocalServer, Next } from "../types.ts";
import { ListPanel } from "./list-panel.ts";
import { loading } from "./loading.ts";
import { drawFrame, type PanelModel } from "./panel.ts";
import { textField } from "./text-field.ts";

/** `name`: the server's. */
type Provider = { kind: "key" } | (Extract<Next, { kind: "server" }> & { name: string });

export function connectPanel(host: Host): PanelModel {
  const local = host.options.services.servers();
  const servers = loading(host, local, "looking for servers on this machine …");
  let field: KeyField | null = null;
  const list = new ListPanel<Provider>(host, {
    content: () => ({
      title: servers.value ? "Connect" : `Connect: ${servers.message}`,
      hint: "Enter select · type to search · Esc cancel",
      empty: "",
      items: [...(servers.value ?? []).flatMap(offersOf), { kind: "key" }],
    }),
    lines: (provider) => [lineOf(provider)],
    onChoose(provider) {
      if (provider.kind === "key") {
        field = new KeyField(host);
        return;
      }
      host.dispatch({ type: "panel", panel: null });
      const { name: _, ...next } = provider;
      host.open(next);
    },
  });
  return {
    draw: (columns, rows) => (field ?? list).draw(columns, rows),
    field: (columns) => field?.field(columns) ?? null,
    press: (event) => (field ?? list).press(event),
  };
}

const offersOf = ({ name, baseUrl, models }: LocalServer): Provider[] =>
  models.map((model) => ({ kind: "server", name, baseUrl, model }));

const lineOf = (provider: Provider): string =>
  provider.kind === "key"
    ? "An Anthropic API key, pasted here"
    : `${sanitizeLine(provider.model)}, served by ${provider.name} at ${provider.baseUrl}`;

/** Holds the key in memory only and never draws a letter of it. */
class KeyField implements PanelModel {
  readonly #host: Host;
  #key = "";

  constructor(host: Host) {
    this.#host = host;
  }

  press(event: InputEvent): boolean {
    if (event.type === "paste") this.#key += event.text.trim();
    else if (event.type !== "key" || event.chord === "escape") return false;
    else if (event.chord === "backspace") this.#key = this.#key.slice(0, -1);
    else if (event.chord === "ctrl+u") this.#key = "";
    else if (event.chord === "enter") this.#submit();
    else if (event.text === "") return false;
    else this.#key += event.text.trim();
    return true;
  }

  draw(columns: number): string[] {
    const { length } = this.#key;
    const lines = length === 0 ? [] : [`${length} characters`];
    const hint = "Enter use it until you quit; never stored · Esc cancel";
    return drawFrame({ title: "Anthropic API key", hint, lines }, columns, this.#host.theme);
  }

  /** The screen gets as many characters as the key has, and none of them. */
  field(columns: number): string {
    const label = "Key: ";
    const shown = Math.min(this.#key.length, Math.max(0, columns - label.length - 2));
    const value = "x".repeat(shown);
    return textField(
      this.#host,
      { label, value, placeholder: "paste the key here", mask: "•" },
      columns,
    );
  }

  #submit(): void {
    if (this.#key === "") return;
    this.#host.dispatch({ type: "panel", panel: null });
    this.#host.open({ kind: "key", key: this.#key });
  }
}
