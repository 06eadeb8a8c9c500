/** What comes next, or that nothing has come for a while. */

export async function nextOrSilence<T>(next: Promise<T>, ms: number): Promise<T | "silence"> {
  const silence = Promise.withResolvers<"silence">();
  const timer = setTimeout(() => silence.resolve("silence"), ms);
  try {
    return await Promise.race([next, silence.promise]);
  } finally {
    clearTimeout(timer);
  }
}
