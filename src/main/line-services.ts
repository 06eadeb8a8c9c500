/** The services that lines of batches run through: at the prices of the version that admitted them, with the money of their batch. */
import { createPriceHistory } from "../business/requests/price-history.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { reportCall } from "../http/report-call.ts";
import { reportChat } from "../http/report-chat.ts";
import { createSeal } from "../kernel/seal.ts";
import { countTexts, countTokens } from "../protocol/count-tokens.ts";
import { createLoadShedder } from "../serving/admission/load-shedder.ts";
import type { RateGate } from "../serving/admission/rate-gate.ts";
import { createBatchCatalogue } from "../serving/batches/batch-catalogue.ts";
import type { BatchMoney } from "../serving/batches/batch-money.ts";
import { judgeBatchRaises } from "../serving/batches/judge-batch-raises.ts";
import type { PassRoute } from "../serving/batches/passes/assign-passes.ts";
import { onlyRoute } from "../serving/batches/passes/only-route.ts";
import {
  createPassLines,
  type PassLines,
  type PassLinesDeps,
  type SilentUpstream,
} from "../serving/batches/passes/pass-lines.ts";
import { createCallService, type CallService } from "../serving/calls/serve-call.ts";
import { CHAT_UPSTREAMS } from "../serving/chat/chat-upstreams.ts";
import { createReportedCaches } from "../serving/chat/reported-caches.ts";
import { createChatService, type ChatService } from "../serving/chat/serve-chat.ts";
import { createCircuitBreakers } from "../serving/routing/circuit-breakers.ts";
import { createConcurrencyLimiter } from "../serving/routing/concurrency-limiter.ts";
import type { BatchesParts } from "./batches-parts.ts";

/** Lines need no shedder: no more of them begin than may run. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;
/** What the rate limits of a key count is what its callers send one by one. */
const UNLIMITED: RateGate = { admit: () => ({ standing: null, end: () => null }) };

interface Services {
  readonly chat: ChatService;
  readonly calls: CallService;
}

interface LiveCatalogue {
  current(): { readonly version: number; readonly catalogue: Catalogue };
}

export interface LineServicesByVersion {
  /** Null: its prices cannot be read now. */
  of(priceVersion: number): Promise<Services | null>;
  /** Lines over one route whose upstream is not called; null as above, or where it is not there. */
  passLinesOf(
    priceVersion: number,
    route: PassRoute,
    run: PassLinesDeps["run"],
  ): Promise<PassLines | null>;
  tick(): void;
  /** Ends what is under way; nothing more is served. */
  cut(): Promise<void>;
}

export function openLineServices(parts: BatchesParts, money: BatchMoney): LineServicesByVersion {
  const { env, db, clock, catalogue, routing } = parts;
  const chats = reportChat(parts);
  const calls = reportCall(parts);
  const prices = createPriceHistory(db, env);
  const services = new Map<number, Services>();
  const caches = createReportedCaches(clock);
  const each = <T>(what: (service: ChatService | CallService) => T): T[] =>
    [...services.values()].flatMap((made) => [what(made.chat), what(made.calls)]);

  function make(
    wanted: Pick<BatchesParts, "outgoing"> & {
      readonly catalogue: LiveCatalogue;
      readonly routing: BatchesParts["routing"];
      readonly heard: boolean;
    },
  ): Services {
    const shared = {
      ...parts,
      outgoing: wanted.outgoing,
      catalogue: wanted.catalogue,
      ledger: money.ledger,
      limits: UNLIMITED,
      health: wanted.routing.health,
      places: wanted.routing.places,
      loadShedder: createLoadShedder({ most: UNBOUNDED }),
      credential: (name: string) => env[name],
      countTexts,
      onReplayed: () => undefined,
    };
    const { heard } = wanted;
    // Lines have no log line of their own.
    return {
      chat: createChatService({
        ...shared,
        judgeRaises: judgeBatchRaises,
        upstreams: CHAT_UPSTREAMS,
        seal: createSeal(parts.sessionSecret),
        countTokens,
        caches,
        onSuspicion: (...suspicion) => heard && chats.onSuspicion(...suspicion),
        onDone(summary) {
          if (!heard) return;
          chats.onDone(summary);
          chats.takeExtra(summary.run.call.requestId);
        },
      }),
      calls: createCallService({
        ...shared,
        onSuspicion: (...suspicion) => heard && calls.onSuspicion(...suspicion),
        onDone(summary) {
          if (!heard) return;
          calls.onDone(summary);
          calls.takeExtra(summary.run.call.requestId);
        },
      }),
    };
  }

  async function versioned(version: number): Promise<LiveCatalogue | null> {
    const now = catalogue.current();
    const then = now.version === version ? now : await prices.find(version);
    if (then === null || then.catalogue === null) return null;
    return createBatchCatalogue(catalogue, { version, catalogue: then.catalogue });
  }

  return {
    async of(version) {
      const known = services.get(version);
      if (known !== undefined) return known;
      const priced = await versioned(version);
      if (priced === null) return null;
      const { outgoing } = parts;
      const made =
        services.get(version) ?? make({ catalogue: priced, outgoing, routing, heard: true });
      services.set(version, made);
      return made;
    },

    async passLinesOf(version, route, run) {
      const priced = await versioned(version);
      const only = priced === null ? null : onlyRoute(priced.current(), route);
      if (only === null) return null;
      const over =
        (heard: boolean) =>
        ({ outgoing }: SilentUpstream): Services =>
          make({
            catalogue: { current: () => only },
            outgoing,
            // What is not called has no health, and no places.
            routing: {
              health: createCircuitBreakers({
                clock,
                kinds: new Set(),
                onCircuit: () => undefined,
              }),
              places: createConcurrencyLimiter(),
            },
            heard,
          });
      return createPassLines({ recording: over(false), settling: over(true), run });
    },

    tick: () => void each((service) => service.tick()),
    async cut() {
      await Promise.all(each((service) => service.drain(0)));
    },
  };
}
