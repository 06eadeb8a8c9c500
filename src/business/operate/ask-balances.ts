/**
 * Asks the providers of upstreams what is left with them: each by one process of all, every few
 * minutes, more seldom while it fails.
 */
import type { Catalogue, UpstreamBalance, UpstreamConfig } from "../../catalogue/catalogue.ts";
import type { Environment } from "../../catalogue/interpolate.ts";
import type { BalanceFailure } from "../../contract/enums/balance-kind.ts";
import type { Db } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Outgoing } from "../../net/outgoing.ts";
import { billionthsOf } from "../../protocol/json/decimal-of.ts";
import { askBalance } from "../../upstreams/balances/ask-balance.ts";
import { withSample } from "./balance-trend.ts";
import {
  claimBalance,
  forgetOtherBalances,
  noteBalance,
  noteFailure,
  storedBalances,
  type StoredBalance,
} from "./upstream-balances.store.ts";

export interface BalanceWorkDeps {
  readonly db: Db;
  readonly clock: Pick<Clock, "now">;
  readonly env: Environment;
  readonly outgoing: Outgoing;
  readonly catalogue: { current(): { readonly catalogue: Catalogue } };
  /** Each time that one was asked. */
  onAsked(outcome: "reported" | BalanceFailure): void;
}

export interface BalanceWork {
  /** One look: asks those that are due. Returns what is known by now. */
  tick(): Promise<readonly StoredBalance[]>;
  /** What is under way is given up. */
  stop(): void;
}

/** Longer than a question with all its deadlines takes: no other process asks meanwhile. */
const EVERY_SECONDS = 300;
const LONGEST_SECONDS = 3_600;

type Asked = UpstreamConfig & { readonly balance: UpstreamBalance };

export function createBalanceWork(deps: BalanceWorkDeps): BalanceWork {
  const { db, catalogue } = deps;
  const stopping = new AbortController();
  /** Those whose rows were kept last. */
  let kept: string | null = null;

  return {
    async tick() {
      const asked = [...catalogue.current().catalogue.upstreams.values()].filter(hasBalance);
      const names = asked.map(({ name }) => name);
      if (kept !== names.join()) {
        await forgetOtherBalances(db, names);
        kept = names.join();
      }
      if (asked.length === 0) return [];
      const stored = new Map((await storedBalances(db)).map((row) => [row.upstream, row]));
      await Promise.all(
        asked.map((upstream) => askOne(deps, upstream, stored.get(upstream.name), stopping.signal)),
      );
      return storedBalances(db);
    },
    stop: () => stopping.abort(),
  };
}

function hasBalance(upstream: UpstreamConfig): upstream is Asked {
  return upstream.balance !== undefined;
}

async function askOne(
  { db, clock, env, outgoing, onAsked }: BalanceWorkDeps,
  { name, baseUrl, apiKeyEnv, balance }: Asked,
  stored: StoredBalance | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (stored !== undefined && !stored.due) return;
  if (!(await claimBalance(db, name, EVERY_SECONDS))) return;
  const variable = balance.apiKeyEnv ?? apiKeyEnv[0] ?? "";
  const credential = (env[variable] ?? "").trim();
  const below = balance.alertBelow === undefined ? null : billionthsOf(balance.alertBelow);
  const outcome =
    credential === ""
      ? ({ kind: "failed", why: "no_credential", status: null } as const)
      : await askBalance(
          outgoing,
          {
            kind: balance.kind,
            upstreamUrl: baseUrl,
            baseUrl: balance.baseUrl ?? null,
            credential,
          },
          signal,
        );
  // Given up at a stop, it says nothing: the process that looks next asks in its time.
  if (signal.aborted) return;
  if (outcome.kind === "failed") {
    const { why: failure, status } = outcome;
    const againSeconds = secondsAfter((stored?.failures ?? 0) + 1);
    await noteFailure(db, { upstream: name, againSeconds, failure, status, below });
    return onAsked(failure);
  }
  const { amountNano: amount, currency } = outcome;
  const before = stored?.currency === currency ? stored.samples : [];
  const samples = withSample(before, clock.now(), amount);
  await noteBalance(db, {
    upstream: name,
    againSeconds: EVERY_SECONDS,
    amount,
    currency,
    below,
    samples,
  });
  onAsked("reported");
}

/** Twice as long after each failure in a row. */
export function secondsAfter(failures: number): number {
  return Math.min(LONGEST_SECONDS, EVERY_SECONDS * 2 ** Math.min(failures - 1, 10));
}
