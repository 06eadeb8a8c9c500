/**
 * A PostgreSQL connection's way through a place where a test can listen, swallow answers and cut.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dialDatabase, socketOf } from "./dial-database.ts";

export interface DatabaseProxy {
  /** Of the same database, through the proxy. */
  readonly url: string;
  /** What clients sent, one item per read. */
  readonly requests: Buffer[];
  /** From now on the server's answers are thrown away, while requests still arrive. */
  swallowAnswers(): void;
  /** Breaks every connection; new ones work again. */
  cut(): void;
  /**
   * From now on the server is away: every connection is broken and new ones are, or no answer comes
   * and all bytes wait.
   */
  outage(how: "broken" | "silent"): void;
  /** The server is back. What waited arrives. */
  recover(): void;
  close(): Promise<void>;
}

/** @param url of a database behind a Unix socket (`host` is a folder) or a TCP address */
export async function databaseProxy(url: string): Promise<DatabaseProxy> {
  const target = new URL(url);
  const folder = mkdtempSync(join(tmpdir(), "tollgate-proxy-"));
  const requests: Buffer[] = [];
  const pairs = new Set<[Socket, Socket]>();
  let swallowing = false;
  let away: "broken" | "silent" | null = null;
  const server = createServer((client) => {
    if (away === "broken") {
      client.destroy();
      return;
    }
    const upstream = dialDatabase(target);
    const pair: [Socket, Socket] = [client, upstream];
    pairs.add(pair);
    client.on("data", (bytes: Buffer) => {
      requests.push(bytes);
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (!swallowing) client.write(bytes);
    });
    for (const [one, other] of [pair, [upstream, client]] as const) {
      if (away === "silent") one.pause();
      one.on("error", () => {});
      one.on("close", () => {
        other.destroy();
        pairs.delete(pair);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(socketOf(folder, target), resolve));
  const through = new URL(url);
  through.searchParams.set("host", folder);
  return {
    url: through.toString(),
    requests,
    swallowAnswers() {
      swallowing = true;
    },
    cut() {
      swallowing = false;
      for (const pair of pairs) for (const socket of pair) socket.destroy();
    },
    outage(how) {
      away = how;
      for (const pair of pairs) {
        for (const socket of pair) {
          if (how === "broken") socket.destroy();
          else socket.pause();
        }
      }
    },
    recover() {
      away = null;
      for (const pair of pairs) for (const socket of pair) socket.resume();
    },
    async close() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
