/**
 * How many tokens a Messages prompt has: the upstream's own word where one speaks the protocol,
 * else our tokenizer's. Nothing is held or charged.
 */
import type { Catalogue, Route, UpstreamConfig } from "../../catalogue/catalogue.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import type { Outgoing, OutgoingRequest } from "../../net/outgoing.ts";
import type { ChatRequest, ChatRequestReading } from "../../protocol/chat-request.ts";
import { isRecord } from "../../protocol/json/is-record.ts";
import { HIDES_NOTHING } from "../../protocol/operator-words.ts";
import { checkKeyAccess } from "../admission/authenticate.ts";
import type { ChatUpstreamCall } from "../../upstreams/chat-post.ts";
import { fetchAnswer, outcomeOf } from "./fetch-answer.ts";
import type { CountTexts } from "./refuse-too-long.ts";
import { resolveChatModel } from "./resolve-model.ts";

export interface MessageCounterDeps {
  readonly catalogue: { current(): { readonly catalogue: Catalogue } };
  readonly outgoing: Outgoing;
  readonly clock: Clock;
  /** The value of a credential that the catalogue names; undefined when it is not set. */
  credential(name: string): string | undefined;
  /** Reads the body of the protocol's counting endpoint. */
  readRequest(body: Buffer): Promise<ChatRequestReading>;
  /** Puts a count to an upstream of the Messages protocol. */
  buildRequest(upstream: UpstreamConfig, call: ChatUpstreamCall): OutgoingRequest;
  readonly countTexts: CountTexts;
}

export interface MessageCountCall {
  readonly key: KeyRecord;
  readonly ip: string;
  readonly body: Buffer;
  /** As in ChatCall. */
  readonly forward: Readonly<Record<string, string>>;
  readonly query: string;
}

/** The answer's body: `input_tokens`, and what an upstream says besides. */
export type MessageCount = { readonly input_tokens: number } & Readonly<Record<string, unknown>>;

export interface MessageCounter {
  /**
   * Throws what a message with this body would be refused with before its hold. Never throws for an
   * upstream: it is counted here then.
   */
  count(call: MessageCountCall): Promise<MessageCount>;
}

/** Clients wait for a count before they ask anything; ours is at hand. */
const ASK_LIMIT_MS = 3_000;
/** A count is free, so it must not take the upstream away from requests that are paid for. */
const ASKED_AT_ONCE = 32;
/** An upstream that has no such endpoint, or is down, is not asked again for so long. */
const PAUSE_MS = 30_000;
const ANSWER_LIMIT_BYTES = 64 * 1024;

export function createMessageCounter(deps: MessageCounterDeps): MessageCounter {
  const { clock } = deps;
  /** Until when an upstream is not asked, by its name. */
  const pauses = new Map<string, number>();
  let asking = 0;

  /** Null where the upstream does not say. */
  async function ask(
    request: ChatRequest,
    call: MessageCountCall,
    { route, upstream, credential }: Asked,
  ): Promise<MessageCount | null> {
    if (asking >= ASKED_AT_ONCE || clock.monotonicMs() < (pauses.get(upstream.name) ?? 0))
      return null;
    const { forward, query } = call;
    const body = request.rewrite({ model: route.model, includeUsage: false });
    const attempt = fetchAnswer(
      deps.outgoing,
      deps.buildRequest(upstream, {
        body,
        credential,
        stream: false,
        traceparent: null,
        forward,
        query,
      }),
      // Its words are shown nowhere.
      HIDES_NOTHING,
      (came) => came,
    );
    const timer = setTimeout(() => attempt.abort(), ASK_LIMIT_MS);
    asking += 1;
    const outcome = await outcomeOf(attempt);
    asking -= 1;
    clearTimeout(timer);
    const count = outcome.kind === "answer" ? readCount(outcome.body) : null;
    // A request that this upstream finds fault with says nothing about the next one.
    const ofCaller = outcome.kind === "failed" && outcome.failure.kind === "caller";
    if (count === null && !ofCaller) pauses.set(upstream.name, clock.monotonicMs() + PAUSE_MS);
    return count;
  }

  /** Null where the route that a message would most likely take leads to another protocol. */
  function firstAnthropic(catalogue: Catalogue, routes: readonly Route[]): Asked | null {
    for (const route of routes.toSorted((a, b) => a.order - b.order || b.weight - a.weight)) {
      const upstream = catalogue.upstreams.get(route.upstream);
      const credential = upstream?.apiKeyEnv
        .map((name) => deps.credential(name))
        .find((value) => value !== undefined);
      if (upstream === undefined || credential === undefined) continue;
      return upstream.protocol === "anthropic" ? { route, upstream, credential } : null;
    }
    return null;
  }

  return {
    async count(call) {
      const reading = await deps.readRequest(call.body);
      if (!reading.ok) throw reading.fault;
      const { request } = reading;
      const { catalogue } = deps.catalogue.current();
      const { model } = resolveChatModel(catalogue, request.model, "messages");
      checkKeyAccess(call.key, { model: model.id, modelRequested: request.model, ip: call.ip });
      const asked = firstAnthropic(catalogue, model.routes);
      const reported = asked === null ? null : await ask(request, call, asked);
      return (
        reported ?? {
          input_tokens: (await deps.countTexts(request.promptTexts())) + request.overheadTokens,
        }
      );
    },
  };
}

interface Asked {
  readonly route: Route;
  readonly upstream: UpstreamConfig;
  readonly credential: string;
}

/** Null for what is no count. */
function readCount(body: Buffer): MessageCount | null {
  if (body.length > ANSWER_LIMIT_BYTES) return null;
  try {
    const answer: unknown = JSON.parse(body.toString("utf8"));
    if (!isRecord(answer)) return null;
    const { input_tokens: tokens } = answer;
    return typeof tokens === "number" && Number.isSafeInteger(tokens) && tokens >= 0
      ? { ...answer, input_tokens: tokens }
      : null;
  } catch {
    return null;
  }
}
