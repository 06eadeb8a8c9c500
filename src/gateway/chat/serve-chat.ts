/** The use case of a chat request: admit it, hold its money, get an answer from the first route that has one, settle, answer. */
import type { Catalogue, ChatModel } from "../../catalogue/catalogue.ts";
import { Fault, toFault } from "../../kernel/faults.ts";
import { formatRequestId } from "../../kernel/ids.ts";
import { KEEP_ALIVE_MS } from "../../kernel/limits.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { formatRoubles, ZERO_NANO } from "../../kernel/money.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { HoldRequest, HoldVerdict } from "../../ledger/hold-verdicts.ts";
import { checkKeyAccess } from "../authenticate.ts";
import { encodeHoldDetail } from "../hold-detail.ts";
import type { ChatCall } from "./chat-call.ts";
import type { Frame } from "./chat-dialect.ts";
import type { ChatRun, ChatRunDeps, ChatState, Settled } from "./chat-run.ts";
import { createChatRun, holdDetail } from "./chat-run.ts";
import { planHold } from "./plan-hold.ts";
import type { HoldPlan } from "./plan-hold.ts";
import { refuseHold } from "./refuse-hold.ts";
import type { Relay, RelayEnd, StreamOutput } from "./relay-stream.ts";
import { relayStream } from "./relay-stream.ts";
import type { OpenedRoute, RouteAttemptsDeps } from "./route-attempts.ts";
import { createRouteAttempts } from "./route-attempts.ts";

/** What is told about a chat request when it is over, for the log and the metrics. */
export interface ChatSummary {
  readonly run: ChatRun;
  readonly state: ChatState;
  readonly settled: Settled;
  readonly fault: Fault | null;
}

export interface ChatServiceDeps extends RouteAttemptsDeps, ChatRunDeps {
  readonly catalogue: { current(): { readonly version: number; readonly catalogue: Catalogue } };
  readonly ownerId: string;
  onDone(summary: ChatSummary): void;
}

export interface ChatService {
  /** Resolves when the reply is over. Throws a Fault while nothing has been sent; the door renders it. */
  serve(call: ChatCall): Promise<void>;
  /** Keep-alives, saved progress, overdue drains; to be called about once a second. */
  tick(): void;
  /** Lets running requests finish until the deadline, then stops and settles the rest. */
  drain(deadlineMs: number): Promise<void>;
  readonly active: number;
}

const SAVE_EVERY_MS = 3_000;
/** No count of frames: the next turn tries again. */
const NOTHING_SAVED = -1;
/** Longer than any statement may run in the database. */
const RELEASE_AFTER_MS = 15_000;
/** A stream whose caller went away is read to its usage for at most this long, where the upstream's policy is to drain. */
const DRAIN_TO_USAGE_MS = 60_000;
/** How long the last bytes wait for the ledger while it is out of reach. */
const LAST_BYTES_WAIT_MS = 60_000;
const ABSENT = { kind: "absent" } as const;
const NOTHING_DELIVERED = { anything: false, text: "" };
const BROKEN_OFF = "The upstream broke off before the answer was complete.";

export function createChatService(deps: ChatServiceDeps): ChatService {
  const { dialect, clock } = deps;
  const active = new Set<ChatRun>();
  const routes = createRouteAttempts(deps);
  let draining = false;
  let deadlinePassed = false;
  /** Requests whose hold is being decided. */
  let admitting = 0;
  let idle: (() => void) | null = null;

  function findModel(catalogue: Catalogue, id: string): ChatModel {
    const model = catalogue.models.get(id);
    if (model === undefined) {
      throw new Fault("model_not_found", { message: `There is no model "${id}". GET /v1/models lists what there is.`, param: "model" });
    }
    if (model.type !== "chat" || !model.endpoints.includes(dialect.endpoint)) {
      throw new Fault("wrong_endpoint", {
        message: `The model "${id}" is not served at this endpoint; its entry in GET /v1/models names those that are.`,
        param: "model",
      });
    }
    return model;
  }

  async function admit(call: ChatCall): Promise<{ run: ChatRun; whole: boolean; catalogue: Catalogue }> {
    if (draining) throw new Fault("overloaded", { retryAfterSeconds: 1 });
    const reading = dialect.readRequest(call.body);
    if (!reading.ok) throw reading.fault;
    const request = reading.request;
    const { version, catalogue } = deps.catalogue.current();
    const model = findModel(catalogue, request.model);
    checkKeyAccess(call.key, { model: model.id, ip: call.ip });
    const plan = planHold(model, request);
    const hold = await holdOrForget({
      holdId: call.requestId,
      accountId: call.key.accountId,
      budgetId: call.key.keyId,
      ownerId: deps.ownerId,
      // A stream never holds its whole limit; a short whole answer may (contract §6).
      fullNano: request.stream ? null : plan.fullNano,
      sliceNano: plan.sliceNano,
      minimumNano: plan.minimumNano,
      reference: `request:${formatRequestId(call.requestId)}`,
      priceVersion: version,
      detail: encodeHoldDetail(holdDetail(call, request, model, version, NO_USAGE)),
    });
    if (hold.kind !== "held") throw refuseHold(hold, plan.minimumNano);
    const run = createChatRun(deps, { call, request, model, plan, priceVersion: version, hold, coveredTokens: tokensOf(plan, hold.tier) });
    return { run, whole: hold.tier === "full", catalogue };
  }

  /**
   * A hold whose verdict never came may have been made all the same: this process lives, so nobody else would end it. It is ended here,
   * once whatever was in flight has been decided.
   */
  async function holdOrForget(request: HoldRequest): Promise<HoldVerdict> {
    try {
      return await deps.ledger.hold(request);
    } catch (error) {
      releaseLater(request.holdId);
      throw error;
    }
  }

  function releaseLater(holdId: Uuid): void {
    const timer = setTimeout(() => {
      deps.ledger.settle({ holdId, chargeNano: ZERO_NANO, lossNano: ZERO_NANO, receipt: null }).catch(() => releaseLater(holdId));
    }, RELEASE_AFTER_MS);
    timer.unref();
  }

  /** Runs an open stream into an output until its end. */
  async function relayTo(run: ChatRun, opened: OpenedRoute, output: StreamOutput): Promise<{ end: RelayEnd; relay: Relay }> {
    run.abortCurrent = () => opened.stream.exchange.abort();
    const running = relayStream(opened.stream, output, run.coverage);
    run.relay = running;
    run.onGone = () => running.clientGone(opened.upstream.onDisconnect);
    if (run.call.reply.gone) run.onGone();
    if (run.cut) running.shutDown();
    const end = await running.end;
    run.call.trace.answered();
    run.finishReason = opened.stream.reader.finishReason;
    run.responseModel = opened.stream.reader.model;
    return { end, relay: running };
  }

  async function serveStream(run: ChatRun, catalogue: Catalogue): Promise<ChatState> {
    const { reply } = run.call;
    const opened = await routes.open(run, catalogue, run.request.includeUsage);
    const output: StreamOutput = {
      write(frames) {
        run.lastWriteMs = clock.monotonicMs();
        run.firstContentMs ??= run.lastWriteMs;
        reply.startStream();
        return reply.write(joinBytes(frames));
      },
      onDrain: (listener) => reply.onDrain(listener),
    };
    const { end, relay: relayed } = await relayTo(run, opened, output);
    const state = stateOf(run, end);
    const { progress } = relayed;
    // A broken stream that delivered nothing costs nothing, whatever usage it claimed.
    const reading = end.kind === "complete" || progress.anything ? progress.usage : ABSENT;
    const settling = run.settle(state, reading, { anything: progress.anything, text: progress.text() });
    const settled = await settledOrLate(settling);
    reply.startStream();
    switch (end.kind) {
      case "complete":
        reply.end(end.lastBytes);
        break;
      case "stopped-by-balance":
        reply.end(opened.stream.reader.limitStop(settled?.charge.usage ?? NO_USAGE));
        break;
      case "client-gone":
        reply.breakOff(null);
        break;
      case "interrupted":
      case "lost":
        reply.breakOff(errorEvent(run, new Fault("upstream_error", { message: BROKEN_OFF })));
        break;
      case "shut-down":
        reply.breakOff(errorEvent(run, new Fault("overloaded", { message: "The gateway is restarting; the answer was cut off here." })));
        break;
    }
    return state;
  }

  /** A whole answer whose worst case is held: one request, one body. */
  async function servePassed(run: ChatRun, catalogue: Catalogue): Promise<ChatState> {
    const { contentType, body, reading } = await routes.fetch(run, catalogue);
    run.call.trace.answered();
    run.firstContentMs = clock.monotonicMs();
    run.finishReason = reading.finishReason;
    run.responseModel = reading.model;
    const state: ChatState = run.call.reply.gone ? "client_gone" : "completed";
    const settled = await settledOrLate(run.settle(state, reading.usage, { anything: reading.hasContent, text: reading.text }));
    sendJson(run, body, contentType, settled);
    return state;
  }

  /** A whole answer whose worst case is too much to hold at once: streamed from the upstream under a rolling hold, then put together. */
  async function serveAssembled(run: ChatRun, catalogue: Catalogue): Promise<ChatState> {
    const opened = await routes.open(run, catalogue, true);
    const assembler = dialect.createAssembler();
    const output: StreamOutput = {
      write(frames) {
        run.firstContentMs ??= clock.monotonicMs();
        for (const frame of frames) assembler.push(frame);
        return true;
      },
      onDrain: () => undefined,
    };
    const { end, relay: relayed } = await relayTo(run, opened, output);
    // Of a broken whole answer nothing reaches the caller, so nothing is charged.
    if (end.kind === "shut-down") throw new Fault("overloaded", { retryAfterSeconds: 1 });
    if (end.kind === "interrupted" || end.kind === "lost") throw new Fault("upstream_error", { message: BROKEN_OFF });
    if (end.kind === "client-gone") return "client_gone";
    const state = stateOf(run, end);
    const { progress } = relayed;
    const settled = await settledOrLate(run.settle(state, progress.usage, { anything: progress.anything, text: progress.text() }));
    const stoppedUsage = end.kind === "stopped-by-balance" ? (settled?.charge.usage ?? NO_USAGE) : null;
    sendJson(run, assembler.finish(stoppedUsage), "application/json", settled);
    return state;
  }

  function sendJson(run: ChatRun, body: Buffer, contentType: string, settled: Settled | null): void {
    const cost: Record<string, string> = settled === null ? {} : { "x-tollgate-cost": formatRoubles(settled.chargedNano) };
    run.call.reply.json(200, { "content-type": contentType, ...cost }, body);
  }

  function errorEvent(run: ChatRun, fault: Fault): Buffer {
    return dialect.errorEvent(fault, formatRequestId(run.call.requestId));
  }

  /** Admits under the eyes of a drain: one that begins meanwhile waits for this request too. */
  async function admitOrDrain(call: ChatCall): ReturnType<typeof admit> {
    admitting += 1;
    try {
      const admitted = await admit(call);
      active.add(admitted.run);
      admitted.run.cut = deadlinePassed;
      return admitted;
    } finally {
      admitting -= 1;
      tellIfIdle();
    }
  }

  /** Ends the hold of a run that has got its answer or failed, and lets it go. */
  async function conclude(run: ChatRun, state: ChatState, fault: Fault | null): Promise<void> {
    try {
      // A no-op where the request was settled before; the one place that releases what nothing was delivered for.
      const settled = await run.settle(state, ABSENT, NOTHING_DELIVERED);
      deps.onDone({ run, state, settled, fault });
    } finally {
      leave(run);
    }
  }

  function watchClient(run: ChatRun): void {
    run.call.reply.onGone(() => {
      run.goneAtMs = clock.monotonicMs();
      run.onGone?.();
    });
  }

  function leave(run: ChatRun): void {
    run.releasePlace?.();
    active.delete(run);
    tellIfIdle();
  }

  function tellIfIdle(): void {
    if (active.size === 0 && admitting === 0) idle?.();
  }

  return {
    get active() {
      return active.size;
    },

    async serve(call) {
      const { run, whole, catalogue } = await admitOrDrain(call);
      let state: ChatState = "failed";
      let fault: Fault | null = null;
      try {
        watchClient(run);
        if (run.request.stream) state = await serveStream(run, catalogue);
        else if (whole) state = await servePassed(run, catalogue);
        else state = await serveAssembled(run, catalogue);
      } catch (thrown) {
        fault = toFault(thrown);
        state = call.reply.gone ? "client_gone" : "failed";
        run.failed = true;
        run.abortCurrent?.();
      }
      const over = conclude(run, state, fault);
      if (fault === null) return over;
      await settledOrLate(over);
      if (!call.reply.streamStarted) throw fault;
      call.reply.breakOff(errorEvent(run, fault));
    },

    tick() {
      const nowMs = clock.monotonicMs();
      for (const run of active) {
        const { reply } = run.call;
        // What has failed gets its own status as soon as its hold is released, not a 200 that says nothing.
        const awaited = run.request.stream && !reply.gone && !(run.failed && !reply.streamStarted);
        if (awaited && nowMs - run.lastWriteMs >= KEEP_ALIVE_MS) {
          run.lastWriteMs = nowMs;
          reply.startStream();
          reply.write(dialect.keepAlive);
        }
        const relay = run.relay;
        if (relay === null) continue;
        if (relay.progress.contentFrames !== run.savedFrames && nowMs - run.savedAtMs >= SAVE_EVERY_MS) {
          run.savedFrames = relay.progress.contentFrames;
          run.savedAtMs = nowMs;
          run.saveProgress().catch(() => (run.savedFrames = NOTHING_SAVED));
        }
        if (run.goneAtMs !== null && nowMs - run.goneAtMs >= DRAIN_TO_USAGE_MS) relay.shutDown();
      }
    },

    async drain(deadlineMs) {
      draining = true;
      const { promise, resolve } = Promise.withResolvers<void>();
      idle = resolve;
      tellIfIdle();
      const timer = setTimeout(() => {
        deadlinePassed = true;
        for (const run of active) {
          run.cut = true;
          if (run.relay === null) run.abortCurrent?.();
          else run.relay.shutDown();
        }
      }, deadlineMs);
      await promise;
      clearTimeout(timer);
    },
  };
}

function tokensOf(plan: HoldPlan, tier: "full" | "slice" | "minimum"): number {
  if (tier === "full") return plan.limitTokens;
  return tier === "slice" ? plan.sliceTokens : plan.minimumTokens;
}

function stateOf(run: ChatRun, end: RelayEnd): ChatState {
  switch (end.kind) {
    case "complete":
      // Read to its usage after the client had left: delivered to nobody, but produced and charged.
      return run.goneAtMs === null ? "completed" : "client_gone";
    case "stopped-by-balance":
      return "stopped_by_balance";
    case "client-gone":
      return "client_gone";
    case "interrupted":
    case "lost":
    case "shut-down":
      return "interrupted";
  }
}

function joinBytes(frames: readonly Frame[]): Buffer {
  const [first] = frames;
  return frames.length === 1 && first !== undefined ? first.bytes : Buffer.concat(frames.map((frame) => frame.bytes));
}

/** Waits for the ledger, but not for ever: past the bound the client gets its last bytes while the settlement goes on. */
async function settledOrLate<T>(settling: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), LAST_BYTES_WAIT_MS);
  });
  try {
    return await Promise.race([settling, late]);
  } finally {
    clearTimeout(timer);
  }
}
