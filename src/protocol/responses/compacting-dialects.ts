/**
 * Requests for a summary of a conversation: answered as any other by an upstream of any protocol,
 * but for the form that their answer has.
 */
import type { ChatRequestReading } from "../chat-request.ts";
import type { Assembler, ChatDialect } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";
import { createResponseAssembler } from "./assemble-response.ts";
import { COMPACTION_TRIGGER } from "./conversation-needs.ts";
import { responsesDialect } from "./dialect.ts";
import { userMessage } from "./input-items.ts";
import { createCompactionWriter, createSummaryWriter } from "./summary-writer.ts";

/**
 * Asked for at the end of the input. No upstream's own summary passes: another route, and another
 * protocol, could not read it.
 */
export const summaryDialect: ChatDialect = {
  ...responsesDialect,
  native: null,
  createEventWriter: createSummaryWriter,
};

/** `POST /v1/responses/compact`. */
export const compactDialect: ChatDialect = {
  ...summaryDialect,
  action: "compact",
  readRequest: (body) => responsesDialect.readRequest(withTrigger(body)),
  readRequestInSlices: (body): Promise<ChatRequestReading> =>
    responsesDialect.readRequestInSlices(withTrigger(body)),
  createEventWriter: createCompactionWriter,
  createAssembler: createCompactionAssembler,
};

/** What is no request stays as it is, and is refused by who reads it. */
function withTrigger(body: Buffer): Buffer {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return body;
  }
  if (!isRecord(value)) return body;
  const { input = [], ...rest } = value;
  if (typeof input !== "string" && !Array.isArray(input)) return body;
  const items: readonly unknown[] = typeof input === "string" ? [userMessage(input)] : input;
  const asked = [...items, { type: COMPACTION_TRIGGER }];
  return Buffer.from(JSON.stringify({ ...rest, input: asked, stream: false, store: false }));
}

/** The members that a compaction has of a response. */
function createCompactionAssembler(): Assembler {
  const whole = createResponseAssembler();
  return {
    add: (event) => whole.add(event),
    finish(usage, stopped) {
      const {
        id,
        created_at,
        output,
        usage: shown,
      } = JSON.parse(whole.finish(usage, stopped).toString()) as Record<string, unknown>;
      return Buffer.from(
        JSON.stringify({ id, object: "response.compaction", created_at, output, usage: shown }),
      );
    },
  };
}
