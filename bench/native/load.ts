/** The load generator as seen from here: what it is asked, and what it says. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

/** Microseconds. */
export interface Times {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

export interface LoadResult {
  /** Of the measured time. */
  readonly seconds: number;
  /** Requests that were due in the measured time, and how many of them were answered. */
  readonly begun: number;
  readonly done: number;
  /** Due at a fixed rate, but there was no free connection until the end. */
  readonly unsent: number;
  /** Good answers in a second of the measured time. */
  readonly perSecond: number;
  /** All answers, those of the warm-up too, by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Answers 503 that said when to come again. */
  readonly retryAfters: number;
  readonly errors: Readonly<
    Record<"connect" | "reset" | "timeout" | "malformed" | "cut" | "unfinished", number>
  >;
  /** Pieces of chunked bodies, blank lines in them (each ends an event of a stream), and bytes. */
  readonly chunks: number;
  readonly events: number;
  readonly bytes: number;
  /** What the generator itself used. */
  readonly cpuUs: number;
  /** Of good answers: to the last byte, and to the first byte of the body. */
  readonly latencyUs: Times;
  readonly firstByteUs: Times;
  /** Of refusals, to the last byte. */
  readonly refusedUs: Times;
}

export interface LoadOptions {
  readonly port: number;
  /** A file. Sixteen `#` in its first 64 kB are replaced by the number of the request. */
  readonly body: string;
  readonly path?: string;
  /** POST unless told. */
  readonly method?: string;
  readonly headers?: readonly string[];
  /** A file with one API key a line. */
  readonly keys?: string;
  readonly connections: number;
  /** Requests a second; without it each connection asks again as soon as it is answered. */
  readonly rate?: number;
  /**
   * Who is refused (503, 529) asks again at once, on the same connection. At a fixed rate, what is
   * due while all connections ask is not asked.
   */
  readonly again?: boolean;
  /** At a fixed rate: all connections are opened, and asked on in turn, as so many callers do. */
  readonly spread?: boolean;
  readonly seconds?: number;
  readonly requests?: number;
  readonly warmUp?: number;
  /** How long to wait at the end for what still runs. */
  readonly drain?: number;
  /** What the last 64 bytes of a good answer hold; one without it counts as cut. */
  readonly expect?: string;
}

/** Resolves when the last answer is there. */
export async function runLoad(program: string, options: LoadOptions): Promise<LoadResult> {
  const child = spawn(program, argumentsOf(options), { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`the load generator ended with ${code}`);
  return JSON.parse(output) as LoadResult;
}

export interface HeldStreams {
  /** How many have their first byte, and how many never got it. */
  readonly open: number;
  readonly failed: number;
  /** What became of them, once all have ended. */
  readonly ended: Promise<LoadResult>;
  /** Leaves them all. */
  abandon(): void;
}

const OPEN_WITHIN_MS = 60_000;

/** Opens so many streams and resolves when each has its first byte, or has failed. */
export async function holdStreams(
  program: string,
  options: Omit<LoadOptions, "connections">,
  count: number,
): Promise<HeldStreams> {
  const args = [...argumentsOf({ ...options, connections: 1 }), "--hold", String(count)];
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = lines.next();
  const reported = await Promise.race([first, sleep(OPEN_WITHIN_MS, null, { ref: false })]);
  if (reported === null || reported.done === true) {
    child.kill("SIGKILL");
    throw new Error(`${count} streams were not open within ${OPEN_WITHIN_MS} ms`);
  }
  const { open, failed } = JSON.parse(reported.value) as { open: number; failed: number };
  return {
    open,
    failed,
    ended: lines.next().then((last) => JSON.parse(String(last.value)) as LoadResult),
    abandon: () => void child.stdin.end(),
  };
}

function argumentsOf(options: LoadOptions): string[] {
  const named: [string, string | number | undefined][] = [
    ["--port", options.port],
    ["--body", options.body],
    ["--path", options.path],
    ["--method", options.method],
    ["--keys", options.keys],
    ["--connections", options.connections],
    ["--rate", options.rate],
    ["--again", options.again === true ? 1 : undefined],
    ["--spread", options.spread === true ? 1 : undefined],
    ["--seconds", options.seconds],
    ["--requests", options.requests],
    ["--warm-up", options.warmUp],
    ["--drain", options.drain],
    ["--expect", options.expect],
    ...(options.headers ?? []).map((header): [string, string] => ["--header", header]),
  ];
  return named.flatMap(([name, value]) => (value === undefined ? [] : [name, String(value)]));
}
