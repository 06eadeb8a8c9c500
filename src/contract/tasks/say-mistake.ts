/**
 * A mistake of a task's order with its sentence in English, from its reason and what that names.
 */
import { ENGLISH_RULES } from "./english-rules.ts";
import { ENGLISH_BODY, ENGLISH_VALUES } from "./english-values.ts";
import type {
  AddressMistakes,
  BodyMistakes,
  RuleMistakes,
  WordedMistake,
  TaskMistake,
  TaskSentences,
  ValueMistakes,
} from "./task-mistake.ts";

/** What follows a reason: nothing where its sentence names nothing. */
type ParamsOf<Params> = Record<never, never> extends Params ? [] : [Params];

/** Where programs are told a word that is wider than the reason. */
const CODES: Partial<Record<keyof ValueMistakes | keyof BodyMistakes, string>> = {
  expected: "type",
  body_no_object: "type",
  no_number: "type",
  no_whole_number: "type",
  no_choice: "type",
  empty_text: "minLength",
  exclusive: "combination",
  needs: "combination",
};

export function valueMistake<Reason extends keyof ValueMistakes>(
  param: string,
  reason: Reason,
  ...given: ParamsOf<ValueMistakes[Reason]>
): TaskMistake {
  const { message, ...wording } = say(ENGLISH_VALUES, reason, given);
  return { param, code: CODES[reason] ?? reason, ...wording, message: `'${param}' ${message}` };
}

export function bodyMistake<Reason extends keyof BodyMistakes>(
  param: string,
  reason: Reason,
  ...given: ParamsOf<BodyMistakes[Reason]>
): TaskMistake {
  return { param, code: CODES[reason] ?? reason, ...say(ENGLISH_BODY, reason, given) };
}

/** A rule as documentation states it, or what broke it. */
export function sayRule<Reason extends keyof RuleMistakes>(
  reason: Reason,
  ...given: ParamsOf<RuleMistakes[Reason]>
): WordedMistake<Reason> {
  return say(ENGLISH_RULES, reason, given);
}

/** `message`: as the room has it that judges addresses and files. */
export function addressMistake(
  param: string,
  reason: keyof AddressMistakes,
  message: string,
): TaskMistake {
  return { param, code: reason, reason, params: {}, message: `'${param}': ${message}` };
}

function say<Reasons, Reason extends keyof Reasons & WordedMistake["reason"]>(
  sentences: TaskSentences<Reasons>,
  reason: Reason,
  [params = {} as Reasons[Reason]]: readonly Reasons[Reason][],
): WordedMistake<Reason> {
  return { reason, params: params as WordedMistake["params"], message: sentences[reason](params) };
}
