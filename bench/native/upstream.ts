/** The scripted upstream as seen from here: a process that answers what the asked model says. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface Upstream {
  readonly port: number;
  readonly pid: number;
  /** Ends all streams that are silent; resolves to how many there were. */
  release(): Promise<number>;
  stop(): Promise<void>;
}

export async function startUpstream(program: string): Promise<Upstream> {
  const child = spawn(program, [], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  async function next<T>(): Promise<T> {
    const line = await lines.next();
    if (line.done === true) throw new Error("the scripted upstream ended");
    return JSON.parse(line.value) as T;
  }
  const { port } = await next<{ port: number }>();
  const { pid } = child;
  if (pid === undefined) throw new Error("the scripted upstream has no process id");
  return {
    port,
    pid,
    async release() {
      child.stdin.write("release\n");
      return (await next<{ released: number }>()).released;
    },
    async stop() {
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}
