/** What one line of a batch may cost at most: by the rules by which its request would be admitted. */
import type { Catalogue } from "../../catalogue/catalogue.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Nano } from "../../kernel/money.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import type { ChatDialect } from "../../protocol/chat-dialect.ts";
import { checkKeyAccess } from "../admission/authenticate.ts";
import { planHold } from "../chat/plan-hold.ts";
import { mayBeTooLong, refuseTooLong, type CountTexts } from "../chat/refuse-too-long.ts";
import { resolveChatModel } from "../chat/resolve-model.ts";
import { judgeBatchRaises } from "./judge-batch-raises.ts";

export interface LineAsker {
  readonly catalogue: Catalogue;
  readonly dialect: ChatDialect;
  readonly key: Pick<KeyRecord, "models" | "ips">;
  readonly ip: string;
  readonly countTexts: CountTexts;
}

/** Throws the Fault that the line would be refused with. */
export async function quoteLine(asker: LineAsker, body: Buffer): Promise<Nano> {
  const { catalogue, dialect, key, ip } = asker;
  const reading = await dialect.readRequestInSlices(body);
  if (!reading.ok) throw reading.fault;
  const { request } = reading;
  if (request.stream)
    throw new Fault("invalid_request", {
      message: "stream: a batch is not streamed. Leave it out.",
      param: "stream",
    });
  const { model } = resolveChatModel(catalogue, request.model, dialect.endpoint);
  checkKeyAccess(key, { model: model.id, modelRequested: request.model, ip });
  const asked = judgeBatchRaises(model, request.raises, dialect.endpoint);
  if (mayBeTooLong(request, model)) await refuseTooLong(asker.countTexts, request, model);
  return planHold(model, request, asked).fullNano;
}
