/** Sends one request of a talk and tells of its answer while it comes. */
import type { PanelErrorBody } from "../../../../../src/contract/panel/panel-error.ts";
import { ApiError, readRefusal, unreachable } from "../../../api/api-error.ts";
import { apiUrl } from "../../../api/call-api.ts";
import { PAYER_HEADER } from "../payer.tsx";
import { errorIn } from "./chat-dialect.ts";
import type { ChatDialect } from "./chat-dialect.ts";
import { NO_ANSWER } from "./conversation.ts";
import type { Answer, Exchange } from "./conversation.ts";
import { readEvents } from "./read-events.ts";

/** What is kept of an answer to be looked at. */
const KEPT_CHARACTERS = 400_000;

interface ExchangeWish {
  readonly dialect: ChatDialect;
  readonly payerHash: string;
  readonly sent: string;
  readonly signal: AbortSignal;
  /** Called at every change. */
  onChange(answer: Answer, exchange: Exchange): void;
}

export async function runExchange({
  dialect,
  payerHash,
  sent,
  signal,
  onChange,
}: ExchangeWish): Promise<void> {
  let answer = NO_ANSWER;
  let exchange: Exchange = {
    state: "running",
    requestId: null,
    status: null,
    sent,
    received: "",
    error: null,
  };
  const tell = (change: Partial<Exchange>): void => {
    exchange = { ...exchange, ...change };
    onChange(answer, exchange);
  };
  let refused: PanelRefusalBody | null = null;
  const keep = (text: string): void => {
    exchange = { ...exchange, received: (exchange.received + text).slice(0, KEPT_CHARACTERS) };
  };
  try {
    const response = await fetch(apiUrl(`POST /playground${dialect.path}`), {
      method: "POST",
      credentials: "same-origin",
      headers: { "content-type": "application/json", [PAYER_HEADER]: payerHash },
      body: sent,
      signal,
    });
    tell({ status: response.status, requestId: response.headers.get("x-request-id") });
    const streamed = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (!response.ok || !streamed || response.body === null) {
      const text = await response.text();
      keep(text);
      const body = readJson(text);
      if (!response.ok)
        return tell({
          state: "refused",
          error: refusal(response.status, body, refusalIn(body), exchange.requestId),
        });
      answer = dialect.readAnswer(body);
      return tell({ state: "done" });
    }
    for await (const data of readEvents(response.body, keep)) {
      const event = readJson(data);
      if (event === null) continue;
      const reported = refusalIn(event);
      if (reported !== null) refused = reported;
      else if (errorIn(event) !== null)
        return tell({
          state: "broken",
          error: refusal(response.status, event, refused, exchange.requestId),
        });
      answer = dialect.addEvent(answer, event);
      onChange(answer, exchange);
    }
    tell({ state: answer.finish === null ? "broken" : "done" });
  } catch {
    // The member stopped it or left, or the line is dead.
    if (signal.aborted) tell({ state: "stopped" });
    else tell({ state: exchange.status === null ? "refused" : "broken", error: unreachable() });
  }
}

/** Null where it is no JSON, such as `[DONE]`. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

type PanelRefusalBody = PanelErrorBody["error"];

/** What the gateway tells pages beside the error of the protocol; null: nothing. */
function refusalIn(value: unknown): PanelRefusalBody | null {
  return (value as { readonly refusal?: PanelRefusalBody } | null)?.refusal ?? null;
}

/** Without `told` from what every caller of the protocol reads. */
function refusal(
  status: number,
  body: unknown,
  reported: PanelRefusalBody | null,
  requestId: string | null,
): ApiError {
  if (reported !== null)
    // Its sentence says what to wait for.
    return readRefusal(status, { error: { ...reported, retryAfterSeconds: null } }, requestId);
  return publicRefusal(status, body, requestId);
}

function publicRefusal(status: number, body: unknown, requestId: string | null): ApiError {
  const reported = errorIn(body) ?? { code: "internal_error", message: "" };
  return new ApiError(status, {
    ...reported,
    reason: null,
    params: {},
    errors: [],
    retryAfterSeconds: null,
    requestId,
  });
}
