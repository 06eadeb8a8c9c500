/** A chat request over its parsed body: what the protocols have in common of it. */
import { Fault } from "../kernel/faults.ts";
import type { PriceRaise } from "../kernel/price-raises.ts";
import type { AccountSeal } from "./account-seal.ts";
import type { ChatRequest, ChatRequestEdit, ChatRequestReading } from "./chat-request.ts";
import type { HostedTool } from "./hosted-tool.ts";
import { LARGE_BODY_BYTES } from "./json/long-strings.ts";
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
import type { PricedObjectReading } from "./raises/priced-object.ts";
import type { ConversationNeeds } from "./responses/conversation-needs.ts";

const MESSAGES: ReadonlySet<string> = new Set(["messages", "input"]);
/** Members that are prompt, in whichever protocol; both guard them. */
const AROUND_MESSAGES: ReadonlySet<string> = new Set([
  "system",
  "instructions",
  "tools",
  "functions",
  "response_format",
  "output_config",
  "output_format",
  "text",
]);

const NO_TOOLS: readonly HostedTool[] = [];

/** What a protocol does with the body of its requests. */
export interface BodyProtocol {
  readonly walk: PromptWalk;
  readFields(object: JsonObject, raises: readonly PriceRaise[]): ReadFields;
  readNeutral(body: Record<string, unknown>, seal: AccountSeal | null): NeutralReading;
  rewrite(object: JsonObject, request: ChatRequest, edit: ChatRequestEdit): Buffer;
}

/** What each protocol reads from the body by itself. */
export type ReadFields = Pick<
  ChatRequest,
  | "model"
  | "stream"
  | "includeUsage"
  | "maxTokens"
  | "n"
  | "cacheTtl"
  | "raises"
  | "hostedTools"
  | "conversation"
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
  readonly hostedTools: readonly HostedTool[];
  readonly conversation?: ConversationNeeds;
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
    this.hostedTools = fields.hostedTools ?? NO_TOOLS;
    if (fields.conversation !== undefined) this.conversation = fields.conversation;
    this.object = object;
    this.protocol = protocol;
  }

  get body(): Record<string, unknown> {
    return this.object.whole();
  }
  rewrite(edit: ChatRequestEdit): Buffer {
    return this.protocol.rewrite(this.object, this, edit);
  }
  neutral(seal: AccountSeal | null = null): NeutralReading {
    return this.protocol.readNeutral(this.object.whole(), seal);
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

/** What there is to be known of a body that was read from its bytes. */
export interface PlainReading {
  readonly object: JsonObject;
  readonly fields: ReadFields;
  readonly measure: PromptMeasure;
}

export interface RequestReaders {
  /**
   * Validates without coercing any type; unknown fields pass (contract §5). Refuses what is
   * ambiguous (see read-json-object.ts). The bytes are kept, not copied: they must not change while
   * the request lives.
   */
  readonly read: (body: Uint8Array) => ChatRequestReading;
  /** The same, a large body slice by slice: other work of the process goes on in between. */
  readonly readInSlices: (body: Uint8Array) => Promise<ChatRequestReading>;
}

/**
 * `readObject` does all but the measure. That refuses, too: data of an image, or a long string, that
 * is no JSON string shows itself only when it is read. `readPlain` is asked first where a body is not
 * large: null for one that is not of the usual kind.
 */
export function createRequestReaders(
  readObject: (bytes: Buffer) => PricedObjectReading,
  protocol: BodyProtocol,
  readPlain: (bytes: Buffer) => PlainReading | null = () => null,
): RequestReaders {
  const requestOf = (
    { object, raises }: Extract<PricedObjectReading, { ok: true }>,
    measure: PromptMeasure,
  ): ChatRequestReading => ({
    ok: true,
    request: new ParsedChatRequest(object, protocol, protocol.readFields(object, raises), measure),
  });
  return {
    read(body) {
      const bytes = bufferOf(body);
      const plain = bytes.length > LARGE_BODY_BYTES ? null : readPlain(bytes);
      if (plain !== null) {
        const { object, fields, measure } = plain;
        return { ok: true, request: new ParsedChatRequest(object, protocol, fields, measure) };
      }
      const reading = readObject(bytes);
      if (!reading.ok) return reading;
      try {
        return requestOf(reading, measurePrompt(reading.object, protocol.walk));
      } catch (error) {
        return refusalOf(error);
      }
    },
    async readInSlices(body) {
      const reading = readObject(bufferOf(body));
      if (!reading.ok) return reading;
      try {
        return requestOf(reading, await measurePromptInSlices(reading.object, protocol.walk));
      } catch (error) {
        return refusalOf(error);
      }
    },
  };
}

function bufferOf(body: Uint8Array): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

function refusalOf(error: unknown): ChatRequestReading {
  if (error instanceof Fault) return { ok: false, fault: error };
  throw error;
}
