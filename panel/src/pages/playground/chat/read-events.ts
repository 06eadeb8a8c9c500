/** The server-sent events of an answer, one by one. */

/**
 * The gateway says something at least every 15 seconds, be it only that it is there; a line that
 * stays silent for three of these is dead.
 */
const LOOK_EVERY_MS = 15_000;
const SILENT_LOOKS = 3;

/**
 * The data of each event; its name, where it has one, is in the data. `onText`: all that came, as it
 * came. Throws where the line is dead: the browser is not told when a network goes away without a
 * word.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onText: (text: string) => void,
): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const dead = Promise.withResolvers<never>();
  let silentLooks = 0;
  // Counted instead of timed: a device that slept looks once when it wakes up, before what came in
  // the meantime is read.
  const looking = setInterval(() => {
    silentLooks++;
    if (silentLooks === SILENT_LOOKS) dead.reject(new Error("The line is silent."));
  }, LOOK_EVERY_MS);
  let kept = "";
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), dead.promise]);
      silentLooks = 0;
      const text = decoder.decode(value, { stream: !done });
      onText(text);
      kept += text;
      const blocks = kept.split(/\r?\n\r?\n/);
      // The last one may not be whole yet.
      kept = done ? "" : (blocks.pop() ?? "");
      for (const block of blocks) {
        const data = dataOf(block);
        if (data !== "") yield data;
      }
      if (done) return;
    }
  } finally {
    clearInterval(looking);
    await reader.cancel().catch(() => undefined);
  }
}

function dataOf(block: string): string {
  return block
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice("data:".length).replace(/^ /, ""))
    .join("\n");
}
