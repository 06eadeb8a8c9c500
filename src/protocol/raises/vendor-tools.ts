/**
 * What each type of tool is: run by the caller, by the upstream for nothing, or by the upstream for
 * money.
 */
import { isRecord } from "../json/is-record.ts";
import type { FactName } from "./fact-source.ts";

export interface VendorTool {
  /**
   * `client`: the caller runs it. `free`: the upstream runs it and takes nothing for it but tokens.
   * `paid`: it takes money for it. `unpriced`: what it takes cannot be told by a price for each
   * call.
   */
  readonly kind: "client" | "free" | "paid" | "unpriced";
  /** In the catalogue, where it is not the type itself. */
  readonly name?: string;
  readonly source: FactName;
}

const client = (source: FactName): VendorTool => ({ kind: "client", source });
const free = (source: FactName): VendorTool => ({ kind: "free", source });
const paid = (source: FactName, name?: string): VendorTool => ({
  kind: "paid",
  source,
  ...(name === undefined ? {} : { name }),
});

/**
 * By the type without its vendor's date. A type that is not here is unknown, and refused unless the
 * catalogue calls it free.
 */
export const VENDOR_TOOLS: ReadonlyMap<string, VendorTool> = new Map<string, VendorTool>([
  ["function", client("openAiSdk")],
  ["custom", client("openAiSdk")],
  ["namespace", client("openAiSdk")],
  ["local_shell", client("openAiSdk")],
  ["apply_patch", client("openAiSdk")],
  ["bash", client("anthropicSdk")],
  ["text_editor", client("anthropicSdk")],
  ["computer", client("anthropicSdk")],
  ["computer_toolset", client("anthropicSdk")],
  ["computer_use_preview", client("openAiSdk")],
  ["browser_toolset", client("anthropicSdk")],
  ["memory", client("anthropicSdk")],
  ["web_fetch", free("anthropicSdk")],
  ["tool_search", free("openAiSdk")],
  ["tool_search_tool_regex", free("anthropicSdk")],
  ["tool_search_tool_bm25", free("anthropicSdk")],
  ["mcp_toolset", free("anthropicSdk")],
  ["web_search", paid("anthropicSdk")],
  ["web_search_preview", paid("openAiSdk", "web_search")],
  ["openrouter:web_search", paid("openRouterTools", "web_search")],
  ["code_execution", paid("anthropicSdk")],
  ["code_interpreter", paid("openAiSdk")],
  ["file_search", paid("openAiSdk")],
  ["image_generation", paid("openAiSdk")],
  // In a container of the vendor's; in an environment of its own the caller runs it (toolOf).
  ["shell", paid("openAiShell")],
  ["live_search", paid("xaiSearch")],
  ["x_search", paid("xaiSearch")],
  ["google_search", paid("geminiCompatibility")],
  ["google_maps", paid("geminiCompatibility")],
  // Another, dearer model is asked on the way, at its own price.
  ["advisor", { kind: "unpriced", source: "anthropicAdvisor" }],
  // What other servers say, or a program of the model's comes to, is prompt of no known length.
  ["mcp", { kind: "unpriced", source: "openAiSdk" }],
  ["programmatic_tool_calling", { kind: "unpriced", source: "openAiPrograms" }],
]);

/**
 * Gemini's tools are members of a tool without a type, in either spelling; those of other vendors
 * have a type.
 */
const MEMBER_TOOLS: ReadonlyMap<string, string> = new Map([
  ["google_search", "google_search"],
  ["googleSearch", "google_search"],
  ["google_search_retrieval", "google_search"],
  ["googleSearchRetrieval", "google_search"],
  ["enterprise_web_search", "google_search"],
  ["enterpriseWebSearch", "google_search"],
  ["google_maps", "google_maps"],
  ["googleMaps", "google_maps"],
  ["code_execution", "code_execution"],
  ["codeExecution", "code_execution"],
  ["file_search", "file_search"],
  ["fileSearch", "file_search"],
]);

/** The blocks in which one of Anthropic's tools is called by other names. */
const CALLED_AS: ReadonlyMap<string, string> = new Map([
  ["bash_code_execution", "code_execution"],
  ["text_editor_code_execution", "code_execution"],
]);

/** `_20250305` (Anthropic), `_2025_03_11` (OpenAI). */
const DATE = /_\d{4}_?\d{2}_?\d{2}$/;

export interface KnownTool {
  /** In the catalogue. */
  readonly name: string;
  readonly kind: VendorTool["kind"] | "unknown";
}

/** What the type of a tool, as the caller wrote it, stands for. */
function toolOfType(type: string): KnownTool {
  const undated = type.replace(DATE, "");
  const tool = VENDOR_TOOLS.get(undated);
  return { name: tool?.name ?? undated, kind: tool?.kind ?? "unknown" };
}

/** The same of a tool as it stands in a request. */
export function toolOf({ type, environment }: Readonly<Record<string, unknown>>): KnownTool {
  const known = toolOfType(typeof type === "string" ? type : (JSON.stringify(type) ?? "unknown"));
  const local = known.name === "shell" && isRecord(environment) && environment["type"] === "local";
  return local ? { ...known, kind: "client" } : known;
}

/** The tool that a member of a tool stands for; null for any other member. */
export function toolOfMember(member: string): KnownTool | null {
  const type = MEMBER_TOOLS.get(member);
  return type === undefined ? null : toolOfType(type);
}

/**
 * The tool that a call in an answer, or a count of calls, is of. Null where nothing is taken for
 * it.
 */
export function calledTool(name: string): string | null {
  const tool = toolOfType(CALLED_AS.get(name) ?? name);
  return tool.kind === "free" || tool.kind === "client" ? null : tool.name;
}
