/** Goes through everything of a chat request that an upstream counts as prompt. */
import { isRecord } from "../json/is-record.ts";
import {
  always,
  FILE,
  UNSEEN_FILE,
  type Density,
  type PromptVisitor,
  type Unseen,
} from "../prompt-visitor.ts";

/**
 * Role, separators and the opening of the answer: three to five tokens in the public chat
 * templates.
 */
export const MESSAGE_TOKENS = always(5);
export const ANSWER_TOKENS = always(4);
/** What templates put around a tool, a call, or an answer schema. */
const TOOL_TOKENS = always(10);

/**
 * One image by `detail`. OpenAI: 85 for low, 765 for a square of 1,024, up to 1,445 for high, up to
 * 2,489 for the patch-based models, up to 10,000 for original; Claude: up to 1,600.
 */
const IMAGE_TOKENS = {
  low: { most: 300, likely: 85 },
  high: { most: 2500, likely: 765 },
  original: { most: 12_000, likely: 1500 },
} as const;

/** Audio is 10 to 32 tokens a second; mp3 is 2 to 16 kB a second, wav 8 to 48 kB. */
const MP3: Density = { densest: 64, usual: 800 };
const WAV: Density = { densest: 250, usual: 2400 };

function imageTokens(image: unknown): Unseen {
  const detail = isRecord(image) ? image["detail"] : undefined;
  if (detail === "low") return IMAGE_TOKENS.low;
  return detail === "original" ? IMAGE_TOKENS.original : IMAGE_TOKENS.high;
}

function walkAudio(audio: unknown, visitor: PromptVisitor): void {
  if (!isRecord(audio)) return visitor.unseen(UNSEEN_FILE);
  visitor.media(
    audio["data"],
    audio["format"] === "wav" || audio["format"] === "pcm16" ? WAV : MP3,
  );
}

/**
 * A part of a kind that is not known here: its texts are prompt, its data URLs are media, and of an
 * image only the beginning may be here.
 */
function walkUnknown(value: unknown, visitor: PromptVisitor): void {
  if (typeof value === "string") {
    if (value.startsWith("data:image/")) visitor.unseen(IMAGE_TOKENS.high);
    else if (value.startsWith("data:")) visitor.media(value, FILE);
    else visitor.text(value);
  } else if (Array.isArray(value)) {
    for (const item of value) walkUnknown(item, visitor);
  } else if (isRecord(value)) {
    for (const item of Object.values(value)) walkUnknown(item, visitor);
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
    case "text":
      return walkText(part["text"], visitor);
    case "refusal":
      return walkText(part["refusal"], visitor);
    case "image_url":
      return visitor.image(imageTokens(part["image_url"]));
    case "input_audio":
      return walkAudio(part["input_audio"], visitor);
    case "file":
      return visitor.media(isRecord(part["file"]) ? part["file"]["file_data"] : undefined, FILE);
    case "video_url":
    case "video":
      return visitor.unseen(UNSEEN_FILE);
    default:
      return walkUnknown(part, visitor);
  }
}

function walkContent(content: unknown, visitor: PromptVisitor): void {
  if (typeof content === "string") visitor.text(content);
  else if (Array.isArray(content)) for (const part of content) walkPart(part, visitor);
}

/** A value that reaches the model as JSON. */
function walkJson(value: unknown, visitor: PromptVisitor): void {
  visitor.unseen(TOOL_TOKENS);
  visitor.text(typeof value === "string" ? value : JSON.stringify(value));
}

/** Earlier reasoning in its parts; false where there is none. */
function walkReasoningDetails(details: unknown, visitor: PromptVisitor): boolean {
  if (!Array.isArray(details)) return false;
  let any = false;
  for (const part of details) {
    if (!isRecord(part)) continue;
    any = true;
    const { text, summary, data } = part;
    if (typeof text === "string") visitor.text(text);
    if (typeof summary === "string") visitor.text(summary);
    if (typeof data === "string") visitor.text(data);
  }
  return any;
}

function walkCall(call: unknown, visitor: PromptVisitor): void {
  if (!isRecord(call)) return;
  const { name } = call;
  if (typeof name === "string") visitor.text(name);
  walkJson(call["arguments"] ?? call["input"] ?? "", visitor);
}

function walkMessage(message: unknown, visitor: PromptVisitor): void {
  visitor.unseen(MESSAGE_TOKENS);
  if (!isRecord(message)) return;
  walkContent(message["content"], visitor);
  const { name, refusal, tool_calls: toolCalls } = message;
  if (typeof name === "string") visitor.text(name);
  if (typeof refusal === "string") visitor.text(refusal);
  // Reasoning goes by several names: an upstream gets one of them, so the others are not prompt
  // again (reasoning-details.ts).
  if (!walkReasoningDetails(message["reasoning_details"], visitor)) {
    const reasoning = message["reasoning_content"] ?? message["reasoning"];
    if (typeof reasoning === "string") visitor.text(reasoning);
  }
  if (Array.isArray(toolCalls)) {
    for (const call of toolCalls)
      if (isRecord(call)) walkCall(call["function"] ?? call["custom"], visitor);
  }
  walkCall(message["function_call"], visitor);
}

function walkTools(tools: unknown, visitor: PromptVisitor): void {
  if (Array.isArray(tools)) for (const tool of tools) walkJson(tool, visitor);
}

/**
 * `body` is a validated chat request. The order of the texts is the order of the prompt, tools
 * last.
 */
export function walkPrompt(body: Record<string, unknown>, visitor: PromptVisitor): void {
  visitor.unseen(ANSWER_TOKENS);
  if (Array.isArray(body["messages"]))
    for (const message of body["messages"]) walkMessage(message, visitor);
  walkTools(body["tools"], visitor);
  walkTools(body["functions"], visitor);
  const format = body["response_format"];
  if (isRecord(format) && isRecord(format["json_schema"])) walkJson(format["json_schema"], visitor);
}
