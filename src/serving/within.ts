/** Waits for work that may take too long, and then no longer. */

/** False: it was not over in time, and goes on. Rejects when the work does in time. */
export async function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), ms);
  try {
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
