/** A reason as the events of a task keep it, without what else its bearer holds. */

/** Without `coded` where there are only words: an operator's, or those of an upstream. */
export function reasonDetail<Coded>({
  reason,
  coded,
}: {
  readonly reason: string;
  readonly coded?: Coded;
}): { readonly reason: string; readonly coded?: Coded } {
  return coded === undefined ? { reason } : { reason, coded };
}
