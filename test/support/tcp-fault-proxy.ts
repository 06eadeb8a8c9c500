/**
 * A TCP proxy that makes the way between two processes bad: slow, sliced, short, silent or broken,
 * the same way for the same seed.
 */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { seededRandom } from "./seeded-random.ts";

/**
 * What happens to the bytes of one direction; several are passed one after the other. Places are
 * counted in bytes of one connection.
 */
export type Toxic =
  /** Each piece waits; the jitter comes on top, at random. */
  | { readonly kind: "latency"; readonly ms: number; readonly jitterMs?: number }
  | { readonly kind: "bandwidth"; readonly bytesPerSecond: number }
  /** Cuts into random pieces of 1 to maxBytes, each a write of its own. */
  | { readonly kind: "slicer"; readonly maxBytes: number; readonly pauseMs?: number }
  /** After so many bytes both sides are closed in order. */
  | { readonly kind: "limit-data"; readonly bytes: number }
  /** After so many bytes both sides get a RST. */
  | { readonly kind: "reset-peer"; readonly bytes: number }
  /** After so many bytes everything is swallowed and the connection stays open. */
  | { readonly kind: "timeout"; readonly bytes: number }
  /** Holds the end back. */
  | { readonly kind: "slow-close"; readonly ms: number }
  /** Puts so many random bytes in at this place. */
  | { readonly kind: "garbage"; readonly at: number; readonly bytes: number }
  /** Sends every piece twice with this probability. */
  | { readonly kind: "duplicate"; readonly probability: number };

export interface Toxics {
  /** From the client to the target. */
  readonly up?: readonly Toxic[];
  /** From the target to the client. */
  readonly down?: readonly Toxic[];
}

export interface TcpFaultProxy {
  readonly port: number;
  /** Connections made so far. */
  readonly connections: number;
  /** For connections made from now on. */
  setToxics(toxics: Toxics): void;
  /** Breaks every connection now. */
  cut(): void;
  close(): Promise<void>;
}

type Bytes = AsyncIterable<Buffer>;
interface Line {
  /** From 0 to below 1. */
  random(): number;
  reset(): void;
  finish(): void;
}

export async function startTcpFaultProxy(options: {
  readonly target: { readonly host: string; readonly port: number };
  readonly seed: number;
  readonly toxics?: Toxics;
}): Promise<TcpFaultProxy> {
  const open = new Set<Socket>();
  let toxics = options.toxics ?? {};
  let connections = 0;

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const target = connect({ ...options.target, allowHalfOpen: true, noDelay: true });
    const both = [client, target];
    const line = (direction: number): Line => ({
      random: seededRandom(options.seed * 1_000_003 + connections * 2 + direction),
      reset: () => both.forEach((socket) => socket.resetAndDestroy()),
      finish: () => both.forEach((socket) => socket.destroySoon()),
    });
    const lines = [line(0), line(1)] as const;
    connections++;
    for (const socket of both) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        for (const other of both) other.destroySoon();
      });
    }
    const carryOn = (): void => both.forEach((socket) => void socket.destroy());
    pump(client, target, toxics.up ?? [], lines[0]).catch(carryOn);
    pump(target, client, toxics.down ?? [], lines[1]).catch(carryOn);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  const cut = (): void => open.forEach((socket) => socket.resetAndDestroy());
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    setToxics(next) {
      toxics = next;
    },
    cut,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      cut();
      await closed;
    },
  };
}

/** Carries one direction until it ends, and then ends the other side's reading. */
async function pump(from: Socket, to: Socket, toxics: readonly Toxic[], line: Line): Promise<void> {
  let bytes: Bytes = from.iterator({ destroyOnReturn: false }) as Bytes;
  for (const toxic of toxics) bytes = apply(toxic, bytes, line);
  for await (const piece of bytes) {
    if (to.destroyed) return;
    await new Promise<void>((resolve) => to.write(piece, () => resolve()));
  }
  to.end();
}

async function* apply(toxic: Toxic, bytes: Bytes, line: Line): AsyncGenerator<Buffer> {
  let passed = 0;
  for await (const piece of bytes) {
    switch (toxic.kind) {
      case "latency":
        await setTimeout(toxic.ms + Math.floor(line.random() * (toxic.jitterMs ?? 0)));
        yield piece;
        break;
      case "bandwidth":
        await setTimeout((piece.length / toxic.bytesPerSecond) * 1000);
        yield piece;
        break;
      case "slicer":
        for (let at = 0; at < piece.length;) {
          const size = 1 + Math.floor(line.random() * toxic.maxBytes);
          yield piece.subarray(at, at + size);
          at += size;
          await setTimeout(toxic.pauseMs ?? 0);
        }
        break;
      case "limit-data":
      case "reset-peer":
        yield piece.subarray(0, Math.max(0, toxic.bytes - passed));
        if (passed + piece.length < toxic.bytes) break;
        if (toxic.kind === "reset-peer") line.reset();
        else line.finish();
        return;
      case "timeout":
        yield piece.subarray(0, Math.max(0, toxic.bytes - passed));
        break;
      case "slow-close":
        yield piece;
        break;
      case "garbage":
        if (toxic.at < passed || toxic.at >= passed + piece.length) {
          yield piece;
          break;
        }
        yield piece.subarray(0, toxic.at - passed);
        yield Buffer.from(
          Array.from({ length: toxic.bytes }, () => Math.floor(line.random() * 256)),
        );
        yield piece.subarray(toxic.at - passed);
        break;
      case "duplicate":
        yield piece;
        if (line.random() < toxic.probability) yield piece;
        break;
    }
    passed += piece.length;
  }
  if (toxic.kind === "slow-close") await setTimeout(toxic.ms);
  if (toxic.kind === "timeout" && passed > toxic.bytes) await new Promise(() => undefined);
}
