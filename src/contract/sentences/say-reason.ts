/** A reason with its sentence in English, from its code and what that names. */
import { ENGLISH_REASONS } from "./english-reasons.ts";
import { PLAIN_FIGURES } from "../figures.ts";
import type { WordedReason, UpstreamReasons } from "../operator/upstream-reason.ts";

/** What follows a code: nothing where its sentence names nothing. */
type ParamsOf<Code extends keyof UpstreamReasons> =
  Record<never, never> extends UpstreamReasons[Code] ? [] : [UpstreamReasons[Code]];

export function sayReason<Code extends keyof UpstreamReasons>(
  code: Code,
  ...given: ParamsOf<Code>
): Required<WordedReason> {
  const [params = {} as UpstreamReasons[Code]]: readonly UpstreamReasons[Code][] = given;
  return {
    reason: ENGLISH_REASONS[code](params, PLAIN_FIGURES),
    coded: { code, params: { ...params } },
  };
}
