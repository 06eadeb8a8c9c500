/** Finish reasons by which an upstream says that its answer failed half-way. */

/** Words of OpenRouter, DeepSeek and vLLM: such an answer has no end that could be translated. */
const FAILED: ReadonlySet<string> = new Set(["error", "insufficient_system_resource", "abort"]);

export function isFailedFinish(reason: string): boolean {
  return FAILED.has(reason);
}
