/**
 * The note that the owner of a data directory leaves for others: who runs the server and how to
 * reach it.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

export interface ServerState {
  readonly ownerPid: number;
  readonly purpose: "serve" | "command";
  readonly socketFolder: string;
  /** Null while the server is being started. */
  readonly url: string | null;
}

/**
 * Null when there is no note or it is not whole. A note may outlive its owner: only a successful
 * connection proves it.
 */
export function readState(path: string): ServerState | null {
  try {
    const state = JSON.parse(readFileSync(path, "utf8")) as Partial<ServerState>;
    if (
      typeof state.ownerPid !== "number" ||
      typeof state.socketFolder !== "string" ||
      state.purpose === undefined
    )
      return null;
    return {
      ownerPid: state.ownerPid,
      purpose: state.purpose,
      socketFolder: state.socketFolder,
      url: state.url ?? null,
    };
  } catch {
    return null;
  }
}

/** Readers see the old note or the new one, never half of one. */
export function writeState(path: string, state: ServerState): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(state)}\n`);
  renameSync(`${path}.new`, path);
}

export function removeState(path: string): void {
  rmSync(path, { force: true });
}
