/** Puts a streamed answer together again as the non-streamed one that the same upstream would have given. */

export interface CompletionAssembler {
  /** The parsed chunk (`ChatChunk.data`), in order of arrival. */
  add(data: Record<string, unknown>): void;
  /** Choices that were seen and carry no finish reason, ascending. */
  openChoices(): number[];
  /**
   * The `chat.completion` object. `finishOpenAs` is the finish reason given to open choices (`length` when the balance stopped the
   * stream); without it they keep null and the caller treats the answer as interrupted.
   */
  completion(finishOpenAs?: string): Record<string, unknown>;
}

export function createCompletionAssembler(): CompletionAssembler {
  return { add: () => undefined, openChoices: () => [], completion: () => ({}) };
}
