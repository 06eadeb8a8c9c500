/**
 * Reads the input of a Responses request as turns: instructions, users, answers with their calls,
 * results of tools.
 */
import type { AccountSeal } from "../account-seal.ts";
import { openText } from "../account-seal.ts";
import { isRecord } from "../json/is-record.ts";
import type {
  AssistantPart,
  NeutralTurn,
  TextPart,
  ToolResult,
  UserPart,
} from "../neutral/neutral-request.ts";
import { argumentsText } from "../openai/generated-text.ts";
import { refuseField } from "../openai/refuse-field.ts";
import { readCallId } from "../sealed-call-id.ts";
import { readAssistantContent, readInstructions, readUserContent } from "./read-content.ts";
import { readReasoningItem } from "./sealed-thinking.ts";
import { flatName, TOOL_SEARCH } from "./tool-names.ts";

type Fields = Record<string, unknown>;

export interface Conversation {
  readonly system: readonly TextPart[];
  readonly turns: readonly NeutralTurn[];
  /** Tools that came with items: what a search has found, and what was added on the way. */
  readonly found: readonly { readonly tools: readonly unknown[]; readonly param: string }[];
}

/** What a summary of an earlier conversation was sealed for. */
export const COMPACTION = "compaction";

/**
 * Items of tools that an upstream of this protocol ran, or has words for of its own, and what it
 * notes beside the conversation: nothing that another could go on with.
 */
const LEFT_OUT: ReadonlySet<unknown> = new Set([
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "computer_call",
  "computer_call_output",
  "local_shell_call",
  "local_shell_call_output",
  "shell_call",
  "shell_call_output",
  "apply_patch_call",
  "apply_patch_call_output",
  "mcp_list_tools",
  "mcp_call",
  "mcp_approval_request",
  "mcp_approval_response",
  "program",
  "program_output",
  "configuration_update",
]);

/** One speaker's words, and the results of the calls in them. */
interface Entry {
  readonly turn: NeutralTurn;
  readonly results: ToolResult[];
}

/** One by one: an item may have more parts than a function may have arguments. */
function append<T>(list: T[], added: readonly T[]): void {
  for (const item of added) list.push(item);
}

class Turns {
  readonly system: TextPart[] = [];
  readonly #entries: Entry[] = [];
  /** By the id of a call: whose it is. */
  readonly #callers = new Map<string, Entry>();
  /** What the model says now. */
  #answer: { readonly parts: AssistantPart[]; readonly entry: Entry } | null = null;

  user(parts: readonly UserPart[]): void {
    if (parts.length > 0) this.#add({ role: "user", parts });
  }

  instructions(parts: readonly TextPart[]): void {
    if (parts.length === 0) return;
    if (this.#entries.length === 0) append(this.system, parts);
    else this.#add({ role: "system", parts });
  }

  /** Calls that stand together are of one answer: other protocols want them so. */
  assistant(parts: readonly AssistantPart[]): void {
    if (parts.length === 0) return;
    let answer = this.#answer;
    if (answer === null || answer.entry.results.length > 0) {
      const list: AssistantPart[] = [];
      const entry: Entry = { turn: { role: "assistant", parts: list }, results: [] };
      this.#entries.push(entry);
      answer = { parts: list, entry };
    }
    this.#answer = answer;
    append(answer.parts, parts);
    for (const part of parts)
      if (part.kind === "tool-call") this.#callers.set(part.id, answer.entry);
  }

  /** Other protocols want a result at once after its call, whatever was said between. */
  result(result: ToolResult, param: string): void {
    const entry = this.#callers.get(result.callId);
    if (entry === undefined)
      throw refuseField(`${param}.call_id`, "belongs to no call before it in 'input'");
    entry.results.push(result);
  }

  turns(): NeutralTurn[] {
    return this.#entries.flatMap(({ turn, results }) =>
      results.length === 0 ? [turn] : [turn, { role: "tool-results", results }],
    );
  }

  #add(turn: NeutralTurn): void {
    this.#answer = null;
    this.#entries.push({ turn, results: [] });
  }
}

function textAt(item: Fields, name: string, param: string): string {
  const value = item[name];
  if (typeof value !== "string" || value === "")
    throw refuseField(`${param}.${name}`, "is required");
  return value;
}

function callOf(item: Fields, param: string, name: string, json: string): AssistantPart {
  const { id, seal } = readCallId(textAt(item, "call_id", param));
  const call = { kind: "tool-call", id, name, arguments: json, cache: null } as const;
  return seal === null ? call : { ...call, seal };
}

function namespaceOf(item: Fields): string | null {
  return typeof item["namespace"] === "string" ? item["namespace"] : null;
}

function resultOf(item: Fields, param: string): ToolResult {
  const { output } = item;
  const plain = output === undefined || output === null || typeof output === "string";
  return {
    callId: readCallId(textAt(item, "call_id", param)).id,
    parts:
      plain || Array.isArray(output)
        ? readUserContent(output, `${param}.output`)
        : [{ kind: "text", text: JSON.stringify(output), cache: null }],
    isError: false,
    cache: null,
  };
}

function namesOf(tools: readonly unknown[]): string {
  const names = tools.flatMap((tool) =>
    isRecord(tool) && typeof tool["name"] === "string" ? [tool["name"]] : [],
  );
  return names.length === 0 ? "No tools were found." : `Found: ${names.join(", ")}.`;
}

class ItemReader {
  readonly turns = new Turns();
  readonly found: { readonly tools: readonly unknown[]; readonly param: string }[] = [];
  readonly #seal: AccountSeal | null;

  constructor(seal: AccountSeal | null) {
    this.#seal = seal;
  }

  read(item: Fields, param: string): void {
    const { turns } = this;
    const type = item["type"] ?? "message";
    switch (type) {
      case "message":
        return this.#message(item, param);
      case "reasoning":
        return turns.assistant(readReasoningItem(item, this.#seal));
      case "function_call": {
        const name = flatName(textAt(item, "name", param), namespaceOf(item));
        return turns.assistant([callOf(item, param, name, argumentsText(item["arguments"]))]);
      }
      case "custom_tool_call": {
        const name = flatName(textAt(item, "name", param), namespaceOf(item));
        const { input } = item;
        const json = JSON.stringify({ input: typeof input === "string" ? input : "" });
        return turns.assistant([callOf(item, param, name, json)]);
      }
      case "function_call_output":
      case "custom_tool_call_output":
        return turns.result(resultOf(item, param), param);
      case "tool_search_call":
        if (typeof item["call_id"] !== "string") return;
        return turns.assistant([
          callOf(item, param, TOOL_SEARCH, argumentsText(item["arguments"])),
        ]);
      case "tool_search_output":
        return this.#searched(item, param);
      case "additional_tools":
        this.#tools(item, param);
        return;
      case "compaction":
        return this.#compaction(item, param);
      case "item_reference":
        return this.#reference(item, param);
      default:
        if (LEFT_OUT.has(type)) return;
        throw refuseField(
          `${param}.type`,
          "is of a kind that cannot be sent to this model: send messages, calls of tools and their outputs",
        );
    }
  }

  #message(item: Fields, param: string): void {
    const content = `${param}.content`;
    switch (item["role"]) {
      case "user":
        return this.turns.user(readUserContent(item["content"], content));
      case "assistant":
        return this.turns.assistant(readAssistantContent(item["content"], content));
      case "system":
      case "developer":
        return this.turns.instructions(readInstructions(item["content"], content));
      default:
        throw refuseField(`${param}.role`, "must be user, assistant, system or developer");
    }
  }

  #tools(item: Fields, param: string): readonly unknown[] {
    const tools: readonly unknown[] = Array.isArray(item["tools"]) ? item["tools"] : [];
    this.found.push({ tools, param: `${param}.tools` });
    return tools;
  }

  #searched(item: Fields, param: string): void {
    const tools = this.#tools(item, param);
    if (typeof item["call_id"] !== "string") return;
    const parts = [{ kind: "text", text: namesOf(tools), cache: null }] as const;
    const callId = readCallId(item["call_id"]).id;
    this.turns.result({ callId, parts, isError: false, cache: null }, param);
  }

  /** What was said before, summed up here earlier; what was sealed elsewhere cannot be read. */
  #compaction(item: Fields, param: string): void {
    const sealed = item["encrypted_content"];
    const text =
      this.#seal === null || typeof sealed !== "string"
        ? null
        : openText(this.#seal, COMPACTION, sealed);
    if (text === null)
      throw refuseField(
        `${param}.encrypted_content`,
        "was not made here for this account, so it cannot be read: send the conversation itself",
      );
    this.turns.user([{ kind: "text", text, cache: null }]);
  }

  /** Earlier thinking is of no use without its seal, and may be left out. */
  #reference(item: Fields, param: string): void {
    if (typeof item["id"] === "string" && item["id"].startsWith("rs_")) return;
    throw refuseField(
      param,
      "names an item that is not kept here: send the item itself (`store: false` in most clients)",
    );
  }
}

/** `input` of a validated request. A text is what the user says. */
export function readItems(input: unknown, seal: AccountSeal | null): Conversation {
  const reader = new ItemReader(seal);
  if (typeof input === "string") reader.turns.user(readUserContent(input, "input"));
  else if (Array.isArray(input)) {
    for (const [index, item] of (input as readonly unknown[]).entries()) {
      const param = `input[${index}]`;
      if (!isRecord(item)) throw refuseField(param, "must be an object");
      reader.read(item, param);
    }
  }
  return { system: reader.turns.system, turns: reader.turns.turns(), found: reader.found };
}
