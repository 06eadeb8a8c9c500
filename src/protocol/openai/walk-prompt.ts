/** Goes through everything of a chat request that an upstream counts as prompt. */
import { isRecord } from "../json/is-record.ts";

/** How many tokens something without text may be: `most` for a hold, `likely` (never more than most) for a count. */
export interface Unseen {
  readonly most: number;
  readonly likely: number;
}

export interface PromptVisitor {
  /** A text that is prompt as it stands. */
  text(text: string): void;
  /** What no text shows: the format's own tokens, audio, files, video. */
  unseen(tokens: Unseen): void;
  image(tokens: Unseen): void;
}

function always(tokens: number): Unseen {
  return { most: tokens, likely: tokens };
}

/** Role, separators and the opening of the answer: three to five tokens in the public chat templates. */
const MESSAGE_TOKENS = always(5);
const ANSWER_TOKENS = always(4);
/** What templates put around a tool, a call, or an answer schema. */
const TOOL_TOKENS = always(10);

/**
 * One image by `detail`. OpenAI: 85 for low, 765 for a square of 1,024, up to 1,445 for high, up to 2,489 for the patch-based models,
 * up to 10,000 for original; Claude: up to 1,600.
 */
const IMAGE_TOKENS = {
  low: { most: 300, likely: 85 },
  high: { most: 2500, likely: 765 },
  original: { most: 12_000, likely: 1500 },
} as const;

/** Bytes of media for one token, at the densest and as is usual. */
interface Density {
  readonly densest: number;
  readonly usual: number;
}
/** Audio is 10 to 32 tokens a second; mp3 is 2 to 16 kB a second, wav 8 to 48 kB. */
const MP3: Density = { densest: 64, usual: 800 };
const WAV: Density = { densest: 250, usual: 2400 };
/** A document: text costs about a token for four bytes, the media in it far less. */
const FILE: Density = { densest: 4, usual: 40 };
/** Media that is only named, or a video: its size is not known here. */
const UNSEEN_FILE: Unseen = { most: 20_000, likely: 2000 };

function mediaTokens(base64: unknown, density: Density): Unseen {
  if (typeof base64 !== "string") return UNSEEN_FILE;
  const bytes = (base64.length * 3) / 4;
  return { most: Math.ceil(bytes / density.densest), likely: Math.ceil(bytes / density.usual) };
}

function imageTokens(image: unknown): Unseen {
  const detail = isRecord(image) ? image["detail"] : undefined;
  if (detail === "low") return IMAGE_TOKENS.low;
  return detail === "original" ? IMAGE_TOKENS.original : IMAGE_TOKENS.high;
}

function audioTokens(audio: unknown): Unseen {
  if (!isRecord(audio)) return UNSEEN_FILE;
  return mediaTokens(audio["data"], audio["format"] === "wav" || audio["format"] === "pcm16" ? WAV : MP3);
}

/** A part of a kind that is not known here: its texts are prompt, its data URLs are media. */
function walkUnknown(value: unknown, visitor: PromptVisitor): void {
  if (typeof value === "string") {
    if (value.startsWith("data:")) visitor.unseen(mediaTokens(value, FILE));
    else visitor.text(value);
  } else if (Array.isArray(value)) {
    for (const item of value) walkUnknown(item, visitor);
  } else if (isRecord(value)) {
    for (const item of Object.values(value)) walkUnknown(item, visitor);
  }
}

function walkPart(part: unknown, visitor: PromptVisitor): void {
  if (!isRecord(part)) return walkUnknown(part, visitor);
  switch (part["type"]) {
    case "text":
      return walkUnknown(part["text"], visitor);
    case "refusal":
      return walkUnknown(part["refusal"], visitor);
    case "image_url":
      return visitor.image(imageTokens(part["image_url"]));
    case "input_audio":
      return visitor.unseen(audioTokens(part["input_audio"]));
    case "file":
      return visitor.unseen(mediaTokens(isRecord(part["file"]) ? part["file"]["file_data"] : undefined, FILE));
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

function walkMessage(message: unknown, visitor: PromptVisitor): void {
  visitor.unseen(MESSAGE_TOKENS);
  if (!isRecord(message)) return;
  walkContent(message["content"], visitor);
  for (const field of ["name", "refusal", "reasoning_content", "reasoning"]) {
    const value = message[field];
    if (typeof value === "string") visitor.text(value);
  }
  const { tool_calls: toolCalls, function_call: functionCall } = message;
  const calls = Array.isArray(toolCalls)
    ? toolCalls.map((call: unknown) => (isRecord(call) ? (call["function"] ?? call["custom"]) : null))
    : [];
  for (const call of [...calls, functionCall]) {
    if (!isRecord(call)) continue;
    if (typeof call["name"] === "string") visitor.text(call["name"]);
    walkJson(call["arguments"] ?? call["input"] ?? "", visitor);
  }
}

/** `body` is a validated chat request. The order of the texts is the order of the prompt, tools last. */
export function walkPrompt(body: Record<string, unknown>, visitor: PromptVisitor): void {
  visitor.unseen(ANSWER_TOKENS);
  if (Array.isArray(body["messages"])) for (const message of body["messages"]) walkMessage(message, visitor);
  for (const field of ["tools", "functions"]) {
    const tools = body[field];
    if (Array.isArray(tools)) for (const tool of tools) walkJson(tool, visitor);
  }
  const format = body["response_format"];
  if (isRecord(format) && isRecord(format["json_schema"])) walkJson(format["json_schema"], visitor);
}
