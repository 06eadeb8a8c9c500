/** A value of each price-raising field, part and tool, for tests that send every one of them. */
import { RAISING_TOOL_MEMBERS } from "../../src/protocol/raises/raising-tool-members.ts";
import { VENDOR_TOOLS } from "../../src/protocol/raises/vendor-tools.ts";
import type { Caller } from "./protocol-pairs.ts";

/** A value of each field that asks for something dearer. */
export const FIELD_VALUES: Readonly<Record<string, unknown>> = {
  service_tier: "priority",
  speed: "fast",
  inference_geo: "us",
  web_search_options: { search_context_size: "high" },
  modalities: ["text", "audio"],
  audio: { voice: "alloy", format: "wav" },
  prediction: { type: "content", content: "predicted" },
  models: ["dearer-model"],
  plugins: [{ id: "web" }],
  provider: { order: ["dear"] },
  preset: "dear",
  fallbacks: [{ model: "dearer-model" }],
  providerOptions: { gateway: { models: ["dearer-model"] } },
  billing_policy: { type: "billing_policy", bill_to: "user_profile" },
  search_parameters: { mode: "on" },
  enable_search: true,
  enable_code_interpreter: true,
  web_search: { enable: true },
  enable_enhancement: true,
  force_search_enhancement: true,
  deferred: true,
  data_sources: [{ type: "azure_search" }],
  enhancements: { ocr: { enabled: true } },
  extra_body: { service_tier: "priority" },
  google: { tools: [{ google_search: {} }] },
  prompt_cache_options: { ttl: "12h" },
};

/** A part of a prompt that has each of the parts of the table. */
const PART_VALUES: Readonly<Record<string, Record<string, unknown>>> = {
  input_audio: { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
  audio_url: { type: "audio_url", audio_url: { url: "https://example.com/a.mp3" } },
  cache_control: { type: "text", text: "a", cache_control: { type: "ephemeral" } },
  prompt_cache_breakpoint: {
    type: "text",
    text: "a",
    prompt_cache_breakpoint: { mode: "explicit" },
  },
};

/** What this caller says, in parts, of which the last has the part of the table. */
export function inParts(caller: Caller, name: string): Record<string, unknown> {
  const part = PART_VALUES[name];
  if (part === undefined) throw new Error(`there is no part with ${name}`);
  const [member, type] = caller === "responses" ? ["input", "input_text"] : ["messages", "text"];
  return { [member]: [{ role: "user", content: [{ type, text: "b" }, part] }] };
}

export interface RaisingTool {
  /** What of a request's bytes shows it. */
  readonly shown: string;
  /** Its name in the catalogue. */
  readonly name: string;
  /** `free`: where it, or what it asks for, has no price. */
  readonly kind: "paid" | "unpriced";
  readonly tool: Record<string, unknown>;
  /** What has to be free besides; absent: nothing. */
  readonly member?: string;
}

/** Every tool that an upstream runs for more than tokens, and those with a member that makes it dearer. */
export const RAISING_TOOLS: readonly RaisingTool[] = [
  ...[...VENDOR_TOOLS].flatMap(([type, { kind, name = type }]): RaisingTool[] =>
    kind === "client" || kind === "free"
      ? []
      : [{ shown: type, name, kind, tool: { type, name: "t" } }],
  ),
  ...[...RAISING_TOOL_MEMBERS].flatMap(([type, members]) =>
    [...members].map(([member, { within }]): RaisingTool => {
      const dear = { [member]: "dearer" };
      const tool = { type, name: "t", ...(within === null ? dear : { [within]: dear }) };
      return { shown: type, name: type, kind: "paid", tool, member: `${type}.${member}` };
    }),
  ),
];
