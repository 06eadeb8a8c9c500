/**
 * Guarantee: whatever a provider does, every task comes to the end that is documented, is never
 * submitted a second time after it was taken, is charged its price when it is completed and nothing
 * otherwise, and its owner never reads the provider's own words.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { TaskView } from "../../src/serving/tasks/task-view.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { openTasksScene, type TaskCustomer, type TasksScene } from "./tasks-scene.ts";

type End = "completed" | NonNullable<TaskView["error"]>["code"];

type Protocol = "kie" | "fal" | "replicate";

interface Fault {
  readonly protocol?: Protocol;
  readonly directive: string;
  readonly end: End;
  /** Its outcome stays unknown, or it never ends: its time is moved on. */
  readonly aged?: true;
}

const ok = (...directives: string[]): Fault[] =>
  directives.map((directive) => ({ directive, end: "completed" }));
const fails = (end: End, ...directives: string[]): Fault[] =>
  directives.map((directive) => ({ directive, end }));
const never = (end: End, ...directives: string[]): Fault[] =>
  directives.map((directive) => ({ directive, end, aged: true }));

const OPERATORS = ["createCode=402", "createStatus=401"];

const KIE: readonly Fault[] = [
  // Slow and strange, but alive.
  ...ok(
    "delay=500",
    "queue=10 run=600",
    "state=thinking",
    "progress=10,40,90",
    "outputs=3",
    "createDelay=300",
    "pollDelay=200",
  ),
  ...never("provider_timeout", "stuck", "stuck=queued", "state=thinking stuck"),
  // It says that it failed.
  ...fails(
    "provider_error",
    'fail=500 message="key-of-the-operator is over its quota"',
    "fail=501 late=30000",
  ),
  ...fails("input_unreachable", "fail=input"),
  ...fails("content_blocked", "fail=blocked"),
  // It says that it succeeded, and gives nothing.
  ...fails("provider_error", "output=none", "output=null", "output=missing", "output=garbage"),
  ...ok("output=string", "output=object"),
  // It does not take it.
  ...fails("provider_rejected", "createStatus=400 createTimes=9", "createCode=422 createTimes=9"),
  ...ok("createStatus=429", "createCode=429", "createCode=455", "createStatus=503"),
  // Our account there: another route takes it.
  ...ok(...OPERATORS),
  // It took it, or not, and no answer came.
  ...never("provider_error", "create=reset", "create=hang"),
  ...ok(
    "create=reset-after",
    "create=garbage",
    "create=html",
    "create=empty",
    "create=no-id",
    "create=hang-after",
  ),
  // It does not answer what becomes of it.
  ...ok(
    "hidden=2",
    "hidden=1 hiddenCode=404",
    "pollStatus=500 pollTimes=2",
    "pollStatus=429",
    "pollCode=429",
    "pollCode=500",
    "pollCode=401",
  ),
  ...ok("poll=reset", "poll=hang", "poll=garbage", "poll=html", "poll=empty"),
  // It reports wrongly, too often, or not at all.
  ...ok(
    "webhooks=0",
    "webhooks=100",
    "webhook=early",
    "webhook=unsigned",
    "webhook=forged",
    "webhook=garbage",
  ),
  // Its files are not what they should be.
  ...fails("result_expired", "result=dead", "result=private"),
  ...fails(
    "provider_error",
    "result=html",
    "result=disguised",
    "result=empty",
    "result=other-kind",
    "result=short",
  ),
  ...ok(
    "result=mistyped",
    "result=redirect",
    "result=slow resultDelay=1000",
    "resultStatus=503",
    "resultStatus=404 resultTimes=2",
  ),
];

/** The others' own ways; what is said above of files and failures is the same code. */
const OTHERS: readonly Fault[] = (["fal", "replicate"] as const).flatMap((protocol) =>
  [
    ...ok(
      "delay=200",
      "webhooks=0",
      "webhook=forged",
      "hidden=1",
      "pollStatus=500",
      "createStatus=429",
      "result=slow resultDelay=500",
    ),
    ...fails("provider_error", "fail=501", "output=none"),
    ...fails("content_blocked", "fail=blocked"),
    ...fails("provider_rejected", "createStatus=422 createTimes=9"),
    ...ok("create=reset-after"),
    ...fails("result_expired", "result=dead"),
  ].map((fault) => ({ ...fault, protocol })),
);

const CASES = [...KIE, ...OTHERS];
const PRICE = "3";
/** Each has an upstream of its own, so that none has to rest for what another one said. */
const CATALOGUE = `
upstreams:
${CASES.map(upstreamOf).join("\n")}
models:
${CASES.map(modelOf).join("\n")}
`;

function upstreamOf({ protocol = "kie", directive }: Fault, index: number): string {
  const path = protocol === "fal" ? "/fal" : "";
  // A provider that is not to be given up has all the time that a busy machine needs.
  const timeoutMs = directive.includes("hang") ? 1_500 : 30_000;
  const timeouts = `{ connect: 5000, firstByte: ${timeoutMs}, idle: ${timeoutMs} }`;
  return `  at-${index}: { protocol: ${protocol}, baseUrl: "\${SANDBOX_URL}${path}", apiKeyEnv: SANDBOX_API_KEY, timeoutsMs: ${timeouts} }`;
}

function modelOf({ protocol = "kie", directive }: Fault, index: number): string {
  const there = {
    kie: "nano-banana-2",
    fal: "fal-ai/nano-banana-2",
    replicate: "google/nano-banana-2",
  }[protocol];
  const price = `{ unit: image, quantity: 1, amount: "${PRICE}" }`;
  const other = OPERATORS.includes(directive)
    ? `, { upstream: at-0, model: ${there}, order: 2 }`
    : "";
  const routes = `[ { upstream: at-${index}, model: ${there} }${other} ]`;
  return `  case-${index}: { type: task, parameters: T19, deadlineSeconds: 600, price: ${price}, routes: ${routes} }`;
}

let scene: TasksScene;
let customer: TaskCustomer;
let gateway: Gateway;
let hurrying = true;
before(async () => {
  scene = await openTasksScene({ catalogue: () => CATALOGUE });
  gateway = await scene.start();
  customer = await scene.customer();
  void hurry();
});
after(async () => {
  hurrying = false;
  await scene[Symbol.asyncDispose]();
});

/** What would wait for seconds or minutes is due now. */
async function hurry(): Promise<void> {
  while (hurrying) {
    await scene.db.query(
      `UPDATE tasks.jobs SET due_at = clock_timestamp() WHERE lease_id IS NULL AND due_at > clock_timestamp() AND phase IN ('running', 'collecting', 'submit_unknown')`,
    );
    await sleep(150);
  }
}

/**
 * As if its deadline were over where an upstream has it, and the wait for a word where that is
 * unknown.
 */
async function age(taskId: string): Promise<void> {
  await scene.db.query(
    "UPDATE tasks.tasks t SET deadline_at = clock_timestamp() FROM tasks.jobs j WHERE j.task_id = t.task_id AND t.task_id = $1 AND j.phase = 'running'",
    [taskId],
  );
  await scene.db.query(
    "UPDATE tasks.jobs SET phase_at = phase_at - interval '1 hour' WHERE task_id = $1 AND phase = 'submit_unknown'",
    [taskId],
  );
}

async function endOf(index: number, { directive, end, aged }: Fault): Promise<void> {
  const tag = `case-${index}`;
  const taskId = await customer.order(tag, {
    prompt: `A cat. [[sandbox: ${directive} tag=${tag}]]`,
  });
  const ended = customer.end(taskId);
  while (aged === true && (await Promise.race([ended, sleep(2_000, null)])) === null)
    await age(taskId);
  const task = await ended;
  assert.deepEqual(
    [task.state, task.error?.code ?? null],
    end === "completed" ? ["completed", null] : ["failed", end],
    JSON.stringify(task),
  );
  assert.deepEqual(task.cost, {
    amount: PRICE,
    currency: "RUB",
    state: end === "completed" ? "charged" : "released",
  });
  assert.doesNotMatch(JSON.stringify(task.error), /quota|key-of|kie|sandbox/i);
  const { tasks } = await scene.provider(tag);
  assert.ok(tasks.length <= 1, `it was taken ${tasks.length} times`);
}

test("every fault ends as it should", { concurrency: true, timeout: 120_000 }, async (t) => {
  await Promise.all(
    CASES.map((fault, index) =>
      t.test(`${fault.protocol ?? "kie"}: ${fault.directive}`, () => endOf(index, fault)),
    ),
  );
});

test("what a provider said is in the operator's log, one line, without the credential", async () => {
  const line = await gateway.logged(
    ({ words }) => typeof words === "string" && words.includes("is over its quota"),
  );
  assert.equal(line["msg"], "a provider of tasks said");
  assert.deepEqual([line["step"], line["outcome"]], ["poll", "provider_error"]);
  assert.match(String(line["upstream"]), /^at-\d+$/);
  assert.doesNotMatch(gateway.output(), /key-of-the-operator/);
  // Others are rejected, too, by a code inside an answer of 200.
  const refused = await gateway.logged(
    ({ step, words }) =>
      step === "submit" && typeof words === "string" && words.startsWith("status 400"),
  );
  assert.equal(refused["outcome"], "rejected");
});

test("the books agree after all of it", async () => {
  assert.equal((await customer.money()).held, "0");
  await scene.assertBooks();
});
