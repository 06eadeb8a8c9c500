/**
 * Composition of chat: one service for every dialect over every upstream protocol, and a raw route
 * for each.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { LiveCatalogue } from "../catalogue/live-catalogue.ts";
import { CHAT_ENDPOINTS, type ChatEndpoint } from "../contract/enums/chat-endpoint.ts";
import { attachRefusal, withRefusalEvents } from "../http/attach-refusal.ts";
import { CHAT_PLACES } from "../http/chat-places.ts";
import { CHAT_UPSTREAMS } from "../serving/chat/chat-upstreams.ts";
import { createCountSampler } from "../serving/chat/sample-counts.ts";
import type { ChatService } from "../serving/chat/serve-chat.ts";
import { createReportedCaches } from "../serving/chat/reported-caches.ts";
import { createLoadShedder } from "../serving/admission/load-shedder.ts";
import { createChatService } from "../serving/chat/serve-chat.ts";
import type { Caller } from "../serving/admission/find-caller.ts";
import type { Idempotency } from "../serving/admission/idempotency.ts";
import type { RateGate } from "../serving/admission/rate-gate.ts";
import type { SettlePipeline } from "../serving/money/settle-pipeline.ts";
import { createChatRoute } from "../http/chat-route.ts";
import type { ClientAddress } from "../http/client-address.ts";
import { renderFault } from "../http/error-family.ts";
import type { Metrics } from "../http/metrics.ts";
import type { RawHandler } from "../http/node-server.ts";
import { rateLimitHeaders } from "../http/rate-limit-headers.ts";
import { createRefusalThrottle } from "../http/refusal-throttle.ts";
import type { RequestDone } from "../http/request-log.ts";
import type { Clock } from "../kernel/clock.ts";
import { formatRequestId } from "../kernel/ids.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Outgoing } from "../net/outgoing.ts";
import { CHAT_DIALECTS } from "../protocol/chat-dialects.ts";
import { countTexts, countTokens, tokenizer } from "../protocol/count-tokens.ts";
import type { CountSample } from "../usage/count-samples.store.ts";
import type { Config, Environment } from "../config/config.ts";
import { every } from "./every.ts";
import type { Log } from "../log/log.ts";
import type { Routing } from "./open-routing.ts";
import { openChatTracer } from "./open-chat-tracer.ts";
import { reportChat } from "../http/report-chat.ts";
import { watchBusyShare } from "./watch-busy-share.ts";

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

/** Where chat is answered, and whom it is answered to. */
export interface ChatMount {
  /** Its callers are pages: they get the panel's refusal beside that of the protocol. */
  readonly forPages?: boolean;
  /** Before `/chat/completions` and `/messages`. */
  readonly prefix: string;
  /** Throws the fault that refuses the caller. `fresh`: as a chat route asks for it. */
  authenticate(headers: IncomingHttpHeaders, fresh: boolean): Caller | Promise<Caller>;
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

  const turns = createRefusalThrottle();

  function routeAt(mount: ChatMount, endpoint: ChatEndpoint): readonly [string, RawHandler] {
    const { path, errors } = CHAT_PLACES[endpoint];
    const { forPages = false } = mount;
    const route = mount.prefix + path;
    const handler = createChatRoute({
      path: route,
      dialect: forPages ? withRefusalEvents(CHAT_DIALECTS[endpoint]) : CHAT_DIALECTS[endpoint],
      service,
      clock,
      tracer: tracing.tracer,
      authenticate: (headers, fresh) => mount.authenticate(headers, fresh),
      clientAddress: deps.clientAddress,
      turns,
      ...(deps.stalledMs === undefined ? {} : { stalledMs: deps.stalledMs }),
      renderError(fault, requestId) {
        const id = formatRequestId(requestId);
        const rendered = renderFault(errors, fault, id);
        return forPages ? attachRefusal(rendered, fault, id) : rendered;
      },
      renderStanding: (standing) => rateLimitHeaders(errors, standing, false),
      onDone(done) {
        deps.requestDone({
          requestId: done.requestId,
          method: "POST",
          route,
          status: done.status,
          ms: clock.monotonicMs() - done.startedMs,
          key: done.key,
          fault: done.fault,
          aborted: done.aborted,
          extra: reports.takeExtra(done.requestId),
        });
      },
    });
    return [route, handler];
  }

  return {
    service,
    routesAt: (mount) => new Map(CHAT_ENDPOINTS.map((endpoint) => routeAt(mount, endpoint))),
    async close() {
      await ticker.stop();
      await tracing.close();
    },
  };
}
