/** Tells those who listen what the public API answers: the tests hold it against its description. */
import { channel } from "node:diagnostics_channel";
import type { ErrorFamily } from "./error-family.ts";
import type { RouteDescription } from "./route.ts";

const ANSWERS = channel("tollgate.api.answer");

export type AnnouncedAnswer =
  /** The JSON of a route, by the method and path of its description. */
  | {
      readonly kind: "answer";
      readonly name: string;
      readonly doc: RouteDescription;
      readonly status: number;
      readonly json: unknown;
    }
  | { readonly kind: "fault"; readonly family: ErrorFamily; readonly body: string };

/** Costs nothing where there is no listener. */
export function announceAnswer(answer: () => AnnouncedAnswer): void {
  if (ANSWERS.hasSubscribers) ANSWERS.publish(answer());
}
