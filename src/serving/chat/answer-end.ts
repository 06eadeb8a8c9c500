/**
 * The end of an answer, made once: when its price is known, since the usage that is charged stands
 * in it.
 */
import type { TokenUsage } from "../../kernel/token-usage.ts";

/** A whole answer, which is all end. */
export interface WholeEnd {
  readonly streamed: false;
  readonly contentType: string;
  readonly body: Buffer;
}

/** What a stream's caller gets after all that was written. */
export interface StreamEnd {
  readonly streamed: true;
  /** Absent: a stream of events. */
  readonly contentType?: string;
  readonly last: Buffer | null;
  /**
   * The connection is broken off after it, so that the client does not take the answer for a whole
   * one.
   */
  readonly broken: boolean;
}

export type AnswerEnd = WholeEnd | StreamEnd;

/**
 * The first call makes the end, or fails at it; later ones get the same, whatever usage they name.
 */
export function composeOnce<T extends AnswerEnd>(
  compose: (usage: TokenUsage) => T,
): (usage: TokenUsage) => T {
  let made: { readonly end: T } | { readonly error: unknown } | null = null;
  return (usage) => {
    made ??= attempt(() => compose(usage));
    if ("error" in made) throw made.error;
    return made.end;
  };
}

function attempt<T>(compose: () => T): { readonly end: T } | { readonly error: unknown } {
  try {
    return { end: compose() };
  } catch (error) {
    return { error };
  }
}
