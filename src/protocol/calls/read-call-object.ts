/** The JSON body of a call: validated, and refused where it asks for what is dearer unpriced. */
import type { TSchema } from "typebox";
import { createMistakeFinder } from "../../contract/find-mistakes.ts";
import type { ChatTariff } from "../../contract/price/chat-tariff.ts";
import { judgeRaises } from "../../contract/price/judge-raises.ts";
import { ZERO_NANO } from "../../kernel/money.ts";
import { invalidBody } from "../invalid-body.ts";
import { readJsonObject, type JsonObject } from "../json/read-json-object.ts";
import { setMember } from "../json/set-members.ts";
import { spliceBytes } from "../json/splice-bytes.ts";
import { GUARDED_RAISES, withRaises } from "../raises/priced-object.ts";
import type { CallBody } from "./call-protocol.ts";

/** Nothing that makes a call dearer has a price. */
const NO_SURCHARGES: ChatTariff = {
  price: {
    input: ZERO_NANO,
    cachedInput: ZERO_NANO,
    output: ZERO_NANO,
    reasoning: ZERO_NANO,
    image: ZERO_NANO,
    request: ZERO_NANO,
  },
};

/**
 * `guarded`: the members that decide the price, each of which may come once, and only under its
 * exact name. Throws a Fault.
 */
export function createCallReader(
  schema: TSchema,
  guarded: readonly string[],
): (body: Buffer) => JsonObject {
  const findMistakes = createMistakeFinder(schema);
  const names = [...new Set([...GUARDED_RAISES, "model", ...guarded])];
  return (body) => {
    const reading = readJsonObject(body, names);
    if (!reading.ok) throw reading.fault;
    const mistakes = findMistakes(reading.object.value);
    if (mistakes.length > 0) throw invalidBody(mistakes);
    const priced = withRaises(reading.object);
    if (!priced.ok) throw priced.fault;
    judgeRaises(NO_SURCHARGES, priced.raises, "chat.completions");
    return priced.object;
  };
}

export const JSON_TYPE = "application/json";

/** The caller's bytes with the upstream's name of the model, where that is another. */
export function withModel(object: JsonObject, model: string): CallBody {
  const { bytes, value } = object;
  return {
    contentType: JSON_TYPE,
    bytes:
      value["model"] === model
        ? bytes
        : spliceBytes(bytes, [setMember(object, "model", JSON.stringify(model))]),
  };
}
