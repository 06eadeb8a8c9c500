/**
 * Servers of loopback that do exactly what a test says, and count who came and who is still there:
 * for the tests of the guard.
 */
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";

export interface Peer {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  readonly port: number;
  /** Connections so far. */
  readonly visits: number;
  /** What each request began with, to the end of its headers and what came along with them. */
  readonly requests: readonly string[];
  /** The names that TLS was asked for. */
  readonly serverNames: readonly string[];
  /** Connections that are open now. */
  readonly open: number;
  /** Written to connections so far, by this side. */
  readonly bytesWritten: number;
}

export type Answer = (socket: Socket, request: string) => void;

export interface Peers {
  /** `answer` is called when something of a request has arrived; null: never says a word. */
  listen(
    answer: Answer | null,
    options?: { readonly address?: string; readonly tls?: string; readonly port?: number },
  ): Promise<Peer>;
  /** Connections that are open now, of all peers. */
  open(): number;
  close(): Promise<void>;
}

export function createPeers(): Peers {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();

  return {
    async listen(answer, { address = "127.0.0.1", tls, port = 0 } = {}) {
      const requests: string[] = [];
      const serverNames: string[] = [];
      const mine = new Set<Socket>();
      let [visits, written] = [0, 0];
      function welcome(socket: Socket): void {
        visits += 1;
        sockets.add(socket);
        mine.add(socket);
        socket.on("error", () => undefined);
        socket.once("close", () => {
          written += socket.bytesWritten;
          sockets.delete(socket);
          mine.delete(socket);
        });
        socket.once("data", (bytes: Buffer) => {
          const request = bytes.toString("latin1");
          requests.push(request);
          answer?.(socket, request);
        });
      }
      const SNICallback: TlsOptions["SNICallback"] = (name, callback) => {
        serverNames.push(name);
        callback(null);
      };
      const server =
        tls === undefined
          ? createServer(welcome)
          : createTlsServer({ key: tls, cert: tls, SNICallback }, welcome);
      server.on("tlsClientError", () => undefined);
      servers.push(server);
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, address, resolve);
      });
      const at = (server.address() as AddressInfo).port;
      return {
        host: `${address.includes(":") ? `[${address}]` : address}:${at}`,
        port: at,
        requests,
        serverNames,
        get visits() {
          return visits;
        },
        get open() {
          return mine.size;
        },
        get bytesWritten() {
          return written + [...mine].reduce((sum, socket) => sum + socket.bytesWritten, 0);
        },
      };
    },

    open: () => sockets.size,

    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(
        servers.map((server) => new Promise((resolve) => void server.close(resolve))),
      );
    },
  };
}

/** A whole answer in HTTP/1.1; the length is the body's unless a header says it. */
export function answerOf(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body = "",
): Answer {
  const length =
    "content-length" in headers || "transfer-encoding" in headers
      ? {}
      : { "content-length": String(Buffer.byteLength(body)) };
  const lines = Object.entries({ ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return (socket) =>
    void socket.end(
      Buffer.from(`HTTP/1.1 ${status} Something\r\n${lines.join("")}\r\n${body}`, "utf8"),
    );
}
