/** What the server knows of one of its connections. */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Uuid } from "../kernel/ids.ts";
import type { Idling } from "./close-idle.ts";

export interface Connection extends Idling {
  /** Exchanges; while there are any, nothing else may be written on it. */
  underWay: number;
  /** Of those, the ones whose body may take longer than others: their route watches them. */
  long: number;
  /** Of those, the one that came last, the only one whose body may still be coming. */
  last: { readonly response: ServerResponse; readonly requestId: Uuid } | null;
  /** What comes is not HTTP any more: it is closed when what is under way has been answered. */
  broken: boolean;
}

/** On the socket itself: it is asked for twice for each request. */
const CONNECTION = Symbol("connection");

interface ServedSocket extends Socket {
  [CONNECTION]?: Connection;
}

export function connectionOf(socket: Socket): Connection | undefined {
  return (socket as ServedSocket)[CONNECTION];
}

/** Of a socket that has just been taken in. */
export function beginConnection(socket: ServedSocket): Connection {
  const connection: Connection = {
    socket,
    slot: -1,
    idleUntilMs: Infinity,
    underWay: 0,
    long: 0,
    last: null,
    broken: false,
  };
  socket[CONNECTION] = connection;
  return connection;
}
