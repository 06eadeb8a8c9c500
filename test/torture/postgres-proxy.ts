/**
 * The way of one gateway to PostgreSQL, over loopback, made slow, silent, short or broken; a trap
 * springs at a place in what the gateway asks, before the question leaves or when its answer comes.
 */
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createQuestionCounter } from "./count-questions.ts";

export interface Trap {
  /** So many questions pass, counted over all connections. */
  readonly after: number;
  /**
   * `before`: the question never reaches the server. `answer`: the server has done what was asked
   * (a commit is a commit), and its answer never reaches the gateway.
   */
  readonly at: "before" | "answer";
  /** The connection is broken in any case; this comes first. */
  spring(): void;
}

export interface PostgresProxy {
  /** Of the target's database, through the proxy. */
  readonly url: string;
  setTrap(trap: Trap): void;
  /** Each piece of either direction waits so long. */
  setLatency(ms: number): void;
  /** From now on all bytes wait, in either direction, until it is false again. */
  stall(on: boolean): void;
  /** Breaks every connection and takes no other, until it is false again. */
  refuse(on: boolean): void;
  /** Breaks every connection; new ones work. */
  cut(): void;
  close(): Promise<void>;
}

export interface ProxyTarget {
  dial(): Socket;
  readonly user: string;
  readonly database: string;
  readonly password: string;
}

/** An answer that does not come (a statement that waits for a lock) springs the trap all the same. */
const ANSWER_WITHIN_MS = 500;

export async function startPostgresProxy(target: ProxyTarget): Promise<PostgresProxy> {
  const open = new Set<Socket>();
  let trap: Trap | null = null;
  let passed = 0;
  let latencyMs = 0;
  let refusing = false;
  let stalled: PromiseWithResolvers<void> | null = null;

  async function carry(to: Socket, bytes: Buffer): Promise<void> {
    if (latencyMs > 0) await sleep(latencyMs);
    if (stalled !== null) await stalled.promise;
    if (!to.destroyed) to.write(bytes);
  }

  function join(client: Socket): void {
    const server = target.dial();
    const both = [client, server];
    const breakOff = (): void => both.forEach((socket) => socket.destroy());
    const countQuestions = createQuestionCounter();
    let toServer: Promise<void> = Promise.resolve();
    let toClient: Promise<void> = Promise.resolve();
    let caught: Trap | null = null;

    function springAndBreak(sprung: Trap): void {
      if (client.destroyed) return;
      sprung.spring();
      breakOff();
    }
    client.on("data", (bytes: Buffer) => {
      passed += countQuestions(bytes);
      if (trap !== null && passed > trap.after) {
        caught = trap;
        trap = null;
        const sprung = caught;
        if (sprung.at === "before") return springAndBreak(sprung);
        setTimeout(() => springAndBreak(sprung), ANSWER_WITHIN_MS).unref();
      }
      toServer = toServer.then(() => carry(server, bytes));
    });
    server.on("data", (bytes: Buffer) => {
      if (caught !== null) return springAndBreak(caught);
      toClient = toClient.then(() => carry(client, bytes));
    });
    for (const socket of both) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        breakOff();
      });
    }
  }

  const listener = createServer({ noDelay: true }, (client) => {
    if (refusing) client.destroy();
    else join(client);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  const cut = (): void => open.forEach((socket) => socket.destroy());
  const login = [target.user, target.password].map(encodeURIComponent).join(":");
  return {
    url: `postgresql://${login}@127.0.0.1:${port}/${target.database}`,
    setTrap(next) {
      passed = 0;
      trap = next;
    },
    setLatency: (ms) => void (latencyMs = ms),
    stall(on) {
      stalled?.resolve();
      stalled = on ? Promise.withResolvers<void>() : null;
    },
    refuse(on) {
      refusing = on;
      if (on) cut();
    },
    cut,
    async close() {
      stalled?.resolve();
      cut();
      await new Promise<void>((resolve) => listener.close(() => resolve()));
    },
  };
}
