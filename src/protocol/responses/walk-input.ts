/** Goes through everything of a Responses request that an upstream counts as prompt. */
import { isRecord } from "../json/is-record.ts";
import { always, FILE, UNSEEN_FILE, type PromptVisitor, type Unseen } from "../prompt-visitor.ts";
import { isTranslated } from "./hosted-tools.ts";

/** Role, separators and the opening of the answer, as in Chat Completions. */
const MESSAGE_TOKENS = always(5);
const ANSWER_TOKENS = always(4);
/** What templates put around a tool, a call, or an answer schema. */
const TOOL_TOKENS = always(10);
/** One image by `detail`, as in Chat Completions (openai/walk-prompt.ts). */
const IMAGE_TOKENS = {
  low: { most: 300, likely: 85 },
  high: { most: 2500, likely: 765 },
  original: { most: 12_000, likely: 1500 },
} as const;

/** Fields of an item that say what it is, or that the model does not read. */
const SILENT: ReadonlySet<string> = new Set([
  "type",
  "id",
  "call_id",
  "status",
  "role",
  "phase",
  "annotations",
  "logprobs",
  "cache_control",
]);
/** Sealed: no text, but something that the model reads. */
const SEALED: ReadonlySet<string> = new Set(["encrypted_content", "file_data", "result"]);

function imageTokens({ detail }: Record<string, unknown>): Unseen {
  if (detail === "low") return IMAGE_TOKENS.low;
  return detail === "original" ? IMAGE_TOKENS.original : IMAGE_TOKENS.high;
}

/** A value that reaches the model as JSON. */
function walkJson(value: unknown, visitor: PromptVisitor): void {
  visitor.unseen(TOOL_TOKENS);
  visitor.text(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
}

/** Of a kind that is not known here: its texts are prompt, its images and files are media. */
function walkUnknown(value: unknown, visitor: PromptVisitor): void {
  if (typeof value === "string") {
    if (value.startsWith("data:image/")) visitor.image(IMAGE_TOKENS.high);
    else if (value.startsWith("data:")) visitor.media(value, FILE);
    else visitor.text(value);
  } else if (Array.isArray(value)) {
    for (const item of value) walkUnknown(item, visitor);
  } else if (isRecord(value)) {
    for (const [name, item] of Object.entries(value)) {
      if (SEALED.has(name)) {
        if (item !== null) visitor.media(item, FILE);
      } else if (!SILENT.has(name)) walkUnknown(item, visitor);
    }
  }
}

/** A text is one however it begins. */
function walkText(text: unknown, visitor: PromptVisitor): void {
  if (typeof text === "string") visitor.text(text);
  else walkUnknown(text, visitor);
}

function walkPart(part: unknown, visitor: PromptVisitor): void {
  if (!isRecord(part)) return walkText(part, visitor);
  switch (part["type"]) {
    case "input_text":
    case "output_text":
    case "text":
    case "summary_text":
    case "reasoning_text":
      return walkText(part["text"], visitor);
    case "refusal":
      return walkText(part["refusal"], visitor);
    case "input_image":
      return visitor.image(imageTokens(part));
    case "input_file":
      return typeof part["file_data"] === "string"
        ? visitor.media(part["file_data"], FILE)
        : visitor.unseen(UNSEEN_FILE);
    default:
      return walkUnknown(part, visitor);
  }
}

function walkContent(content: unknown, visitor: PromptVisitor): void {
  if (Array.isArray(content)) for (const part of content) walkPart(part, visitor);
  else if (content !== undefined && content !== null) walkText(content, visitor);
}

/**
 * What only an upstream of this protocol can run is prompt where there is one, and is left out
 * elsewhere.
 */
function walkTools(tools: unknown, visitor: PromptVisitor): void {
  if (!Array.isArray(tools)) return;
  for (const tool of tools as readonly unknown[]) {
    if (isTranslated(tool)) walkJson(tool, visitor);
    else visitor.unseen({ most: JSON.stringify(tool).length, likely: 0 });
  }
}

/** Thinking comes back in words or sealed: an upstream reads one of the two. */
function walkReasoning(item: Record<string, unknown>, visitor: PromptVisitor): void {
  const sealed = item["encrypted_content"];
  if (typeof sealed === "string") return visitor.media(sealed, FILE);
  walkContent(item["content"], visitor);
  walkContent(item["summary"], visitor);
}

function walkItem(item: unknown, visitor: PromptVisitor): void {
  visitor.unseen(MESSAGE_TOKENS);
  if (!isRecord(item)) return walkText(item, visitor);
  switch (item["type"] ?? "message") {
    case "message":
      return walkContent(item["content"], visitor);
    case "reasoning":
      return walkReasoning(item, visitor);
    case "function_call":
    case "custom_tool_call":
    case "tool_search_call":
      walkUnknown([item["namespace"], item["name"]], visitor);
      return walkJson(item["arguments"] ?? item["input"] ?? "", visitor);
    case "function_call_output":
    case "custom_tool_call_output":
      return walkContent(item["output"], visitor);
    case "tool_search_output":
    case "additional_tools":
      return walkTools(item["tools"], visitor);
    default:
      return walkUnknown(item, visitor);
  }
}

/**
 * `body` is a validated request. The order of the texts is the order of the prompt, tools last.
 */
export function walkInput(body: Record<string, unknown>, visitor: PromptVisitor): void {
  visitor.unseen(ANSWER_TOKENS);
  const { instructions, input, tools, text } = body;
  if (typeof instructions === "string") {
    visitor.unseen(MESSAGE_TOKENS);
    visitor.text(instructions);
  }
  if (typeof input === "string") {
    visitor.unseen(MESSAGE_TOKENS);
    visitor.text(input);
  } else if (Array.isArray(input)) for (const item of input) walkItem(item, visitor);
  walkTools(tools, visitor);
  const format = isRecord(text) ? text["format"] : undefined;
  if (isRecord(format) && format["type"] === "json_schema") walkJson(format, visitor);
}
