/**
 * An error of the panel's own API: a stable code that the pages have words for, what those words
 * name, and a text in English.
 */
import Type from "typebox";
import type { FaultCode } from "../../kernel/faults.ts";
import type { SchemaMistake } from "../enums/schema-mistake.ts";
import { nullableInteger, nullableString } from "../nullable.ts";

/** What a sentence about a mistake names, by name: `limit`, `values`, `model`. */
export const MistakeParams = Type.Record(
  Type.String(),
  Type.Union([Type.String(), Type.Number(), Type.Immutable(Type.Array(Type.String()))]),
);

export const PanelErrorBody = Type.Object({
  error: Type.Object({
    /** A code of `src/kernel/faults.ts`. */
    code: Type.String(),
    reason: nullableString({
      description: "What exactly was refused, where the code says only of which kind.",
    }),
    message: Type.String(),
    params: MistakeParams,
    /** Every mistake of a body, by field. */
    errors: Type.Array(
      Type.Object({
        param: Type.String(),
        code: Type.String(),
        message: Type.String(),
        params: MistakeParams,
      }),
    ),
    retryAfterSeconds: nullableInteger({}, { description: "When to come back." }),
    requestId: Type.String(),
  }),
});
export type PanelErrorBody = Type.Static<typeof PanelErrorBody>;

/** Every code that an error may have: pages have words for each. */
export type PanelErrorCode = FaultCode;

/** Every code of a field's mistake that has no params of its own (`panel-refusal.ts`). */
export type FieldMistake = SchemaMistake | "unpriced" | "below_cost" | "big_change" | "catalogue";
