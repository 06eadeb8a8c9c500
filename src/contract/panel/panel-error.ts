/** An error of the panel's own API: a stable code that the pages have words for, and a text in English for those that they have none for. */
import Type from "typebox";
import { nullableInteger } from "../nullable.ts";

export const PanelErrorBody = Type.Object({
  error: Type.Object({
    /** A code of `src/kernel/faults.ts`. */
    code: Type.String(),
    message: Type.String(),
    /** Every mistake of a body, by field. */
    errors: Type.Array(Type.Object({ param: Type.String(), code: Type.String(), message: Type.String() })),
    retryAfterSeconds: nullableInteger({}, { description: "When to come back." }),
    requestId: Type.String(),
  }),
});
export type PanelErrorBody = Type.Static<typeof PanelErrorBody>;
