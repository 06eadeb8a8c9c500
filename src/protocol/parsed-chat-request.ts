/** A chat request over its parsed body: what the protocols have in common of it. */
import { Fault } from "../kernel/faults.ts";
import type { PriceRaise } from "../kernel/price-raises.ts";
import type { ChatRequest, ChatRequestEdit, ChatRequestReading } from "./chat-request.ts";
import type { JsonObject } from "./json/read-json-object.ts";
import type { NeutralReading } from "./neutral/neutral-request.ts";
import { promptBlocks, type PromptBlocks } from "./prompt-blocks.ts";
import {
  measurePrompt,
  measurePromptInSlices,
  promptTexts,
  type PromptMeasure,
  type PromptWalk,
} from "./prompt-visitor.ts";

const MESSAGES: ReadonlySet<string> = new Set(["messages"]);
/** Members that are prompt, in whichever protocol; both guard them. */
const AROUND_MESSAGES: ReadonlySet<string> = new Set([
  "system",
  "tools",
  "functions",
  "response_format",
  "output_config",
  "output_format",
]);

/** What a protocol does with the body of its requests. */
export interface BodyProtocol {
  readonly walk: PromptWalk;
  readNeutral(body: Record<string, unknown>): NeutralReading;
  rewrite(object: JsonObject, request: ChatRequest, edit: ChatRequestEdit): Buffer;
}

/** What each protocol reads from the body by itself. */
export type ReadFields = Pick<
  ChatRequest,
  "model" | "stream" | "includeUsage" | "maxTokens" | "n" | "cacheTtl" | "raises"
>;

class ParsedChatRequest implements ChatRequest {
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
  readonly raises: readonly PriceRaise[];
  private readonly object: JsonObject;
  private readonly protocol: BodyProtocol;

  constructor(
    object: JsonObject,
    protocol: BodyProtocol,
    fields: ReadFields,
    measure: PromptMeasure,
  ) {
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
    this.raises = fields.raises;
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
    return [...promptTexts(this.object, this.protocol.walk)].join("");
  }
  promptTexts(): Iterable<string> {
    return promptTexts(this.object, this.protocol.walk);
  }
  promptBlocks(): PromptBlocks {
    const { bytes, members } = this.object;
    const parts = (names: ReadonlySet<string>): Buffer[] =>
      members.flatMap(({ key, start, end }) =>
        names.has(key) ? [bytes.subarray(start, end)] : [],
      );
    return promptBlocks(Buffer.concat(parts(MESSAGES)), parts(AROUND_MESSAGES));
  }
  release(): void {
    this.object.release();
  }
}

/**
 * Refused where data of an image, or a long string, is no JSON string: that shows itself only when
 * it is read.
 */
export function measured(
  object: JsonObject,
  protocol: BodyProtocol,
  fields: ReadFields,
): ChatRequestReading {
  try {
    return {
      ok: true,
      request: new ParsedChatRequest(
        object,
        protocol,
        fields,
        measurePrompt(object, protocol.walk),
      ),
    };
  } catch (error) {
    return refusalOf(error);
  }
}

/** The same, slice by slice. */
export async function measuredInSlices(
  object: JsonObject,
  protocol: BodyProtocol,
  fields: ReadFields,
): Promise<ChatRequestReading> {
  try {
    return {
      ok: true,
      request: new ParsedChatRequest(
        object,
        protocol,
        fields,
        await measurePromptInSlices(object, protocol.walk),
      ),
    };
  } catch (error) {
    return refusalOf(error);
  }
}

function refusalOf(error: unknown): ChatRequestReading {
  if (error instanceof Fault) return { ok: false, fault: error };
  throw error;
}
