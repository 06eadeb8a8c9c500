/** Opens the one connection of one hop, to addresses that were checked and to no other. */
import type { LookupAddress } from "node:dns";
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { buildConnector } from "undici";
import { FetchRefusal } from "./fetch-refusal.ts";
import { isSameAddress } from "./public-address.ts";

export interface ConnectTarget {
  /** A host name or an address, without brackets. */
  readonly hostname: string;
  /**
   * All that were found for the name, every one of them checked; the literal itself where the URL
   * has one.
   */
  readonly addresses: readonly string[];
  /** Certificates to trust instead of the system's, in PEM. */
  readonly ca?: string;
}

export interface GuardedConnector {
  /** Works once: nothing may open a second connection behind the back of the checks. */
  readonly connect: buildConnector.connector;
  /** The connection ended with an error, not with an end. */
  isBroken(): boolean;
  /** Says so when the socket is gone, however far it had come. */
  close(done: () => void): void;
}

/**
 * The name is never resolved a second time (a lying resolver would answer otherwise then): the
 * socket's `lookup` is given what was checked. Node calls no `lookup` for a literal, so that is
 * checked before, by `checkUrl`; and both are compared with whom the socket says it is connected
 * to.
 */
export function createGuardedConnector(target: ConnectTarget): GuardedConnector {
  let socket: Socket | null = null;

  function open(secure: boolean, port: number): Socket {
    const to = { host: target.hostname, port, lookup: pinned(target), noDelay: true };
    if (!secure) return connectTcp(to);
    const isName = isIP(target.hostname) === 0;
    return connectTls({
      ...to,
      ALPNProtocols: ["http/1.1"],
      ...(isName ? { servername: target.hostname } : {}),
      ...(target.ca === undefined ? {} : { ca: target.ca }),
    });
  }

  return {
    connect(options, callback) {
      if (socket !== null) {
        callback(new Error("a second connection was asked for"), null);
        return;
      }
      const secure = options.protocol === "https:";
      const opened = open(secure, options.port === "" ? (secure ? 443 : 80) : Number(options.port));
      socket = opened;
      let reported = false;
      function tell(error: Error | null): void {
        if (reported) return;
        reported = true;
        if (error === null) callback(null, opened);
        else callback(error, null);
      }
      opened.once("connect", () => {
        if (target.addresses.some((address) => isSameAddress(address, opened.remoteAddress ?? "")))
          return;
        opened.destroy(
          new FetchRefusal("name_not_public", {
            cause: new Error(`connected to ${opened.remoteAddress ?? "nobody"}`),
          }),
        );
      });
      opened.once(secure ? "secureConnect" : "connect", () => {
        if (!opened.destroyed) tell(null);
      });
      opened.on("error", tell);
      opened.once("close", () =>
        tell(new Error("the connection was closed while it was being opened")),
      );
    },

    isBroken: () => (socket?.errored ?? null) !== null,

    close(done) {
      if (socket === null || socket.closed) {
        done();
        return;
      }
      socket.once("close", done);
      socket.destroy();
    },
  };
}

/**
 * Asked for the target's name, it answers with all addresses that were checked, or with the first
 * of the family asked for.
 */
function pinned(target: ConnectTarget): LookupFunction {
  const all: LookupAddress[] = target.addresses.map((address) => ({
    address,
    family: isIP(address),
  }));
  return (_hostname, options, callback) => {
    const first = all.find(
      ({ family }) =>
        options.family === undefined || options.family === 0 || options.family === family,
    );
    if (first === undefined) callback(new Error("no address was checked for this name"), "", 0);
    else if (options.all === true) callback(null, all);
    else callback(null, first.address, first.family);
  };
}
