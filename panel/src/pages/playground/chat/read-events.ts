/** The server-sent events of an answer, one by one. */

/** The data of each event; its name is in the data in both protocols. `onText`: all that came, as it came. */
export async function* readEvents(body: ReadableStream<Uint8Array>, onText: (text: string) => void): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let kept = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
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
