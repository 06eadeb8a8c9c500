/**
 * Callers and upstreams of every protocol in every pairing: a catalogue, a question in each
 * protocol, and what each protocol's events say.
 */
import { countTokens } from "../../sandbox/count-tokens.ts";
import { CHAT_PROTOCOLS, type ChatProtocol } from "../../src/contract/enums/upstream-protocol.ts";
import type { ChatScene } from "./chat-scene.ts";
import { postChat, type ChatExchange } from "./post-chat.ts";

/** What upstreams speak. */
export const PROTOCOLS = CHAT_PROTOCOLS;
export type Protocol = ChatProtocol;

/** What callers speak. */
export const CALLERS = ["openai", "anthropic", "responses"] as const;
export type Caller = (typeof CALLERS)[number];

export interface Pair {
  readonly caller: Caller;
  readonly upstream: Protocol;
}

export const PAIRS: readonly Pair[] = CALLERS.flatMap((caller) =>
  PROTOCOLS.map((upstream) => ({ caller, upstream })),
);

export function pairName({ caller, upstream }: Pair): string {
  return `${caller} caller, ${upstream} upstream`;
}

/** Roubles for 1M tokens: those of the large sandbox model and of `standardPrice`. */
const STANDARD_PRICE = `{ input: "150", cachedInput: "15", cacheWrite5m: "187.5", cacheWrite1h: "300", output: "600" }`;

export interface PairsOptions {
  /** Of the catalogue's form. */
  readonly price?: string;
  /**
   * Models that differ in nothing but their names `over-openai-0`, `over-openai-1` … and those of
   * their upstream's.
   */
  readonly copies?: number;
}

/**
 * `over-openai`, `over-anthropic` and `over-responses`: the same model at the same price, behind an
 * upstream of each protocol at this address that is left when its client leaves; `drained-openai`
 * and so on at one that is read to its usage.
 */
export function pairsCatalogue(
  upstreamUrl: string,
  { price = STANDARD_PRICE, copies = 0 }: PairsOptions = {},
): string {
  const upstream = (protocol: Protocol, onDisconnect: string): string =>
    `{ protocol: ${protocol}, baseUrl: "${upstreamUrl}/v1", apiKeyEnv: UPSTREAM_KEY, maxConcurrent: 1000, onDisconnect: ${onDisconnect} }`;
  const model = (upstreamName: string, name: string): string =>
    `{ type: chat, endpoints: [chat.completions, messages], contextTokens: 200000, maxOutputTokens: 32000,` +
    ` price: ${price}, routes: [{ upstream: ${upstreamName}, model: ${name} }] }`;
  const models = PROTOCOLS.flatMap((protocol) => [
    `  over-${protocol}: ${model(`${protocol}-upstream`, "echo-large")}\n`,
    `  drained-${protocol}: ${model(`${protocol}-patient`, "echo-large")}\n`,
    ...Array.from(
      { length: copies },
      (_, copy) => `  over-${protocol}-${copy}: ${model(`${protocol}-upstream`, `copy-${copy}`)}\n`,
    ),
  ]);
  return `
upstreams:
${PROTOCOLS.map((protocol) => `  ${protocol}-upstream: ${upstream(protocol, "abort")}\n  ${protocol}-patient: ${upstream(protocol, "drain")}\n`).join("")}
models:
${models.join("")}
`;
}

/** Where each asks. */
export const CALLER_PATHS: Readonly<Record<Caller, string>> = {
  openai: "/v1/chat/completions",
  anthropic: "/v1/messages",
  responses: "/v1/responses",
};

export interface PairQuestion {
  readonly content: string;
  /** Of a play of the scene. */
  readonly user: string;
  readonly stream: boolean;
  /** Default: 20,000. */
  readonly maxTokens?: number;
  /** Of an upstream that is read to its usage when its client has left. */
  readonly drained?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks in the caller's protocol for the model behind the upstream's. A stream tells its usage. */
export function askPair(
  scene: ChatScene,
  secret: string,
  { caller, upstream }: Pair,
  { content, user, stream, maxTokens = 20_000, drained = false, headers = {} }: PairQuestion,
  url = scene.gateway.url,
): ChatExchange {
  const messages = [{ role: "user", content }];
  const bodies: Readonly<Record<Caller, object>> = {
    openai: {
      messages,
      max_tokens: maxTokens,
      user,
      ...(stream ? { stream_options: { include_usage: true } } : {}),
    },
    anthropic: { messages, max_tokens: maxTokens, metadata: { user_id: user } },
    responses: { input: messages, max_output_tokens: maxTokens, user },
  };
  const body = {
    model: `${drained ? "drained" : "over"}-${upstream}`,
    stream,
    ...bodies[caller],
  };
  return postChat(url, secret, body, CALLER_PATHS[caller], headers);
}

/**
 * What the gateway counts for a prompt of one message where its upstream does not say: its text,
 * and what the format puts around it.
 */
export function countedPrompt(caller: Caller, content: string): number {
  return countTokens(content) + (caller === "anthropic" ? 7 : 9);
}

/** The events of a stream, each with its closing blank line. */
export function eventsOf(stream: Buffer | string): string[] {
  return stream
    .toString()
    .split(/(?<=\n\n)/)
    .filter((event) => event !== "");
}

interface AnswerEvent {
  readonly type?: string;
  /** A text in an event of Responses. */
  readonly delta?:
    | string
    | {
        readonly text?: string;
        readonly thinking?: string;
        readonly partial_json?: string;
        readonly stop_reason?: string | null;
      };
  /** Of Responses. */
  readonly item?: { readonly name?: string };
  readonly content_block?: { readonly name?: string };
  readonly choices?: readonly {
    readonly delta: {
      readonly content?: string | null;
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly {
        readonly function: { readonly name?: string; readonly arguments: string };
      }[];
    };
    readonly finish_reason?: string | null;
  }[];
}

function dataOf(event: string): AnswerEvent {
  const data = /^data: (.*)$/m.exec(event)?.[1] ?? "";
  return data === "" || data === "[DONE]" ? {} : (JSON.parse(data) as AnswerEvent);
}

/** All that was generated in an event: text, thinking, names and arguments of calls. */
export function generatedIn(event: string): string {
  const { type, delta = {}, content_block: block = {}, choices = [], item = {} } = dataOf(event);
  const own =
    typeof delta === "string"
      ? [delta]
      : [block.name, delta.text, delta.thinking, delta.partial_json];
  if (type === "response.output_item.added") own.push(item.name);
  const chosen = choices.flatMap(({ delta: reported }) => [
    reported.reasoning_content,
    reported.content,
    ...(reported.tool_calls ?? []).flatMap((call) => [call.function.name, call.function.arguments]),
  ]);
  return [...own, ...chosen].map((text) => text ?? "").join("");
}

/** The event says why the answer ended. */
export function saysFinish(event: string): boolean {
  const { type, delta, choices = [] } = dataOf(event);
  return (
    (type === "message_delta" &&
      typeof delta === "object" &&
      typeof delta.stop_reason === "string") ||
    type === "response.completed" ||
    type === "response.incomplete" ||
    choices.some((choice) => typeof choice.finish_reason === "string")
  );
}

const LAST_EVENTS: ReadonlySet<string> = new Set([
  "message_stop",
  "response.completed",
  "response.incomplete",
]);

/** The event that ends a whole answer. */
export function isLastEvent(event: string): boolean {
  if (event === "data: [DONE]\n\n") return true;
  const { type = "" } = dataOf(event);
  return LAST_EVENTS.has(type);
}

/** An error event in the caller's own form. */
export const ERROR_EVENTS: Readonly<Record<Caller, RegExp>> = {
  openai: /^data: \{"error":\{[^\n]+\}\}\n\n$/,
  anthropic: /^event: error\ndata: \{"type":"error","error":\{[^\n]+\}\n\n$/,
  responses:
    /^event: response\.failed\ndata: \{"type":"response\.failed",[^\n]*"error":\{"code":[^\n]+\}\n\n$/,
};
