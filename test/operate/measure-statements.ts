/**
 * Measures which statements of a gateway take more than 2 ms of a core at once while requests come at
 * an even rate: `node test/operate/measure-statements.ts [RATE] [SECONDS]`. The server flushes as in
 * production and tells of each statement what it cost: processor time stays true on a machine that is
 * busy with others, how long it took does not.
 */
import { createReadStream, readlinkSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { openAiCompletion } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";

const [rate = 300, seconds = 60] = process.argv.slice(2).map(Number);
const LONG_MS = 2;
const ACCOUNTS = 50;
const USAGE = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };

process.env["TEST_DATABASE_FSYNC"] = "on";
const { startTestCluster } = await import("../support/test-cluster.ts");
const cluster = await startTestCluster();
process.env["TEST_DATABASE_URL"] = cluster.url;
const { openChatScene } = await import("../support/chat-scene.ts");

const folder = new URL(cluster.url).searchParams.get("host") ?? "";
const admin = new Client({
  connectionString: `postgresql:///postgres?host=${folder}&user=postgres`,
});
await admin.connect();
// The server stands in its folder.
const log = join(readlinkSync(`/proc/${cluster.pid}/cwd`), "../postgres.log");

async function tellStatements(on: boolean): Promise<void> {
  const settings = {
    log_line_prefix: "%a|",
    log_statement_stats: on ? "on" : "off",
    log_min_error_statement: on ? "log" : "error",
  };
  for (const [name, value] of Object.entries(settings))
    await admin.query(`ALTER SYSTEM SET ${name} = '${value}'`);
  await admin.query("SELECT pg_reload_conf()");
  await sleep(500);
}

interface Cost {
  readonly what: string;
  readonly cpuMs: number;
  readonly tookMs: number;
}

/** What was told behind that place of the log. Parsing and binding come apart, and are left out. */
async function costsFrom(start: number): Promise<Cost[]> {
  const costs: Cost[] = [];
  let executed = false;
  let figures: readonly [number, number] | null = null;
  let what = "";
  const end = (): void => {
    if (executed && figures !== null && what !== "")
      costs.push({ what: what.slice(0, 130), cpuMs: figures[0], tookMs: figures[1] });
    [executed, figures, what] = [false, null, ""];
  };
  for await (const line of createInterface({ input: createReadStream(log, { start }) })) {
    const head = /^([^|]*)\|(LOG|STATEMENT): {2}(.*)$/.exec(line);
    if (head?.[2] === "LOG") {
      end();
      executed = /^(EXECUTE MESSAGE|QUERY) STATISTICS/.test(head[3] ?? "");
    } else if (head?.[2] === "STATEMENT")
      what = `${(head[1] ?? "").replaceAll(/[0-9a-f-]{36}/g, "…")} | ${(head[3] ?? "").trim()}`;
    else if (line.includes(" s elapsed")) {
      const [user = 0, system = 0, elapsed = 0] = [...line.matchAll(/([\d.]+) s /g)].map(
        ([, time]) => Number(time) * 1000, // not money: milliseconds
      );
      figures ??= [user + system, elapsed]; // not money: milliseconds
    } else if (what !== "" && line.startsWith("\t")) what += ` ${line.trim()}`;
  }
  end();
  return costs;
}

function report(costs: readonly Cost[]): void {
  const groups = Map.groupBy(costs, ({ what }) => what);
  const median = (all: readonly number[]): number =>
    all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0;
  console.log(
    `| times | above ${LONG_MS} ms CPU | median CPU ms | most CPU ms | who | statement |`,
  );
  console.log("| --- | --- | --- | --- | --- | --- |");
  const rows = [...groups].map(([what, found]) => {
    const cpu = found.map(({ cpuMs }) => cpuMs);
    const long = cpu.filter((ms) => ms > LONG_MS).length;
    return { what, times: found.length, long, middle: median(cpu), most: Math.max(...cpu) };
  });
  for (const { what, times, long, middle, most } of rows.toSorted((a, b) => b.long - a.long))
    if (long > 0)
      console.log(`| ${times} | ${long} | ${middle.toFixed(2)} | ${most.toFixed(2)} | ${what} |`);
}

const scene = await openChatScene();
try {
  const answer = openAiCompletion({ pieces: ["one two three"], usage: USAGE });
  const play = scene.play((exchange) => exchange.json(200, answer));
  const customers = await Promise.all(
    Array.from({ length: ACCOUNTS }, () => scene.customer({ roubles: "1000" })),
  );
  const messages = [{ role: "user", content: "count" }];
  const ask = async (nth: number): Promise<boolean> => {
    const { secret } = customers[nth % ACCOUNTS] ?? { secret: "" };
    const body = { model: "standard", user: play.user, messages };
    const { status } = await postChat(scene.gateway.url, secret, body).answer;
    return status === 200;
  };
  await Promise.all(Array.from({ length: ACCOUNTS }, (_, nth) => ask(nth)));
  await sleep(3_000);
  const { size } = await stat(log);
  await tellStatements(true);
  const began = performance.now();
  const running: Promise<boolean>[] = [];
  for (let sent = 0; sent < rate * seconds;) {
    const due = Math.min(rate * seconds, ((performance.now() - began) / 1000) * rate); // not money: requests
    while (sent < due) running.push(ask(sent++).catch(() => false));
    await sleep(1);
  }
  const served = (await Promise.all(running)).filter(Boolean).length;
  const took = (performance.now() - began) / 1000; // not money: seconds
  await tellStatements(false);
  console.log(`${served} of ${running.length} requests served in ${took.toFixed(1)} s`);
  report(await costsFrom(size));
} finally {
  await admin.end();
  await scene.close().catch((error: unknown) => console.error(String(error)));
  await cluster.stop();
}
