/** Opens a server's port, on several sockets where one would be a bottleneck, and closes it. */
import { createServer } from "node:net";
import type { ListenOptions, Server } from "node:net";

/**
 * Connections that wait to be taken, as far as the system lets them (`net.core.somaxconn`); one too
 * many is dropped, and its caller tries again after seconds.
 */
const BACKLOG = 4_096;
/**
 * The runtime takes one connection from a socket in a turn of its loop (libuv 1.52). A turn of a
 * busy process is tens of milliseconds, so a burst of new callers would wait for seconds; over so
 * many sockets the system spreads them.
 */
const SOCKETS = 16;

export interface OpenPort {
  /** Another than the asked one only where that was 0. */
  readonly port: number;
  /** Takes no more connections; resolves when the last one is closed. */
  close(): Promise<void>;
}

export interface PortWish {
  readonly host: string;
  readonly port: number;
  /**
   * Absent: as many as help on this system. One for a process that gets its connections from
   * another, which does nothing else.
   */
  readonly sockets?: number;
}

/** Rejects with the system's error (EADDRINUSE …). */
export async function openPort(
  server: Server,
  { host, port: wanted, sockets = process.platform === "linux" ? SOCKETS : 1 }: PortWish,
): Promise<OpenPort> {
  if (sockets === 1)
    return {
      port: await listen(server, { host, port: wanted, backlog: BACKLOG }),
      close: () => closed(server),
    };
  // Sockets that share a port would share it with another gateway too: one that has it alone tells
  // whether it is free.
  const alone = createServer();
  const port = await listen(alone, { host, port: wanted });
  await closed(alone);
  const others = Array.from({ length: sockets - 1 }, () =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      server.emit("connection", socket),
    ),
  );
  const all = [server, ...others];
  try {
    for (const each of all) await listen(each, { host, port, backlog: BACKLOG, reusePort: true });
  } catch (error) {
    await Promise.all(all.filter((each) => each.listening).map(closed));
    throw error;
  }
  return {
    port,
    async close() {
      await Promise.all(all.map(closed));
    },
  };
}

async function listen(server: Server, options: ListenOptions): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(options, resolve);
  await promise;
  server.off("error", reject);
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : (options.port ?? 0);
}

function closed(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  return promise;
}
