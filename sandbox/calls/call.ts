/** What a kind of call must bring so that the sandbox answers it. */
import type { Mistake } from "../conversation.ts";
import type { JsonObject } from "../is-object.ts";
import type { Directives } from "../parse-directives.ts";

/** A body that was checked as the vendor would. */
export interface ReadCall {
  readonly model: string;
  readonly stream: boolean;
  /** In which directives may stand. */
  readonly text: string;
  /** The answer of a request without directives, but for the figures that one asks for. */
  answer(directives: Directives): CallAnswer;
}

export interface CallAnswer {
  readonly whole: unknown;
  /** One string per whole SSE event; of those that stream. */
  readonly events?: readonly string[];
}

export interface Call {
  readonly path: RegExp;
  read(
    body: JsonObject,
  ):
    | { readonly ok: true; readonly call: ReadCall }
    | { readonly ok: false; readonly mistake: Mistake };
}

export function bad(param: string, message: string): { ok: false; mistake: Mistake } {
  return { ok: false, mistake: { status: 400, message, param } };
}
