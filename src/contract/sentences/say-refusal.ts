/**
 * A refusal of a form with its sentence in English, from its reason and what that names: the
 * details of a fault.
 */
import { ENGLISH_REFUSALS } from "./english-refusals.ts";
import { PLAIN_FIGURES } from "../figures.ts";
import type { PanelRefusals, WordedRefusal } from "../panel/panel-refusal.ts";

/** What follows a reason: nothing where its sentence names nothing. */
export type ParamsOf<Reason extends keyof PanelRefusals> =
  Record<never, never> extends PanelRefusals[Reason] ? [] : [PanelRefusals[Reason]];

export function sayRefusal<Reason extends keyof PanelRefusals>(
  reason: Reason,
  ...given: ParamsOf<Reason>
): WordedRefusal {
  const [params = {} as PanelRefusals[Reason]]: readonly PanelRefusals[Reason][] = given;
  return {
    reason,
    params: { ...params },
    message: ENGLISH_REFUSALS[reason](params, PLAIN_FIGURES),
  };
}

/** The same of one field, whose name stands before the sentence. */
export function sayFieldRefusal<Reason extends keyof PanelRefusals>(
  param: string,
  reason: Reason,
  ...given: ParamsOf<Reason>
): WordedRefusal & { readonly param: string } {
  const worded = sayRefusal(reason, ...given);
  return { ...worded, message: `${param}: ${worded.message}`, param };
}
