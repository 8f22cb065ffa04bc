import { type ReactNode, useState } from "react";
import { clouds } from "../../config/servers.ts";
import { pad } from "../painted-text.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useActions, useServices } from "../screen-context.ts";
import { span } from "../spans.ts";
import type { ProviderOffer } from "../types.ts";
import { ListPanel } from "./list-panel.tsx";
import { bestFirst } from "./navigation.ts";
import { useLoading } from "./use-loading.ts";

/** `apiKey`: pasted by the user; null: already configured, or not needed. */
type Chosen = { offer: ProviderOffer; apiKey: string | null };

/** Chooses a provider, or a server on this machine. */
export function ConnectPanel(): ReactNode {
  const { providers } = useServices();
  const { open, notify, show } = useActions();
  const offers = useLoading(() => providers.list(), "Looking for keys and servers …");
  const [chosen, setChosen] = useState<Chosen | null>(null);
  /** Provider whose key field is open. */
  const [keyless, askKey] = useState<ProviderOffer | null>(null);

  function choose(offer: ProviderOffer): void {
    const { provider, server, title, keyName, isReady } = offer;
    if (server || isReady || clouds.some((cloud) => cloud === provider))
      setChosen({ offer, apiKey: null });
    else if (keyName !== null) askKey(offer);
    else notify(`Start ${title} first; /connect then lists its models.`);
  }
  function takeKey(offer: ProviderOffer, key: string): void {
    const { provider } = offer;
    if (key === "") return;
    if (provider === "anthropic") {
      show(null);
      return open({ kind: "provider", provider, key, model: null });
    }
    askKey(null);
    setChosen({ offer, apiKey: key });
  }
  return (
    <ListPanel
      title="Connect"
      hint="Enter select · Tab enter a key · Esc cancel"
      empty={offers.message}
      items={offers.value ?? []}
      lines={({ title, found, isReady }) => [
        [`  ${pad(title, 17)}`, span(isReady ? "good" : "dim", found)],
      ]}
      group={({ isReady }) => (isReady ? "ready" : "not set up yet")}
      text={({ title, found }) => `${title} ${found}`}
      footer={() => ["Keys pasted here are kept in memory only, until you quit."]}
      onChoose={choose}
      keys={{ tab: (offer) => void (offer?.keyName && askKey(offer)) }}
      asked={
        // Held in memory only, masked on the screen.
        keyless && {
          label: `${keyless.title} API key: `,
          placeholder: "paste the key here",
          hint: "Enter use it until you quit; never stored · Esc cancel",
          mask: "•",
          onEnter: (key) => takeKey(keyless, key),
          onEscape: () => askKey(null),
        }
      }
      onBack={() => setChosen(null)}
      opened={chosen && <Models {...chosen} />}
    />
  );
}

/** Models listed by a provider or server; if it lists none, the user types a name. */
function Models({ offer, apiKey }: Chosen): ReactNode {
  const { title, provider, server } = offer;
  const { providers } = useServices();
  const { open } = useActions();
  const names = useLoading(
    async () => server?.models ?? providers.models(provider, apiKey),
    `Asking ${title} for its models …`,
  );
  const [words, setWords] = useState("");
  const found = bestFirst(words, names.value ?? [], String);
  const own = words.trim();
  const isUnlisted = own !== "" && found.length === 0 && (names.value ?? []).length > 0;
  const warning = `${title} does not list ${sanitizeLine(own)}. Enter tries it anyway.`;
  return (
    <ListPanel
      title={server ? `${server.name} at ${server.baseUrl}` : title}
      hint="Enter select · type a name or part of it · Esc back"
      empty={
        names.value
          ? `${title} lists no models: the key may be wrong. Esc, then Tab, takes another; or type a model name.`
          : names.message
      }
      items={found.length > 0 || own === "" ? found : [own]}
      lines={(model) => [`  ${sanitizeLine(model)}`]}
      footer={() => (isUnlisted ? [warning] : [])}
      onFilter={setWords}
      label="Model"
      closes
      onChoose={(model) =>
        open(
          server
            ? { kind: "server", baseUrl: server.baseUrl, model }
            : { kind: "provider", provider, key: apiKey, model },
        )
      }
    />
  );
}
