/** Who serves the model: a provider with a key, or a server on this machine. */

import { clouds } from "../../config/servers.ts";
import type { Host } from "./host.ts";
import { fitLine, pad, span } from "../line.ts";
import { sanitizeLine } from "../sanitize.ts";
import type { LocalServer, Next, ProviderOffer } from "../types.ts";
import { listPanel, type ListPanel } from "./old-list.ts";
import { bestFirst, loading, type PanelModel } from "./panel.ts";

/** Every provider and server that can serve a model, with what was found of each. */
export function connectPanel(host: Host): PanelModel {
  const offers = loading(host, host.services.providers.list(), "Looking for keys and servers …");
  const list: ListPanel = listPanel<ProviderOffer>(host, {
    title: "Connect",
    hint: "Enter select · Esc cancel",
    empty: () => offers.message,
    items: () => offers.value ?? [],
    footer: () => ["Keys that are pasted here are kept in memory only, until you quit."],
    group: ({ isReady }) => (isReady ? "ready" : "not set up yet"),
    text: ({ title, found }) => `${title} ${found}`,
    lines: ({ title, found, isReady }, columns) => [
      fitLine([`  ${pad(title, 17)}`, span(isReady ? "good" : "dim", found)], columns),
    ],
    onChoose(offer) {
      const { provider, server, title, keyName, isReady } = offer;
      if (server) list.opened = serverModels(host, server);
      else if (isReady || clouds.some((cloud) => cloud === provider))
        list.opened = providerModels(host, offer, null);
      else if (keyName === null)
        host.notify(`Start ${title} first; /connect then lists its models.`);
      else
        // A key is held in memory only; the screen shows a dot for each character.
        list.ask({
          label: `${title} API key: `,
          placeholder: "paste the key here",
          hint: "Enter use it until you quit; never stored · Esc cancel",
          mask: "•",
          onEnter(key) {
            if (key === "") return;
            if (provider === "anthropic")
              return connect(host, { kind: "provider", provider, key, model: null });
            list.ask(null);
            list.opened = providerModels(host, offer, key);
          },
        });
    },
  });
  return list;
}

function connect(host: Host, next: Next): void {
  host.show(null);
  host.open(next);
}

const serverModels = (host: Host, server: LocalServer): PanelModel =>
  listPanel<string>(host, {
    title: `${server.name} at ${server.baseUrl}`,
    hint: "Enter select · Esc back",
    items: () => server.models,
    lines: (model) => [`  ${sanitizeLine(model)}`],
    closes: true,
    onChoose: (model) => host.open({ kind: "server", baseUrl: server.baseUrl, model }),
  });

/** The models that a provider lists; where it lists none, the name of one is typed. */
function providerModels(host: Host, offer: ProviderOffer, key: string | null): PanelModel {
  const { title, provider } = offer;
  const names = loading(
    host,
    host.services.providers.models(provider, key),
    `Asking ${title} for its models …`,
  );
  return listPanel<string>(host, {
    title,
    hint: "Enter select · type a name or a part of it · Esc back",
    empty: () =>
      names.value
        ? `${title} lists no models: the key may be wrong. Type the name of a model to try it.`
        : names.message,
    isFiltered: true,
    items(typed) {
      const found = bestFirst(typed, names.value ?? [], String);
      const own = typed.trim();
      return found.length > 0 || own === "" ? found : [own];
    },
    label: "Model",
    lines: (model) => [`  ${sanitizeLine(model)}`],
    closes: true,
    onChoose: (model) => host.open({ kind: "provider", provider, key, model }),
  });
}
