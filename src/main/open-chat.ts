/**
 * Composition of chat: one service for every dialect over every upstream protocol, and a raw route
 * for each.
 */
import { performance } from "node:perf_hooks";
import { CHAT_UPSTREAMS } from "../serving/chat/chat-upstreams.ts";
import { createCountSampler } from "../serving/chat/sample-counts.ts";
import { createReportedCaches } from "../serving/chat/reported-caches.ts";
import { createLoadShedder, type LoadShedder } from "../serving/admission/load-shedder.ts";
import { createTurnBudget } from "../serving/admission/turn-budget.ts";
import type { ChatTracer } from "../serving/chat/chat-trace.ts";
import { createChatService, type ChatService } from "../serving/chat/serve-chat.ts";
import type { RateGate } from "../serving/admission/rate-gate.ts";
import type { Conversations } from "../serving/responses/conversation.ts";
import { createSeal } from "../kernel/seal.ts";
import type { SettlePipeline } from "../serving/money/settle-pipeline.ts";
import type { ClientAddress } from "../http/client-address.ts";
import { mountChat, type ChatMount } from "../http/mount-chat.ts";
import type { RawHandler } from "../http/node-server.ts";
import type { RefusalThrottle } from "../http/refusal-throttle.ts";
import type { RequestDone } from "../http/request-log.ts";
import { repeat } from "../process/repeat.ts";
import { countTexts, countTokens, tokenizer } from "../protocol/count-tokens.ts";
import { saveCountSample } from "../usage/count-samples.store.ts";
import type { Routing } from "./open-routing.ts";
import type { Parts } from "./parts.ts";
import { reportChat } from "../http/report-chat.ts";

export interface ChatParts extends Parts {
  readonly ledger: SettlePipeline;
  readonly limits: RateGate;
  readonly routing: Routing;
  readonly conversations: Conversations;
  readonly tracer: ChatTracer;
  readonly clientAddress: ClientAddress;
  /** Connections of callers of this process. */
  callers(): number;
  /** Hears each request that is refused because there is too much to do. */
  readonly refusals: Pick<RefusalThrottle, "refuse">;
  requestDone(done: RequestDone): void;
  /** As in the gateway's options. */
  readonly stalledMs?: number;
}

export interface Chat {
  readonly service: ChatService;
  /**
   * Whether turns stay long, so that what can wait does. It is asked as a newcomer is: what is not
   * asked about is not measured.
   */
  pressed(): boolean;
  /** All that is answered at once takes the turns of one process. */
  readonly loadShedder: LoadShedder;
  /** By path: every protocol, with nothing else about it but who is asking. */
  routesAt(mount: ChatMount): ReadonlyMap<string, RawHandler>;
  close(): Promise<void>;
}

/**
 * The first words of a stream are saved by the next tick: so much of them is lost with a process
 * that is killed.
 */
const TICK_MS = 250;
const TICK_FAILED = "a tick failed";

/** When the gateway serves, and before the first stream has much to count. */
const LOAD_TOKENIZER_MS = 500;
const TOKENIZER_FAILED = "the tokenizer could not be loaded";

/** More requests than should ever come at once: who is let in below it waits for tenths of a second. */
const MOST_WAITING = 1_500;
/** They keep the process busy, and each waits for hundredths of a second. */
const FEW_WAITING = 100;
/** Callers who are all served within a tenth of a second, whenever they come. */
const FEW_CALLERS = 256;

export function openChat(parts: ChatParts): Chat {
  const { env, db, clock, onError } = parts;
  const reports = reportChat(parts);
  const turns = createTurnBudget({
    clock,
    afterTurn: setImmediate,
    idleMs: () => performance.eventLoopUtilization().idle,
  });
  const loadShedder = createLoadShedder({
    most: MOST_WAITING,
    pressure: {
      turns,
      few: FEW_WAITING,
      callers: () => parts.callers(),
      fewCallers: FEW_CALLERS,
    },
  });
  const service = createChatService({
    ...parts,
    health: parts.routing.health,
    places: parts.routing.places,
    upstreams: CHAT_UPSTREAMS,
    loadShedder,
    credential: (name) => env[name],
    countTokens,
    countTexts,
    caches: createReportedCaches(clock),
    seal: createSeal(parts.sessionSecret),
    sampleCounts: createCountSampler({
      clock,
      countTexts,
      save: (sample) => saveCountSample(db, sample),
      onError: (error) => onError(TICK_FAILED, error),
    }),
    onSuspicion: reports.onSuspicion,
    onDone: reports.onDone,
    onReplayed: reports.onReplayed,
  });
  // A start does not wait for it; a count that is asked for before loads it at once.
  const loading = setTimeout(
    () => void tokenizer().catch((error: unknown) => onError(TOKENIZER_FAILED, error)),
    LOAD_TOKENIZER_MS,
  );
  const ticker = repeat(onError, { [TICK_FAILED]: [TICK_MS, () => service.tick()] });

  const mountDeps = {
    service,
    clock,
    tracer: parts.tracer,
    clientAddress: parts.clientAddress,
    refusals: parts.refusals,
    takeExtra: reports.takeExtra,
    requestDone: (done: RequestDone) => parts.requestDone(done),
    ...(parts.stalledMs === undefined ? {} : { stalledMs: parts.stalledMs }),
  };
  return {
    service,
    pressed: () => turns.look(),
    loadShedder,
    routesAt: (mount) => mountChat(mountDeps, mount),
    async close() {
      clearTimeout(loading);
      await ticker.stop();
    },
  };
}
