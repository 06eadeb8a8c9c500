/** Reads a list to its end, page by page: a command shows everything that there is. */

export async function readAllPages<Row>(
  read: (
    cursor: string | null,
  ) => Promise<{ readonly rows: readonly Row[]; readonly next: string | null }>,
): Promise<Row[]> {
  const all: Row[] = [];
  let cursor: string | null = null;
  do {
    const { rows, next } = await read(cursor);
    all.push(...rows);
    cursor = next;
  } while (cursor !== null);
  return all;
}
