/**
 * Keeps the runtime's debugger shut: SIGUSR1, which many a program takes for "open your log anew",
 * would open it to every user of this machine, and with it all secrets.
 */

/** For the life of the process; `--inspect` opens it all the same. */
export function noDebugger(): void {
  process.on("SIGUSR1", () => undefined);
}
