/** Goes through everything of a Messages request that an upstream counts as prompt. */
import { isRecord } from "../json/is-record.ts";
import { always, FILE, UNSEEN_FILE, type PromptVisitor, type Unseen } from "../prompt-visitor.ts";

/**
 * Role, separators and the opening of the answer. A count sees a line break beside each text
 * already.
 */
const MESSAGE_TOKENS: Unseen = { most: 5, likely: 3 };
const ANSWER_TOKENS = always(4);
/** What stands around a tool, a call or a result. */
const TOOL_TOKENS = always(10);
/**
 * The instructions that come with tools: 159 to 935 tokens, by the model (Anthropic's tool use
 * pages). A count leaves them out: another vendor's models do not get them.
 */
const TOOLS_INSTRUCTIONS: Unseen = { most: 1000, likely: 0 };
/**
 * A tool that the vendor defines by its `type`: its schema is not in the body (bash 245 tokens,
 * text editor 700, computer 735 and a system prompt, toolsets of many members several thousand),
 * and what a server tool finds becomes prompt of the same request.
 */
const VENDOR_TOOL: Unseen = { most: 20_000, likely: 800 };
/**
 * An image has about width × height / 750 tokens: up to 1,600 for most models, up to 5,000 for
 * those that see 3.75 megapixels.
 */
const IMAGE: Unseen = { most: 5000, likely: 1600 };

/** Fields whose texts are sealed by the vendor: no text, but something that the model reads. */
const SEALED: ReadonlySet<string> = new Set([
  "encrypted_content",
  "encrypted_index",
  "encrypted_stdout",
]);
/** Fields of a block that say what it is, or that the model does not read. */
const SILENT: ReadonlySet<string> = new Set([
  "type",
  "cache_control",
  "signature",
  "citations",
  "caller",
]);

/** A value that reaches the model as JSON. */
function walkJson(value: unknown, visitor: PromptVisitor): void {
  visitor.unseen(TOOL_TOKENS);
  visitor.text(JSON.stringify(value) ?? "");
}

function walkSource(source: unknown, visitor: PromptVisitor): void {
  if (!isRecord(source)) return visitor.unseen(UNSEEN_FILE);
  switch (source["type"]) {
    case "text":
      return walkUnknown(source["data"], visitor);
    case "content":
      return walkContent(source["content"], visitor);
    case "base64":
      return visitor.media(source["data"], FILE);
    default:
      return visitor.unseen(UNSEEN_FILE);
  }
}

/**
 * A part of a kind that is not known here: its texts are prompt, what is in base64 or sealed is
 * media.
 */
function walkUnknown(value: unknown, visitor: PromptVisitor): void {
  if (typeof value === "string") visitor.text(value);
  else if (Array.isArray(value)) for (const item of value) walkUnknown(item, visitor);
  else if (isRecord(value)) {
    if (value["type"] === "base64") return visitor.media(value["data"], FILE);
    for (const [name, item] of Object.entries(value)) {
      if (SEALED.has(name)) visitor.media(item, FILE);
      else if (!SILENT.has(name)) walkUnknown(item, visitor);
    }
  }
}

function walkBlock(block: unknown, visitor: PromptVisitor): void {
  if (!isRecord(block)) return walkUnknown(block, visitor);
  switch (block["type"]) {
    case "text":
      return walkUnknown(block["text"], visitor);
    // Newer models read earlier thinking again; for others this is too much.
    case "thinking":
      return walkUnknown(block["thinking"], visitor);
    case "redacted_thinking":
      return visitor.media(block["data"], FILE);
    case "image":
      return visitor.image(IMAGE);
    case "document":
      walkUnknown([block["title"], block["context"]], visitor);
      return walkSource(block["source"], visitor);
    case "container_upload":
      return visitor.unseen(UNSEEN_FILE);
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      walkUnknown(block["name"], visitor);
      return walkJson(block["input"], visitor);
    case "tool_result":
    case "mcp_tool_result":
      visitor.unseen(TOOL_TOKENS);
      return walkContent(block["content"], visitor);
    case "search_result":
      walkUnknown([block["title"], block["source"]], visitor);
      return walkContent(block["content"], visitor);
    default:
      return walkUnknown(block, visitor);
  }
}

function walkContent(content: unknown, visitor: PromptVisitor): void {
  if (Array.isArray(content)) for (const block of content) walkBlock(block, visitor);
  else walkUnknown(content, visitor);
}

function walkTools(tools: readonly unknown[], visitor: PromptVisitor): void {
  if (tools.length > 0) visitor.unseen(TOOLS_INSTRUCTIONS);
  for (const tool of tools) {
    const type = isRecord(tool) ? tool["type"] : undefined;
    if (typeof type === "string" && type !== "custom") visitor.unseen(VENDOR_TOOL);
    walkJson(tool, visitor);
  }
}

/** The schema of the answer: `output_config.format`, or `output_format` as it was called before. */
function answerSchema(body: Record<string, unknown>): unknown {
  const config = body["output_config"];
  const format = isRecord(config)
    ? (config["format"] ?? body["output_format"])
    : body["output_format"];
  return isRecord(format) ? format["schema"] : undefined;
}

/**
 * `body` is a validated Messages request. The order of the texts is the order of the prompt, tools
 * last.
 */
export function walkMessages(body: Record<string, unknown>, visitor: PromptVisitor): void {
  visitor.unseen(ANSWER_TOKENS);
  if (body["system"] !== undefined && body["system"] !== null) {
    visitor.unseen(MESSAGE_TOKENS);
    walkContent(body["system"], visitor);
  }
  for (const message of Array.isArray(body["messages"]) ? body["messages"] : []) {
    visitor.unseen(MESSAGE_TOKENS);
    if (isRecord(message)) walkContent(message["content"], visitor);
  }
  if (Array.isArray(body["tools"])) walkTools(body["tools"], visitor);
  const schema = answerSchema(body);
  if (schema !== undefined && schema !== null) walkJson(schema, visitor);
  // Servers whose tools the vendor adds to the prompt.
  if (Array.isArray(body["mcp_servers"]))
    for (const _server of body["mcp_servers"]) visitor.unseen(VENDOR_TOOL);
}
