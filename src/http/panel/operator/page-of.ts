/** Where a list of operators goes on. */
/** With `undefined` left out, as those who read pages want it. */
export function pageOf({ cursor, limit }: { readonly cursor?: string; readonly limit?: number }): {
  cursor: string | null;
  limit?: number;
} {
  return { cursor: cursor ?? null, ...(limit === undefined ? {} : { limit }) };
}
