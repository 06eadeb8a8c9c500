/**
 * The panel at its size: `npm run panel-at-size` fills a gateway with a million requests and ten
 * thousand accounts, asks for whatever its pages ask, and ends with 1 where an answer took longer
 * than a second or the books do not agree.
 */
import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  logInAtPanel,
  openPanelBrowser,
  PASSWORD,
  type PanelGateway,
} from "../../test/support/panel-session.ts";
import { startTollgate, type Started } from "../../test/support/start-tollgate.ts";
import { tollgateEnvironment } from "../../test/support/tollgate-environment.ts";
import { describeMachine } from "../describe-machine.ts";
import { renderTable } from "../render-table.ts";
import { makeRunFolder } from "../run-folder.ts";
import { askPanel, NO_NEXT_PAGE, type AskTimes, type PanelPeople } from "./ask-panel.ts";
import { explainFromNowOn, plansOf } from "./explain-slow.ts";
import { makeWorld, type World } from "./make-world.ts";
import { openPages, type OpenedPage } from "./open-pages.ts";
import { panelAsks } from "./panel-asks.ts";
import { readSizeArguments, type SizeArguments } from "./read-size-arguments.ts";

const CLI = join(import.meta.dirname, "../../src/main/cli.ts");
const VERIFY_WITHIN_MS = 10 * 60_000;
/** No page may take longer. */
const BUDGET_MS = 1000;

const began = performance.now();

function say(line: string): void {
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  process.stderr.write(`${seconds} s: ${line}\n`);
}

async function run(args: SizeArguments, signal: AbortSignal): Promise<number> {
  const folder = args.folder === null ? makeRunFolder() : resolve(args.folder);
  mkdirSync(folder, { recursive: true });
  try {
    const world = await makeWorld(folder, args.size, (what) => {
      signal.throwIfAborted();
      say(what);
    });
    return await measure(folder, world, args, signal);
  } finally {
    if (args.folder === null) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function measure(
  folder: string,
  world: World,
  args: SizeArguments,
  signal: AbortSignal,
): Promise<number> {
  let tollgate = await startTollgate(folder, {});
  try {
    const asked = await askAll(await logIn(tollgate, world), args.times, signal);
    console.log(tellMachine(world));
    console.log(renderTable([ASK_HEAD, ...asked.map(askRow)]));
    const opened = args.browser ? await openAll(folder, tollgate, world) : [];
    if (opened.length > 0) console.log(`\n${renderTable([OPEN_HEAD, ...opened.map(openRow)])}`);
    const verified = await verifyLedger(folder);
    if (args.json !== null)
      writeFileSync(args.json, `${JSON.stringify({ world, asked, opened, verified }, null, 2)}\n`);
    const slow = asked.filter(isSlow);
    const failed = asked.filter(({ trouble }) => trouble !== null && trouble !== NO_NEXT_PAGE);
    const late = opened.filter(({ againMs, trouble }) => trouble !== null || againMs > BUDGET_MS);
    console.log(`\nledger verify ended with ${verified.code}: ${verified.text}`);
    console.log(
      `${slow.length} of ${asked.length} answers above ${BUDGET_MS} ms, ${failed.length} failed; ${late.length} of ${opened.length} pages above it or in trouble`,
    );
    if (args.plans && slow.length > 0) {
      say("asking for plans");
      await explainFromNowOn(folder);
      await tollgate.stop();
      tollgate = await startTollgate(folder, {});
      await tellPlans(folder, await logIn(tollgate, world), slow, signal);
    }
    return slow.length + failed.length + late.length === 0 && verified.code === 0 ? 0 : 1;
  } finally {
    await tollgate.stop();
  }
}

async function logIn({ url }: Started, world: World): Promise<PanelPeople> {
  return {
    member: await logInAtPanel(openPanelBrowser(url), world.ownerEmail, PASSWORD),
    operator: await logInAtPanel(openPanelBrowser(url), world.operatorEmail, PASSWORD),
  };
}

async function askAll(
  people: PanelPeople,
  times: number,
  signal: AbortSignal,
): Promise<AskTimes[]> {
  const asks = await panelAsks(people.member, people.operator);
  say(`asking for ${asks.length} answers, ${times} times each`);
  const asked: AskTimes[] = [];
  for (const ask of asks) {
    signal.throwIfAborted();
    const answer = await askPanel(people, ask, times);
    asked.push(answer);
    if (isSlow(answer) || answer.trouble !== null) say(askRow(answer).join("  "));
  }
  return asked;
}

async function openAll(folder: string, tollgate: Started, world: World): Promise<OpenedPage[]> {
  const gateway: PanelGateway = { url: tollgate.url, env: { DATA_DIR: join(folder, "data") } };
  try {
    const people = await logIn(tollgate, world);
    return await openPages(gateway, people, (page) => say(`opening ${page}`));
  } catch (error) {
    say(`the browser: ${String(error)}`);
    return [];
  }
}

async function tellPlans(
  folder: string,
  people: PanelPeople,
  slow: readonly AskTimes[],
  signal: AbortSignal,
): Promise<void> {
  for (const { ask } of slow) {
    signal.throwIfAborted();
    const plans = await plansOf(folder, () => askPanel(people, ask, 2));
    console.log(
      `\n## ${ask.by}: ${ask.path}${ask.next === true ? " (next page)" : ""}\n\n${plans}`,
    );
  }
}

/** Beside the running gateway. */
async function verifyLedger(folder: string): Promise<{ code: number | null; text: string }> {
  say("verifying the ledger");
  const { promise, resolve: done } = Promise.withResolvers<{ code: number | null; text: string }>();
  const child = execFile(
    process.execPath,
    [CLI, "ledger", "verify"],
    {
      cwd: folder,
      env: tollgateEnvironment({ DATA_DIR: join(folder, "data") }),
      timeout: VERIFY_WITHIN_MS,
    },
    (_, stdout, stderr) =>
      done({ code: child.exitCode, text: `${stdout}${stderr}`.trim().slice(0, 2000) }),
  );
  return promise;
}

const ASK_HEAD = ["page", "who", "answer", "first ms", "median ms", "worst ms", "KB", "above"];
const OPEN_HEAD = ["page in the browser", "first ms", "again ms", "settled ms", "trouble"];

const isSlow = ({ firstMs, worstMs }: AskTimes): boolean =>
  firstMs > BUDGET_MS || worstMs > BUDGET_MS;
const whole = (value: number): string => (Number.isFinite(value) ? value.toFixed(0) : "–");

function askRow(times: AskTimes): string[] {
  const { ask, trouble, firstMs, medianMs, worstMs, bytes } = times;
  const suffix = ask.next === true ? " (next page)" : ask.file === true ? " (first piece)" : "";
  return [
    ask.page,
    ask.by,
    `${decodeURIComponent(ask.path)}${suffix}`,
    whole(firstMs),
    whole(medianMs),
    whole(worstMs),
    (bytes / 1024).toFixed(1),
    trouble ?? (isSlow(times) ? "above 1 s" : ""),
  ];
}

function openRow({ page, firstMs, againMs, settledMs, trouble }: OpenedPage): string[] {
  return [page, whole(firstMs), whole(againMs), whole(settledMs), trouble ?? ""];
}

function tellMachine({ size }: World): string {
  const { cpu, cores, memoryGiB, kernel, node } = describeMachine();
  return `${size.requests} requests, ${size.accounts} accounts, ${size.keys} keys in one; ${cpu}, ${cores} cores, ${memoryGiB} GiB, ${kernel}, Node ${node}\n`;
}

const reading = readSizeArguments(process.argv.slice(2));
if (!reading.ok) {
  console.error(reading.message);
  process.exitCode = 2;
} else {
  const stop = new AbortController();
  for (const event of ["SIGINT", "SIGTERM", "SIGHUP", "disconnect"])
    process.on(event, () => stop.abort(new Error("stopped before its end")));
  process.channel?.unref();
  process.exitCode = await run(reading.value, stop.signal).catch((error: unknown) => {
    console.error(error);
    return 1;
  });
}
if (process.connected) process.disconnect?.();
