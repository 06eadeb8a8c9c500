/**
 * `tollgate sandbox`: runs the built-in upstream alone, as the process of its own that it always
 * is.
 */
import { fork } from "node:child_process";
import { join } from "node:path";
import { PROJECT_ROOT } from "./project-root.ts";
import { stopSignal } from "./stop-signal.ts";

/** Resolves to the exit code when it has ended: by a signal to us, or because it cannot listen. */
export async function runSandbox(port: number): Promise<number> {
  const child = fork(join(PROJECT_ROOT, "sandbox", "main.ts"), ["--port", String(port)], {
    stdio: "inherit",
  });
  const ended = new Promise<number>((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
  const stop = stopSignal();
  // The end of the channel is its word to stop.
  void stop.wait.then(() => child.connected && child.disconnect());
  const code = await ended;
  stop.forget();
  return code;
}
