/** Asks an upstream which models it has: a page after the other, bounded, and never twice the same. */
import type { Outgoing } from "../../net/outgoing.ts";
import { readModelList, type ListedModel } from "../../protocol/model-list/read-model-list.ts";
import { partsOf } from "../chat-post.ts";
import { exchangeJson } from "../tasks/exchange-json.ts";

export interface ModelListQuestion {
  readonly baseUrl: string;
  readonly protocol: "openai" | "anthropic" | "responses";
  readonly credential: string;
}

export type ModelListOutcome =
  | {
      readonly kind: "list";
      readonly models: readonly ListedModel[];
      /** There is more of it than is read. */
      readonly partial: boolean;
    }
  | {
      readonly kind: "failed";
      readonly why: "no_answer" | "refused" | "not_understood";
      /** HTTP; null: no answer. */
      readonly status: number | null;
    };

const TIMEOUTS_MS = { connect: 5_000, firstByte: 20_000, idle: 10_000 };
/** OpenRouter's has some hundred models with a description each. */
const ANSWER_BYTES = 8 * 1024 * 1024;
const MOST_PAGES = 10;
const MOST_LISTED = 5_000;
const ANTHROPIC_VERSION = "2023-06-01";

/** Never rejects. */
export async function askModelList(
  outgoing: Outgoing,
  question: ModelListQuestion,
  signal: AbortSignal,
): Promise<ModelListOutcome> {
  const found = new Map<string, ListedModel>();
  let next: string | null = question.protocol === "anthropic" ? "limit=1000" : "";
  for (let page = 0; next !== null; page += 1) {
    if (page === MOST_PAGES || found.size >= MOST_LISTED) return listOf(found, true);
    const result = await exchangeJson(outgoing, pageOf(question, next), signal, ANSWER_BYTES);
    if (result.kind === "failed") return { kind: "failed", why: "no_answer", status: null };
    const { status, json } = result;
    if (status !== 200) return { kind: "failed", why: "refused", status };
    const reading = readModelList(json);
    if (reading.kind === "none") return { kind: "failed", why: "not_understood", status };
    const before = found.size;
    for (const model of reading.models) found.set(model.id, model);
    // Pages that say nothing new would go on for ever.
    next = found.size > before ? reading.next : null;
  }
  return listOf(found, found.size > MOST_LISTED);
}

function listOf(found: ReadonlyMap<string, ListedModel>, partial: boolean): ModelListOutcome {
  return { kind: "list", models: [...found.values()].slice(0, MOST_LISTED), partial };
}

function pageOf({ baseUrl, protocol, credential }: ModelListQuestion, asked: string) {
  const { origin, path, query } = partsOf({ baseUrl, timeoutsMs: TIMEOUTS_MS });
  const isAnthropic = protocol === "anthropic";
  const versioned = isAnthropic && !path.endsWith("/v1") ? `${path}/v1` : path;
  const queries = [query.slice(1), asked].filter((text) => text !== "").join("&");
  return {
    origin,
    path: `${versioned}/models${queries === "" ? "" : `?${queries}`}`,
    method: "GET",
    headers: {
      ...(isAnthropic
        ? { "x-api-key": credential, "anthropic-version": ANTHROPIC_VERSION }
        : { authorization: `Bearer ${credential}` }),
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "tollgate",
    },
    body: null,
    connectTimeoutMs: TIMEOUTS_MS.connect,
    firstByteTimeoutMs: TIMEOUTS_MS.firstByte,
    idleTimeoutMs: TIMEOUTS_MS.idle,
  } as const;
}
