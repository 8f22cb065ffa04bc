/** Who serves the model: a provider with a key, or a server on this machine, which can be started here. */

import { errorMessage } from "../../base/in-words.ts";
import { FieldModel } from "../field.ts";
import type { Host } from "../host.ts";
import { toChord } from "../keys.ts";
import { fitLine, type Line, pad, span, wrapWords } from "../line.ts";
import { sanitizeLine } from "../sanitize.ts";
import type { LocalServer, Next, ProviderOffer } from "../types.ts";
import { listPanel, type ListPanel } from "./list-panel.ts";
import { bestFirst, loading, type PanelModel } from "./panel.ts";

/** Everybody who can serve a model, with what was looked for and found. */
export function connectPanel(host: Host): PanelModel {
  const { providers } = host.options.services;
  const offers = loading(host, providers.list(), "Looking for keys and servers …");
  const list: ListPanel = listPanel<ProviderOffer>(host, {
    content: () => ({
      title: "Connect",
      hint: "Enter select · Esc cancel",
      empty: offers.message,
      items: offers.value ?? [],
      footer: () => ["Keys that are pasted here are kept in memory only, until you quit."],
    }),
    group: ({ isReady }) => (isReady ? "ready" : "not set up yet"),
    text: ({ title, found }) => `${title} ${found}`,
    lines: ({ title, found, isReady }, columns) => [
      fitLine([`  ${pad(title, 15)}`, span(isReady ? "good" : "dim", found)], columns),
    ],
    onChoose(offer) {
      const { provider, server, program, title, keyName, isReady } = offer;
      const back = (): void => void (list.opened = null);
      if (server) list.opened = serverModels(host, server, back);
      else if (program !== null) list.opened = startPanel(host, program, back);
      else if (keyName === null)
        host.flash(`Start ${title} first; /connect then lists its models.`);
      else if (isReady) list.opened = providerModels(host, offer, null, back);
      else if (provider === "anthropic")
        list.opened = keyPanel(title, host, (key) => connect(host, { ...ofProvider(offer), key }));
      else
        list.opened = keyPanel(title, host, (key) => {
          list.opened = providerModels(host, offer, key, back);
        });
    },
  });
  return list;
}

const ofProvider = ({ provider }: ProviderOffer) => ({
  kind: "provider" as const,
  provider,
  key: null,
  model: null,
});

function connect(host: Host, next: Next): void {
  host.dispatch({ type: "panel", panel: null });
  host.open(next);
}

const serverModels = (host: Host, server: LocalServer, back: () => void): PanelModel =>
  listPanel<string>(host, {
    keys: { escape: back },
    content: () => ({
      title: `${server.name} at ${server.baseUrl}`,
      hint: "Enter select · Esc back",
      items: server.models,
    }),
    lines: (model) => [`  ${sanitizeLine(model)}`],
    onChoose: (model) => connect(host, { kind: "server", baseUrl: server.baseUrl, model }),
  });

/** The models that a provider lists; where it lists none, the name of one is typed. */
function providerModels(
  host: Host,
  offer: ProviderOffer,
  key: string | null,
  back: () => void,
): PanelModel {
  const { title, provider } = offer;
  const names = loading(
    host,
    host.options.services.providers.models(provider, key),
    `Asking ${title} for its models …`,
  );
  const list: ListPanel = listPanel<string>(host, {
    isFiltered: true,
    label: "Model",
    keys: { escape: back },
    content(typed) {
      const items = bestFirst(typed, names.value ?? [], String);
      const own = typed.trim();
      return {
        title,
        hint: "Enter select · type a name or a part of it · Esc back",
        empty: names.value
          ? `${title} lists no models: the key may be wrong. Type the name of a model to try it.`
          : names.message,
        items: items.length > 0 || own === "" ? items : [own],
      };
    },
    lines: (model) => [`  ${sanitizeLine(model)}`],
    onChoose: (model) => connect(host, { ...ofProvider(offer), key, model }),
  });
  return list;
}

/** A key is held in memory only; the screen shows a dot for each character. */
const keyPanel = (title: string, host: Host, use: (key: string) => void): PanelModel =>
  fieldPanel(host, {
    title: `${title} API key`,
    hint: "Enter use it until you quit; never stored · Esc cancel",
    label: "Key: ",
    placeholder: "paste the key here",
    mask: "•",
    lines: ({ length }) => (length === 0 ? [] : [`${length} characters`]),
    submit: use,
  });

/** Says what will be run before it is. */
function startPanel(host: Host, program: string, back: () => void): PanelModel {
  const { providers } = host.options.services;
  let state = "";
  let starting: AbortController | null = null;
  const start = (file: string): void => {
    if (starting) return;
    const run = (starting = new AbortController());
    state = "Starting llama-server: loading the model may take a while. Esc stops it.";
    void providers
      .start(program, file, run.signal)
      .then(
        ({ baseUrl, models: [model = "default"] }) => {
          // The panel may have been closed meanwhile.
          if (host.state.panel?.kind !== "connect") run.abort();
          else if (!run.signal.aborted) connect(host, { kind: "server", baseUrl, model });
        },
        (error: unknown) => {
          state = run.signal.aborted ? "Stopped." : sanitizeLine(errorMessage(error));
        },
      )
      .finally(() => (starting = null))
      .then(host.redraw);
  };
  return fieldPanel(host, {
    title: "Start llama.cpp on this machine",
    hint: "Enter start it · Esc back",
    label: "Model file: ",
    placeholder: "a .gguf file, such as ~/models/qwen3-coder.gguf",
    lines: (file, columns) => [
      ...wrapWords(
        `Enter runs this, until you quit: ${sanitizeLine(providers.startCommand(program, file || "FILE"))}`,
        columns,
      ),
      ...(state === "" ? [] : wrapWords(state, columns).map((line) => span("warning", line))),
    ],
    submit: start,
    escape: () => (starting ? starting.abort() : back()),
  });
}

type FieldPanel = {
  title: string;
  hint: string;
  label: string;
  placeholder: string;
  mask?: string;
  /** Above the field. */
  lines(value: string, columns: number): Line[];
  submit(value: string): void;
  escape?(): void;
};

/** One line that is asked for. */
function fieldPanel(host: Host, options: FieldPanel): PanelModel {
  const { title, hint, label, placeholder, mask, lines, submit, escape } = options;
  const field = new FieldModel("", host.redraw);
  return {
    press(event) {
      const chord = toChord(event);
      if (event.type === "mouse" || (chord === "escape" && !escape)) return false;
      if (chord === "escape") escape?.();
      else if (chord !== "enter") return host.typeInto(field, event);
      else if (field.value.trim() !== "") submit(field.value.trim());
      return true;
    },
    view: (columns) => ({
      kind: "panel",
      title,
      body: { kind: "text", lines: lines(field.value.trim(), columns) },
      hint,
      field: { field, label, placeholder, ...(mask === undefined ? {} : { mask }) },
    }),
  };
}
