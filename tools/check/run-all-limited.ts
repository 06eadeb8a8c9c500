/** Works through a list, so many at a time, until it is done or the signal says stop. */

export async function runAllLimited<T>(
  items: Iterable<T>,
  atOnce: number,
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = Iterator.from(items);
  async function lane(): Promise<void> {
    for (const item of queue) {
      if (signal.aborted) return;
      await work(item);
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane));
}
