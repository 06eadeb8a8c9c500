/** Sends bytes that no HTTP client would send, and gives back what came. */
import { connect } from "node:net";

export interface RawAnswer {
  /** Of the first answer; null when the connection closed without one. */
  readonly status: number | null;
  /** Of the first answer, names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Everything that came, headers included. */
  readonly text: string;
}

/** Resolves when the server closes the connection, or `settleMs` after the last byte that came. */
export function rawHttp(port: number, bytes: string | Buffer, settleMs = 150): Promise<RawAnswer> {
  const { promise, resolve } = Promise.withResolvers<RawAnswer>();
  const parts: Buffer[] = [];
  const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
  socket.setEncoding("latin1");
  let quiet: NodeJS.Timeout | undefined;
  socket.on("data", (part) => {
    parts.push(Buffer.from(String(part), "latin1"));
    clearTimeout(quiet);
    quiet = setTimeout(() => socket.destroy(), settleMs);
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    clearTimeout(quiet);
    resolve(readAnswer(Buffer.concat(parts).toString("latin1")));
  });
  return promise;
}

function readAnswer(text: string): RawAnswer {
  const [head = ""] = text.split("\r\n\r\n", 1);
  const [statusLine = "", ...lines] = head.split("\r\n");
  const status = /^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1];
  const headers = new Map(
    lines.map(
      (line) =>
        [
          line.slice(0, line.indexOf(":")).toLowerCase(),
          line.slice(line.indexOf(":") + 1).trim(),
        ] as const,
    ),
  );
  return { status: status === undefined ? null : Number(status), headers, text };
}
