/**
 * Composition of chat: one service for every dialect over every upstream protocol, and a raw route
 * for each.
 */
import { performance } from "node:perf_hooks";
import type { LiveCatalogue } from "../catalogue/live-catalogue.ts";
import { CHAT_UPSTREAMS } from "../serving/chat/chat-upstreams.ts";
import { createCountSampler } from "../serving/chat/sample-counts.ts";
import type { ChatService } from "../serving/chat/serve-chat.ts";
import { createReportedCaches } from "../serving/chat/reported-caches.ts";
import { createLoadShedder } from "../serving/admission/load-shedder.ts";
import { createChatService } from "../serving/chat/serve-chat.ts";
import type { Idempotency } from "../serving/admission/idempotency.ts";
import type { RateGate } from "../serving/admission/rate-gate.ts";
import type { SettlePipeline } from "../serving/money/settle-pipeline.ts";
import type { ClientAddress } from "../http/client-address.ts";
import type { Metrics } from "../http/metrics.ts";
import { mountChat, type ChatMount } from "../http/mount-chat.ts";
import type { RawHandler } from "../http/node-server.ts";
import { createRefusalThrottle } from "../http/refusal-throttle.ts";
import type { RequestDone } from "../http/request-log.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Outgoing } from "../net/outgoing.ts";
import { countTexts, countTokens, tokenizer } from "../protocol/count-tokens.ts";
import type { CountSample } from "../usage/count-samples.store.ts";
import type { Config, Environment } from "../config/config.ts";
import { every } from "./every.ts";
import type { Log } from "../log/log.ts";
import type { Routing } from "./open-routing.ts";
import { openChatTracer } from "./open-chat-tracer.ts";
import { reportChat } from "../http/report-chat.ts";

export interface ChatDeps {
  readonly config: Config;
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly ownerId: Uuid;
  readonly catalogue: Pick<LiveCatalogue, "current">;
  readonly ledger: SettlePipeline;
  readonly limits: RateGate;
  readonly idempotency: Idempotency;
  readonly outgoing: Outgoing;
  readonly routing: Pick<Routing, "health" | "places">;
  readonly clientAddress: ClientAddress;
  /** Connections of callers of this process. */
  callers(): number;
  requestDone(done: RequestDone): void;
  saveCountSample(sample: CountSample): Promise<void>;
  onTickFailed(error: unknown): void;
  /** As in the gateway's options. */
  readonly stalledMs?: number;
}

export interface Chat {
  readonly service: ChatService;
  /** By path: every protocol, with nothing else about it but who is asking. */
  routesAt(mount: ChatMount): ReadonlyMap<string, RawHandler>;
  close(): Promise<void>;
}

/**
 * The first words of a stream are saved by the next tick: so much of them is lost with a process
 * that is killed.
 */
const TICK_MS = 250;

export async function openChat(deps: ChatDeps): Promise<Chat> {
  const { config, env, clock, log, metrics, ownerId } = deps;
  // At the first count, others would wait for it.
  const counting = tokenizer();
  const tracing = await openChatTracer({ config, instanceId: ownerId, clock, log });
  const reports = reportChat({ log, metrics, clock });
  const service = createChatService({
    upstreams: CHAT_UPSTREAMS,
    catalogue: deps.catalogue,
    ledger: deps.ledger,
    limits: deps.limits,
    idempotency: deps.idempotency,
    outgoing: deps.outgoing,
    clock,
    loadShedder: createLoadShedder({
      clock,
      busyShare: watchBusyShare(),
      callers: () => deps.callers(),
    }),
    health: deps.routing.health,
    places: deps.routing.places,
    ownerId,
    credential: (name) => env[name],
    countTokens,
    countTexts,
    caches: createReportedCaches(clock),
    sampleCounts: createCountSampler({
      clock,
      countTexts,
      save: deps.saveCountSample,
      onError: deps.onTickFailed,
    }),
    onSuspicion: reports.onSuspicion,
    onDone: reports.onDone,
    onReplayed: reports.onReplayed,
  });
  await counting;
  const ticker = every(TICK_MS, () => service.tick(), deps.onTickFailed);

  const mountDeps = {
    service,
    clock,
    tracer: tracing.tracer,
    clientAddress: deps.clientAddress,
    turns: createRefusalThrottle(),
    takeExtra: reports.takeExtra,
    requestDone: (done: RequestDone) => deps.requestDone(done),
    ...(deps.stalledMs === undefined ? {} : { stalledMs: deps.stalledMs }),
  };
  return {
    service,
    routesAt: (mount) => mountChat(mountDeps, mount),
    async close() {
      await ticker.stop();
      await tracing.close();
    },
  };
}

/**
 * How busy this process is: returns what tells the share of the time, since it was asked last, in
 * which the event loop had something to do.
 */
function watchBusyShare(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}
