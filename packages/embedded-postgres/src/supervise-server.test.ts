/** The supervisor's decisions, with server processes that behave as told. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Postmaster } from "./postmaster.ts";
import { superviseServer, type SupervisorOptions } from "./supervise-server.ts";

interface Actor {
  readonly postmaster: Postmaster;
  readonly signals: string[];
  end(how: string): void;
}

/** A server that ends when told, or when it gets a signal. */
function actor(pid: number, comesUp = true): Actor {
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  const signals: string[] = [];
  if (!comesUp) end("exit code 1");
  const postmaster: Postmaster = {
    pid,
    ended,
    ready: async () => comesUp,
    signal(name) {
      signals.push(name);
      end(`signal ${name}`);
    },
  };
  return { postmaster, signals, end };
}

const quiet: Omit<SupervisorOptions, "start"> = {
  logTail: () => "the last words",
  log: () => {},
  onFatal: () => {},
};

test("a stop that comes while there is no process to tell reaches the next one", async () => {
  const first = actor(1);
  const second = actor(2);
  const gate = Promise.withResolvers<Postmaster>();
  const asked = Promise.withResolvers<void>();
  let starts = 0;
  const supervisor = await superviseServer({
    ...quiet,
    start() {
      if (++starts === 1) return Promise.resolve(first.postmaster);
      asked.resolve();
      return gate.promise; // still clearing up after the first
    },
  });
  first.end("signal SIGKILL");
  await asked.promise;
  const stopped = supervisor.stop("at-once");
  gate.resolve(second.postmaster);
  await stopped;
  assert.deepEqual(second.signals, ["SIGINT"]);
});

test("an end that the owner did not ask for is a warning, the return is news", async () => {
  const [first, second] = [actor(1), actor(2)];
  const servers = [first.postmaster, second.postmaster];
  const reported: (string | undefined)[][] = [];
  const back = Promise.withResolvers<void>();
  const supervisor = await superviseServer({
    ...quiet,
    start: async () => servers.shift() ?? assert.fail("a third start"),
    log(line, level) {
      if (reported.push([line.replace(/\d+ ms/, "N ms"), level]) === 2) back.resolve();
    },
  });
  first.end("signal SIGKILL");
  await back.promise;
  assert.deepEqual(reported, [
    ["the database server ended (signal SIGKILL); starting it again", "warn"],
    ["the database server is back after N ms", undefined],
  ]);
  await supervisor.stop("at-once");
});

test("a server that ends again and again is given up with the end of its log, and not started any more", async () => {
  let starts = 0;
  const fatal = await new Promise<Error>((resolve) => {
    void superviseServer({
      ...quiet,
      async start() {
        const one = actor(++starts);
        setImmediate(() => one.end("signal SIGSEGV"));
        return one.postmaster;
      },
      onFatal: resolve,
    });
  });
  assert.match(fatal.message, /ended 11 times within a minute[^]*the last words/);
  assert.equal(starts, 11);
});

test("a server that never comes up is an error of the start, with the end of its log", async () => {
  const start = async (): Promise<Postmaster> => actor(1, false).postmaster;
  await assert.rejects(
    superviseServer({ ...quiet, start }),
    /does not start \(exit code 1\)[^]*the last words/,
  );
});

test("an orderly stop is not taken for a crash", async () => {
  let starts = 0;
  const only = actor(1);
  const supervisor = await superviseServer({
    ...quiet,
    start: async () => {
      starts++;
      return only.postmaster;
    },
    onFatal: assert.fail,
  });
  await supervisor.stop("when-unused");
  assert.deepEqual([starts, only.signals], [1, ["SIGTERM"]]);
});
