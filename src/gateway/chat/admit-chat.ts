/** Decides whether a chat request may run: reads it, checks what its key may do, looks whether it was answered before, asks its rate limits, and holds its money. */
import type { Catalogue } from "../../catalogue/catalogue.ts";
import { digestRequest } from "../../idempotency/digest-request.ts";
import { formatRequestId } from "../../kernel/ids.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { ZERO_NANO } from "../../kernel/money.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { HoldRequest, HoldVerdict } from "../../ledger/hold-verdicts.ts";
import { checkKeyAccess } from "../authenticate.ts";
import { encodeHoldDetail } from "../hold-detail.ts";
import type { Idempotency, Replay } from "../idempotency.ts";
import type { ChatCall } from "./chat-call.ts";
import type { ChatRun, ChatRunDeps } from "./chat-run.ts";
import { createChatRun, holdDetail } from "./chat-run.ts";
import { createIdempotentAnswer } from "./idempotent-answer.ts";
import type { IdempotentAnswer } from "./idempotent-answer.ts";
import type { RateGate, RatePass } from "../rate-gate.ts";
import { planHold } from "./plan-hold.ts";
import type { HoldPlan } from "./plan-hold.ts";
import { refuseHold } from "./refuse-hold.ts";
import { resolveChatModel } from "./resolve-model.ts";

export interface ChatAdmissionDeps extends ChatRunDeps {
  readonly catalogue: { current(): { readonly version: number; readonly catalogue: Catalogue } };
  readonly ownerId: string;
  readonly limits: RateGate;
  readonly idempotency: Pick<Idempotency, "begin" | "keep" | "forget">;
}

export interface AdmittedChat {
  readonly kind: "admitted";
  readonly run: ChatRun;
  /** The worst case of the whole answer is held. */
  readonly whole: boolean;
  readonly catalogue: Catalogue;
}

/** Throws a Fault for a request that may not run; then nothing is held, and its idempotency key is free. */
export type ChatAdmission = (call: ChatCall) => Promise<AdmittedChat | { readonly kind: "replay"; readonly replay: Replay }>;

/** Longer than any statement may run in the database. */
const RELEASE_AFTER_MS = 15_000;

export function createChatAdmission(deps: ChatAdmissionDeps): ChatAdmission {
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

  function check(call: ChatCall) {
    const reading = call.dialect.readRequest(call.body);
    if (!reading.ok) throw reading.fault;
    const request = reading.request;
    const { version, catalogue } = deps.catalogue.current();
    const { model, answerModel } = resolveChatModel(catalogue, request.model, call.dialect.endpoint);
    checkKeyAccess(call.key, { model: model.id, modelRequested: request.model, ip: call.ip });
    return { request, version, catalogue, model, answerModel, plan: planHold(model, request) };
  }

  async function admit(call: ChatCall, checked: ReturnType<typeof check>, idempotent: IdempotentAnswer | null): Promise<AdmittedChat> {
    const pass = await deps.limits.admit(call.key, call.requestId, checked.plan.inputTokens);
    try {
      if (pass.standing !== null) call.reply.showStanding(pass.standing);
      return await hold(call, checked, idempotent, pass);
    } catch (error) {
      // Also one that is refused for lack of money was a request; its tokens and its place are free again.
      await pass.end(NO_USAGE);
      throw error;
    }
  }

  async function hold(
    call: ChatCall,
    checked: ReturnType<typeof check>,
    idempotent: IdempotentAnswer | null,
    pass: RatePass,
  ): Promise<AdmittedChat> {
    const { request, version, catalogue, model, answerModel, plan } = checked;
    const verdict = await holdOrForget({
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
    if (verdict.kind !== "held") throw refuseHold(verdict, plan.minimumNano);
    const run = createChatRun(deps, {
      call,
      request,
      model,
      answerModel,
      plan,
      priceVersion: version,
      hold: verdict,
      coveredTokens: tokensOf(plan, verdict.tier),
      idempotent,
      pass,
    });
    return { kind: "admitted", run, whole: verdict.tier === "full", catalogue };
  }

  return async (call) => {
    const checked = check(call);
    if (call.idempotencyKey === null) return admit(call, checked, null);
    const claim = { accountId: call.key.accountId, key: call.idempotencyKey, requestId: call.requestId };
    const digest = digestRequest(call.dialect.endpoint + call.query, call.body);
    const replay = await deps.idempotency.begin({ ...claim, ownerId: deps.ownerId, digest });
    if (replay !== null) return { kind: "replay", replay };
    try {
      const answer = createIdempotentAnswer(deps.idempotency, call, claim);
      return await admit({ ...call, reply: answer.reply }, checked, answer);
    } catch (error) {
      // Whoever pays in or waits may try the same key again.
      await deps.idempotency.forget(claim);
      throw error;
    }
  };
}

function tokensOf(plan: HoldPlan, tier: "full" | "slice" | "minimum"): number {
  if (tier === "full") return plan.limitTokens;
  return tier === "slice" ? plan.sliceTokens : plan.minimumTokens;
}
