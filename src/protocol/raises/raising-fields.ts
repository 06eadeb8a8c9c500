/**
 * The fields of a request that can make its upstream dearer: what each asks for, where the answer
 * tells of it, and what a translation does with it.
 */
import type { ChatEndpoint } from "../../contract/enums/chat-endpoint.ts";
import type { VariantField } from "../../kernel/price-raises.ts";
import type { FactName } from "./fact-source.ts";

/** What a field asks for, where it holds anything but null and its `base` values. */
export type FieldMeaning =
  | { readonly kind: "variant"; readonly field: VariantField }
  | { readonly kind: "tool"; readonly tool: string }
  /** A list of the kinds of output. */
  | { readonly kind: "modalities" }
  | { readonly kind: "media"; readonly media: "audioInput" | "audioOutput" }
  | { readonly kind: "cacheWrite" }
  /** Options of a cache, of which `ttl` says how long what is written lives. */
  | { readonly kind: "cacheLife" }
  | { readonly kind: "unpriced" }
  /** Its members are read as if they were the body's own. */
  | { readonly kind: "members" };

export interface RaisingField {
  readonly meaning: FieldMeaning;
  /** Values that ask for nothing dearer, besides null; of a cache's options those of `ttl`. */
  readonly base: readonly (string | boolean)[];
  /** Paths of an answer that tell what was used; none: it is taken for used as asked. */
  readonly reportedBy: readonly string[];
  readonly translated: Translations;
  /** Null where no page was read for it: the rule is the gateway's own. */
  readonly source: FactName | null;
}

/**
 * `dropped`: the upstream does not get it. `refused`: 400. `kept`: it is said in the other
 * protocol's words.
 */
export type Translated = "dropped" | "refused" | "kept";

/**
 * By the endpoint that it comes in at: what becomes of it on the way to an upstream of another
 * protocol, where that differs by the upstream's.
 */
export type Translations = Readonly<
  Record<ChatEndpoint, Translated | Readonly<Partial<Record<ChatEndpoint, Translated>>>>
>;

/** `to`: the endpoint whose protocol the upstream speaks, another one. */
export function translatedTo(
  translations: Translations,
  from: ChatEndpoint,
  to: ChatEndpoint,
): Translated {
  const translated = translations[from];
  return typeof translated === "string" ? translated : (translated[to] ?? "dropped");
}

const DROPPED: Translations = {
  "chat.completions": "dropped",
  messages: "dropped",
  responses: "dropped",
};
const REFUSED_OF_CHAT: Translations = { ...DROPPED, "chat.completions": "refused" };

/** The names of the ordinary tier: Anthropic's, OpenAI's, Groq's. */
const ORDINARY_TIERS = ["auto", "default", "standard", "standard_only", "on_demand"];

function variant(
  field: VariantField,
  base: readonly string[],
  reportedBy: readonly string[],
  source: FactName,
): RaisingField {
  return { meaning: { kind: "variant", field }, base, reportedBy, translated: DROPPED, source };
}

function unpriced(source: FactName | null, base: readonly (string | boolean)[] = []): RaisingField {
  return { meaning: { kind: "unpriced" }, base, reportedBy: [], translated: DROPPED, source };
}

/** Where Chat Completions tell a share of the prompt or the answer, and where Responses do. */
const ofPrompt = (share: string): string[] => [
  `usage.prompt_tokens_details.${share}`,
  `usage.input_tokens_details.${share}`,
];
const ofAnswer = (share: string): string[] => [
  `usage.completion_tokens_details.${share}`,
  `usage.output_tokens_details.${share}`,
];

/** By the name of the member of the body. */
export const RAISING_FIELDS: ReadonlyMap<string, RaisingField> = new Map<string, RaisingField>([
  [
    "service_tier",
    variant("serviceTier", ORDINARY_TIERS, ["service_tier", "usage.service_tier"], "openAiFast"),
  ],
  ["speed", variant("speed", ["standard"], ["usage.speed"], "anthropicFast")],
  ["inference_geo", variant("inferenceGeo", ["global"], ["usage.inference_geo"], "anthropicTiers")],
  [
    "web_search_options",
    {
      meaning: { kind: "tool", tool: "web_search" },
      base: [],
      reportedBy: [
        "usage.server_tool_use.web_search_requests",
        "usage.num_search_queries",
        "choices[].message.annotations[]",
      ],
      translated: REFUSED_OF_CHAT,
      source: "openAiSdk",
    },
  ],
  // Baidu's; the catalogue has one price for all searches of the web.
  [
    "web_search",
    {
      meaning: { kind: "tool", tool: "web_search" },
      base: [false],
      reportedBy: ["usage.server_tool_use.web_search_requests"],
      translated: DROPPED,
      source: null,
    },
  ],
  [
    "modalities",
    {
      meaning: { kind: "modalities" },
      base: [],
      reportedBy: [...ofAnswer("audio_tokens"), ...ofAnswer("image_tokens")],
      translated: DROPPED,
      source: "openAiSdk",
    },
  ],
  [
    "audio",
    {
      meaning: { kind: "media", media: "audioOutput" },
      base: [],
      reportedBy: ofAnswer("audio_tokens"),
      translated: DROPPED,
      source: "openAiSdk",
    },
  ],
  ["prediction", unpriced("openAiSdk")],
  // OpenRouter
  ["models", unpriced("openRouterRequests")],
  ["plugins", unpriced("openRouterPlugins")],
  ["provider", unpriced("openRouterRequests")],
  ["preset", unpriced("openRouterRequests")],
  // Other routers: another model than the one that was sold.
  ["fallbacks", unpriced("anthropicSdk")],
  ["providerOptions", unpriced(null)],
  // Anthropic: another payer.
  ["billing_policy", unpriced("anthropicSdk")],
  // Searches of xAI, Qwen and Tencent; none of them is counted in the answer of this protocol.
  ["search_parameters", unpriced("xaiSearch")],
  ["enable_search", unpriced("qwenSearch", [false])],
  ["enable_code_interpreter", unpriced("qwenSearch", [false])],
  ["enable_enhancement", unpriced(null, [false])],
  ["force_search_enhancement", unpriced(null, [false])],
  // xAI: the answer is fetched later, past the gateway.
  ["deferred", unpriced(null, [false])],
  // Azure: what it reads, and what it charges, is the operator's.
  ["data_sources", unpriced(null)],
  ["enhancements", unpriced(null)],
  [
    "extra_body",
    {
      meaning: { kind: "members" },
      base: [],
      reportedBy: [],
      translated: DROPPED,
      source: "geminiCompatibility",
    },
  ],
  ["google", unpriced("geminiCompatibility")],
  // OpenAI: its longer life is told apart in the answer, so it has the price of the longer one here.
  [
    "prompt_cache_options",
    {
      meaning: { kind: "cacheLife" },
      base: ["30m"],
      reportedBy: ofPrompt("cache_write_tokens_details.ttl_12h_tokens"),
      translated: DROPPED,
      source: "openAiCaching",
    },
  ],
]);

/**
 * Parts of the prompt that make it dearer, wherever in it they stand: by the type of the part, or
 * the name of the mark.
 */
export const RAISING_PARTS: ReadonlyMap<string, RaisingField> = new Map<string, RaisingField>([
  ...["input_audio", "audio_url"].map((type): [string, RaisingField] => [
    type,
    {
      meaning: { kind: "media", media: "audioInput" },
      base: [],
      reportedBy: ofPrompt("audio_tokens"),
      translated: { ...REFUSED_OF_CHAT, responses: "refused" },
      source: "openAiSdk",
    },
  ]),
  [
    "cache_control",
    {
      meaning: { kind: "cacheWrite" },
      base: [],
      reportedBy: [
        "usage.cache_creation",
        "usage.cache_creation_input_tokens",
        ...ofPrompt("cache_write_tokens"),
      ],
      translated: {
        "chat.completions": { messages: "kept" },
        messages: "dropped",
        responses: { messages: "kept" },
      },
      source: "anthropicSdk",
    },
  ],
  [
    "prompt_cache_breakpoint",
    {
      meaning: { kind: "cacheWrite" },
      base: [],
      reportedBy: ofPrompt("cache_write_tokens"),
      translated: DROPPED,
      source: "openAiSdk",
    },
  ],
]);

/**
 * Fields that look as if they cost something and do not: they pass, and what they lead to is in the
 * tokens that the answer counts.
 */
export const FREE_FIELDS: ReadonlyMap<string, FactName> = new Map<string, FactName>([
  ["n", "openAiSdk"],
  ["store", "openAiSdk"],
  ["metadata", "openAiSdk"],
  ["verbosity", "openAiSdk"],
  ["reasoning_effort", "openAiSdk"],
  ["prompt_cache_key", "openAiSdk"],
  ["prompt_cache_retention", "openAiSdk"],
  ["moderation", "openAiSdk"],
  ["include", "openAiSdk"],
  ["truncation", "openAiSdk"],
  ["reasoning", "openAiSdk"],
  ["max_tool_calls", "openAiSdk"],
  ["access_programs", "openAiSdk"],
  ["image", "openAiSdk"],
  ["thinking", "anthropicSdk"],
  ["output_config", "anthropicSdk"],
  ["context_management", "anthropicSdk"],
  ["compaction", "anthropicSdk"],
  ["mcp_servers", "anthropicSdk"],
  ["diagnostics", "anthropicSdk"],
  ["fallback_credit_token", "anthropicSdk"],
  ["anthropic-beta", "anthropicFast"],
]);
