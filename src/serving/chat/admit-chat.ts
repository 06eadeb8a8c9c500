/**
 * Decides whether a chat request may run: reads it, checks what its key may do, looks whether it
 * was answered before, asks its rate limits, and holds its money.
 */
import type { Catalogue } from "../../catalogue/catalogue.ts";
import { judgeRaises } from "../../contract/price/judge-raises.ts";
import { resolveUse, TOKENS_ALONE } from "../../contract/price/resolve-use.ts";
import { digestRequest } from "../../idempotency/digest-request.ts";
import { toFault } from "../../kernel/faults.ts";
import { NOTHING_USED } from "../../kernel/price-raises.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { isShort, type HoldVerdict, type RequestHold } from "../../ledger/hold-verdicts.ts";
import type { ChatRequestReading } from "../../protocol/chat-request.ts";
import { LARGE_BODY_BYTES } from "../../protocol/json/long-strings.ts";
import { checkKeyAccess } from "../admission/authenticate.ts";
import { encodeHoldDetail } from "../money/hold-detail.ts";
import { releaseLater } from "../money/release-later.ts";
import type { Idempotency, Replay } from "../admission/idempotency.ts";
import type { RateGate, RatePass } from "../admission/rate-gate.ts";
import { createAccountTurns } from "./account-turns.ts";
import type { Conversations } from "../responses/conversation.ts";
import { answeredBy, type ChatCall } from "./chat-call.ts";
import type { Admission, ChatRun, ChatRunDeps, CheckedChat } from "./chat-run.ts";
import { createChatRun } from "./chat-run.ts";
import { exactMinimum, type Need } from "./exact-minimum.ts";
import { keepPriced } from "./dropped-tools.ts";
import { createIdempotentAnswer } from "./idempotent-answer.ts";
import type { IdempotentAnswer } from "./idempotent-answer.ts";
import { leastLimitOf, planHold } from "./plan-hold.ts";
import { holdDetail, NOTHING_RECORDED } from "./recorded-usage.ts";
import { refuseHold } from "./refuse-hold.ts";
import { mayBeTooLong, refuseTooLong } from "./refuse-too-long.ts";
import { resolveChatModel } from "./resolve-model.ts";
import { wholeCall } from "./whole-call.ts";

export interface ChatAdmissionDeps extends ChatRunDeps {
  readonly catalogue: { current(): { readonly version: number; readonly catalogue: Catalogue } };
  readonly ownerId: string;
  readonly limits: RateGate;
  readonly idempotency: Pick<Idempotency, "begin" | "keep" | "forget">;
  /** Absent: as an ordinary request is judged. */
  readonly judgeRaises?: typeof judgeRaises;
  /** Absent where no answers are kept. */
  readonly conversations?: Conversations;
}

/** What the same request by the same idempotency key was answered before. */
export interface ReplayedChat {
  readonly kind: "replay";
  readonly replay: Replay;
}

/**
 * Throws, or rejects with, a Fault for a request that may not run; then nothing is held, and its
 * idempotency key is free. Most requests wait for nothing here, and get no promise.
 */
export type ChatAdmission = (
  call: ChatCall,
) => ChatRun | ReplayedChat | Promise<ChatRun | ReplayedChat>;

type Entry = Pick<Admission, "idempotent" | "pass">;
type Holding = HoldVerdict | Promise<HoldVerdict>;

/**
 * Prompts that are counted for one account one after the other, because the estimate would refuse
 * them; more are refused by it.
 */
const MOST_COUNTING = 32;
const DROPPED_TOOLS_HEADER = "x-tollgate-dropped-tools";

export function createChatAdmission(deps: ChatAdmissionDeps): ChatAdmission {
  const counting = createAccountTurns(MOST_COUNTING);
  const judge = deps.judgeRaises ?? judgeRaises;

  function check(call: ChatCall, reading: ChatRequestReading): CheckedChat {
    if (!reading.ok) throw reading.fault;
    const { request } = reading;
    const { version, catalogue } = deps.catalogue.current();
    const { model, answerModel } = resolveChatModel(
      catalogue,
      request.model,
      call.dialect.endpoint,
    );
    checkKeyAccess(call.key, { model: model.id, modelRequested: request.model, ip: call.ip });
    const { raises, dropped } = keepPriced(request, model, catalogue, call.dialect.native);
    const asked = judge(model, raises, call.dialect.endpoint);
    if (dropped !== null) call.reply.note(DROPPED_TOOLS_HEADER, dropped.names.join(", "));
    return {
      request,
      catalogue,
      priceVersion: version,
      model,
      answerModel,
      plan: planHold(model, request, asked, leastLimitOf(model, catalogue)),
      asked,
      dropped,
    };
  }

  function admit(
    call: ChatCall,
    checked: CheckedChat,
    idempotent: IdempotentAnswer | null,
  ): ChatRun | Promise<ChatRun> {
    const passing = deps.limits.admit(call.key, call.requestId, checked.plan.inputTokens);
    return passing instanceof Promise
      ? passing.then((pass) => hold(call, checked, { idempotent, pass }))
      : hold(call, checked, { idempotent, pass: passing });
  }

  function hold(call: ChatCall, checked: CheckedChat, entry: Entry): ChatRun | Promise<ChatRun> {
    const request = holdRequest(call, checked);
    const holding = askFor(call, request, entry.pass);
    return !(holding instanceof Promise) && holding.kind === "held"
      ? runOf(call, checked, entry, { held: holding, promptTokens: null })
      : decide(call, checked, entry, { request, holding });
  }

  function askFor({ reply }: ChatCall, request: RequestHold, { standing }: RatePass): Holding {
    try {
      if (standing !== null) reply.showStanding(standing);
      return deps.ledger.hold(request);
    } catch (error) {
      return Promise.reject(toFault(error));
    }
  }

  function runOf(
    call: ChatCall,
    checked: CheckedChat,
    { idempotent, pass }: Entry,
    { held, promptTokens }: Pick<Admission, "held" | "promptTokens">,
  ): ChatRun {
    return createChatRun(deps, call, checked, { held, idempotent, pass, promptTokens });
  }

  /** By the verdict that is awaited, or that says that there is too little. */
  async function decide(
    call: ChatCall,
    checked: CheckedChat,
    entry: Entry,
    { request, holding }: { readonly request: RequestHold; readonly holding: Holding },
  ): Promise<ChatRun> {
    let asked = true;
    try {
      let verdict = await holding;
      asked = false;
      let need: Need = { minimumNano: checked.plan.minimumNano, promptTokens: null };
      if (isShort(verdict)) {
        need =
          (await counting.take(call.key.accountId, () => exactMinimum(deps.countTexts, checked))) ??
          need;
        if (need.minimumNano < checked.plan.minimumNano) {
          asked = true;
          verdict = await deps.ledger.hold({
            ...request,
            fullNano: null,
            sliceNano: need.minimumNano,
            minimumNano: need.minimumNano,
          });
          asked = false;
        }
      }
      if (verdict.kind !== "held") throw refuseHold(verdict, need.minimumNano);
      const { promptTokens } = need;
      return runOf(call, checked, entry, { held: verdict, promptTokens });
    } catch (error) {
      // A hold whose verdict never came may have been made all the same: this process lives, so no
      // other would end it.
      if (asked) releaseLater(deps.ledger, call.key.accountId, call.requestId);
      // Also one that is refused for lack of money was a request; its tokens and its place are free
      // again.
      await entry.pass.end(NO_USAGE);
      throw error;
    }
  }

  function holdRequest(call: ChatCall, checked: CheckedChat): RequestHold {
    const { request, model, priceVersion, plan, asked } = checked;
    return {
      holdId: call.requestId,
      accountId: call.key.accountId,
      budgetId: call.key.keyId,
      groupId: call.key.groupId,
      // A stream never holds its whole limit; a short whole answer may (contract §6).
      fullNano: request.stream ? null : plan.fullNano,
      sliceNano: plan.sliceNano,
      minimumNano: plan.minimumNano,
      priceVersion,
      detail: () => {
        const use = asked === null ? TOKENS_ALONE : resolveUse(model, asked, NOTHING_USED, false);
        const startedAt = call.startedAt.toISOString();
        return encodeHoldDetail(holdDetail(call, checked, NOTHING_RECORDED, startedAt, use));
      },
    };
  }

  /** By its idempotency key: the answer that there is, or a run of its own. */
  async function admitOnce(
    call: ChatCall,
    checked: CheckedChat,
    key: string,
  ): Promise<ChatRun | ReplayedChat> {
    const claim = { accountId: call.key.accountId, key, requestId: call.requestId };
    const sent = call.conversation?.sent ?? call.body;
    const { endpoint, action = "" } = call.dialect;
    const digest = digestRequest(endpoint + action + call.query, sent);
    const replay = await deps.idempotency.begin({ ...claim, ownerId: deps.ownerId, digest });
    if (replay !== null) return { kind: "replay", replay };
    try {
      const answer = createIdempotentAnswer(deps.idempotency, call, claim);
      return await admit(answeredBy(answer.reply, call), checked, answer);
    } catch (error) {
      // A caller that tops up or waits may try the same key again.
      await deps.idempotency.forget(claim);
      throw error;
    }
  }

  async function readAndAdmit(sent: ChatCall): Promise<ChatRun | ReplayedChat> {
    const { call, reading } = await wholeCall(deps.conversations, sent);
    const { idempotencyKey } = call;
    const checked = check(call, reading);
    if (mayBeTooLong(checked.request, checked.model))
      await refuseTooLong(deps.countTexts, checked.request, checked.model);
    return idempotencyKey === null
      ? admit(call, checked, null)
      : admitOnce(call, checked, idempotencyKey);
  }

  return (call) => {
    const { dialect, body, idempotencyKey } = call;
    if (
      body.length > LARGE_BODY_BYTES ||
      idempotencyKey !== null ||
      dialect.endpoint === "responses"
    )
      return readAndAdmit(call);
    const checked = check(call, dialect.readRequest(body));
    if (!mayBeTooLong(checked.request, checked.model)) return admit(call, checked, null);
    return refuseTooLong(deps.countTexts, checked.request, checked.model).then(() =>
      admit(call, checked, null),
    );
  };
}
