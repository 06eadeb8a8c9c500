/** Balances with the providers of upstreams: asked for, and shown in /metrics. */
import { createBalanceWork } from "../../business/operate/ask-balances.ts";
import type { StoredBalance } from "../../business/operate/upstream-balances.store.ts";
import { countBy } from "../../http/count-by.ts";
import { formatRoubles, nano } from "../../kernel/money.ts";
import { repeat, type Repeater } from "../../process/repeat.ts";
import type { Parts } from "../parts.ts";

/** How late one is asked that is due. */
const LOOK_MS = 30_000;

export function workBalances(
  parts: Parts,
  { lookMs }: { readonly lookMs: number } = { lookMs: LOOK_MS },
): Repeater {
  const { metrics, onError } = parts;
  let known: readonly StoredBalance[] = [];
  const work = createBalanceWork({
    ...parts,
    onAsked: countBy(metrics, {
      name: "upstream_balance_questions",
      help: "How often providers of upstreams were asked what is left with them, by what came of it.",
      label: "outcome",
    }),
  });
  metrics.watch({
    name: "upstream_balance",
    help: "What is left with the provider of an upstream, as it tells, in its own currency; where it fails to tell, what it told last.",
    label: "upstream",
    together: "max",
    read: () =>
      new Map(
        known.flatMap(({ upstream, amount }) =>
          amount === null ? [] : [[upstream, Number(formatRoubles(nano(amount)))] as const],
        ),
      ),
  });
  metrics.watch({
    name: "upstream_balance_failures",
    help: "Failures in a row to learn what is left with the provider of an upstream.",
    label: "upstream",
    together: "max",
    read: () => new Map(known.map(({ upstream, failures }) => [upstream, failures])),
  });
  const repeater = repeat(onError, {
    "balances of upstreams could not be asked for": [
      lookMs,
      async () => void (known = await work.tick()),
    ],
  });
  return {
    async stop() {
      work.stop();
      await repeater.stop();
    },
  };
}
