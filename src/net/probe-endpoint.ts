/**
 * Whether a server answers at an address: a connection, over TLS with its certificate, and not a
 * byte of a request.
 */
import { connect as connectPlainly, isIP, type Socket } from "node:net";
import { connect as connectByTls, type TLSSocket } from "node:tls";

interface PeerCertificateFacts {
  readonly validTo: Date;
  /** Why this machine does not believe it; null: it does. */
  readonly distrust: string | null;
}

export type Probe =
  | {
      readonly kind: "reached";
      readonly ms: number;
      /** Null: the address is not encrypted. */
      readonly certificate: PeerCertificateFacts | null;
    }
  | { readonly kind: "unreached"; readonly reason: string };

/** `address` is `https://host[:port]…` or `http://…`; what follows the port is not looked at. */
export async function probeEndpoint(address: string, deadlineMs: number): Promise<Probe> {
  const url = URL.parse(address);
  if (url === null) return { kind: "unreached", reason: "this is not an address" };
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const encrypted = url.protocol === "https:";
  const port = url.port === "" ? (encrypted ? 443 : 80) : Number(url.port);
  const beganMs = performance.now();
  const { promise, resolve } = Promise.withResolvers<Probe>();
  const socket: Socket = encrypted
    ? connectByTls({
        host,
        port,
        // An expired or foreign certificate is a finding, not the end of the look.
        rejectUnauthorized: false,
        ...(isIP(host) === 0 ? { servername: host } : {}),
      })
    : connectPlainly({ host, port });
  const timer = setTimeout(
    () => resolve({ kind: "unreached", reason: `no connection within ${deadlineMs} ms` }),
    deadlineMs,
  );
  socket.once(encrypted ? "secureConnect" : "connect", () =>
    resolve({
      kind: "reached",
      ms: Math.round(performance.now() - beganMs),
      certificate: encrypted ? certificateOf(socket as TLSSocket) : null,
    }),
  );
  // It may break again after it has said what there is to say.
  socket.on("error", (error) => resolve({ kind: "unreached", reason: wordsOf(error) }));
  socket.once("close", () => resolve({ kind: "unreached", reason: "the connection was closed" }));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

function certificateOf(socket: TLSSocket): PeerCertificateFacts {
  const { valid_to: validTo } = socket.getPeerCertificate();
  return {
    validTo: new Date(validTo),
    distrust: socket.authorized ? null : String(socket.authorizationError),
  };
}

/** Where a name has several addresses, the error of them all has a code and no words. */
function wordsOf(error: Error): string {
  if (error.message !== "") return error.message;
  return "code" in error ? String(error.code) : error.name;
}
