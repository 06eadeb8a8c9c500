/** A chat request over its parsed body: what the protocols have in common of it. */
import type { ChatRequest, ChatRequestEdit } from "./chat-request.ts";
import type { JsonObject } from "./json/read-json-object.ts";
import type { NeutralReading } from "./neutral/neutral-request.ts";
import { measurePrompt, promptTextOf, type PromptWalk } from "./prompt-visitor.ts";

/** What a protocol does with the body of its requests. */
export interface BodyProtocol {
  readonly walk: PromptWalk;
  readNeutral(body: Record<string, unknown>): NeutralReading;
  rewrite(object: JsonObject, request: ChatRequest, edit: ChatRequestEdit): Buffer;
}

/** What each protocol reads from the body by itself. */
type ReadFields = Pick<ChatRequest, "model" | "stream" | "includeUsage" | "maxTokens" | "n" | "cacheTtl">;

/** Throws a Fault where data of an image is no JSON string: that shows itself only when the whole body is read. */
export class ParsedChatRequest implements ChatRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly maxTokens: number | null;
  readonly n: number;
  readonly inputTokens: number;
  readonly usualTokens: number;
  readonly overheadTokens: number;
  readonly images: number;
  readonly cacheTtl: "5m" | "1h";
  private readonly object: JsonObject;
  private readonly protocol: BodyProtocol;

  constructor(object: JsonObject, protocol: BodyProtocol, fields: ReadFields) {
    const measure = measurePrompt(object, protocol.walk);
    this.model = fields.model;
    this.stream = fields.stream;
    this.includeUsage = fields.includeUsage;
    this.maxTokens = fields.maxTokens;
    this.n = fields.n;
    this.inputTokens = measure.inputTokens;
    this.usualTokens = measure.usualTokens;
    this.overheadTokens = measure.overheadTokens;
    this.images = measure.images;
    this.cacheTtl = fields.cacheTtl;
    this.object = object;
    this.protocol = protocol;
  }

  get body(): Record<string, unknown> {
    return this.object.whole();
  }
  rewrite(edit: ChatRequestEdit): Buffer {
    return this.protocol.rewrite(this.object, this, edit);
  }
  neutral(): NeutralReading {
    return this.protocol.readNeutral(this.object.whole());
  }
  promptText(): string {
    return promptTextOf(this.object, this.protocol.walk);
  }
  release(): void {
    this.object.release();
  }
}
