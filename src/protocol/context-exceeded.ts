/**
 * Whether an upstream's refusal means that the conversation no longer fits into the model's context
 * window.
 */

const CODE = "context_length_exceeded";

/**
 * As Anthropic, llama.cpp and servers that speak as OpenAI does say it where they send no code, or
 * one of their own.
 */
const WORDS =
  /maximum (context|model) length|prompt is too long|exceeds? the (context window|available context size)/i;

/**
 * Agents shorten a conversation by themselves when they are told that it is too long, and know it
 * by OpenAI's code.
 *
 * @param code Of the refusal, where its protocol has one.
 */
export function isContextExceeded(code: string | null, message: string): boolean {
  return code === CODE || WORDS.test(message);
}
