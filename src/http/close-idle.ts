/**
 * Closes connections on which nothing was asked for a while. Node would make a timer behind each
 * answer, and end it before the next request.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../kernel/clock.ts";
import { SlotList, type Slotted } from "../kernel/slot-list.ts";

/** One connection, as long as it is open. */
export interface Idling extends Slotted {
  readonly socket: Socket;
  /** When it is closed where nothing comes before; Infinity while a request is under way. */
  idleUntilMs: number;
}

/** So often one looks before the time is over: a connection is closed this part of it too late. */
const LOOKS = 15;

/**
 * Returns what takes a new connection in. Node goes on saying when one has nothing to do, by the
 * method of its socket by which it would set its timer.
 */
export function closeIdle(
  server: Server,
  clock: Pick<Clock, "monotonicMs">,
): (connection: Idling) => void {
  const open = new SlotList<Idling>();
  const look = (): void => {
    const nowMs = clock.monotonicMs();
    open.forEach(({ socket, idleUntilMs }) => {
      if (nowMs >= idleUntilMs) socket.destroy();
    });
  };
  const timer = setInterval(look, Math.max(1, server.keepAliveTimeout / LOOKS)).unref();
  server.on("close", () => clearInterval(timer));
  return (connection) => {
    const { socket } = connection;
    open.add(connection);
    socket.once("close", () => open.delete(connection));
    socket.setTimeout = (ms) => {
      connection.idleUntilMs = ms > 0 ? clock.monotonicMs() + ms : Infinity;
      return socket;
    };
  };
}
