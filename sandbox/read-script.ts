/**
 * A conversation that is written down before it happens: what is said or called at each step that
 * follows a user's message.
 */
import type { Conversation } from "./conversation.ts";
import { isObject } from "./is-object.ts";

export type ScriptStep =
  | { readonly text: string }
  | { readonly calls: readonly { readonly name: string; readonly input: unknown }[] };

/** JSON in base64, as `[{"calls":[{"name":"shell","input":{…}}]},{"text":"Done."}]`; null for anything else. */
export function readScript(value: string): readonly ScriptStep[] | null {
  let steps: unknown;
  try {
    steps = JSON.parse(Buffer.from(value, "base64").toString("utf8"));
  } catch {
    return null;
  }
  return Array.isArray(steps) && steps.length > 0 && steps.every(isStep) ? steps : null;
}

function isStep(step: unknown): step is ScriptStep {
  if (!isObject(step)) return false;
  const { text, calls } = step;
  return calls === undefined
    ? typeof text === "string"
    : Array.isArray(calls) &&
        calls.every((call) => isObject(call) && typeof call.name === "string" && "input" in call);
}

/**
 * The step that a conversation has come to: as many as the model has answered since the last text
 * of the user. Null where there is none: the script is over, or there never was one.
 */
export function scriptStep(
  { turns }: Pick<Conversation, "turns">,
  script: readonly ScriptStep[] | null,
): ScriptStep | null {
  if (script === null) return null;
  const asked = turns.findLastIndex(
    ({ role, parts }) => role === "user" && parts.some(({ type }) => type === "text"),
  );
  const since = turns.slice(asked + 1).map(({ role }) => role);
  const answers = since.filter((role, at) => role === "assistant" && since[at - 1] !== role);
  return script[answers.length] ?? null;
}

/** The first tool that the step calls and that was not offered: a model could not call it. */
export function unofferedTool(
  conversation: Pick<Conversation, "turns" | "tools">,
  script: readonly ScriptStep[] | null,
): string | null {
  const step = scriptStep(conversation, script);
  if (step === null || "text" in step) return null;
  const offered = new Set(conversation.tools.map(({ name }) => name));
  return step.calls.find(({ name }) => !offered.has(name))?.name ?? null;
}
