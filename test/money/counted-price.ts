/**
 * What an answer costs whose upstream gave no usage: by the count of its request and of what was
 * delivered.
 */
import { countTokens } from "../../src/protocol/count-tokens.ts";
import { readChatRequest } from "../../src/protocol/openai/read-chat-request.ts";
import { INPUT_TOKEN_NANO, OUTPUT_TOKEN_NANO } from "./money-catalogue.ts";

/** Nano-roubles, at the prices by the token of the money tests. */
export async function countedPrice(body: object, delivered: string): Promise<bigint> {
  const reading = readChatRequest(Buffer.from(JSON.stringify(body)));
  if (!reading.ok) throw reading.fault;
  const { request } = reading;
  const inputTokens = (await countTokens(request.promptText())) + request.overheadTokens;
  return (
    BigInt(inputTokens) * INPUT_TOKEN_NANO +
    BigInt(await countTokens(delivered)) * OUTPUT_TOKEN_NANO
  );
}
