/**
 * The matrix for some clients: every scenario before an upstream of each protocol, streamed and
 * whole, with the bill of each answer.
 */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { standardPrice } from "../support/chat-scene.ts";
import { PROTOCOLS, type Caller } from "../support/protocol-pairs.ts";
import { ANSWER_SCENARIOS, type Says, type Scenario } from "./answer-scenarios.ts";
import type { Answer, ChatClient, ReportedUsage } from "./chat-client.ts";
import { FAILURE_SCENARIOS } from "./failure-scenarios.ts";
import { WAYS, WAY_NAMES, type Cell } from "./matrix-cell.ts";
import { openMatrixScene, type MatrixScene } from "./matrix-scene.ts";

const AT_ONCE = 8;
/** As a receipt names what was called. */
const ENDPOINTS: Readonly<Record<Caller, string>> = {
  openai: "chat.completions",
  anthropic: "messages",
  responses: "responses",
};

export function runMatrix(clients: readonly ChatClient[]): void {
  let scene: MatrixScene;
  before(async () => {
    scene = await openMatrixScene();
  });
  after(() => scene.close());

  for (const [at, client] of clients.entries()) {
    suite(client.name, { concurrency: AT_ONCE, timeout: 120_000 }, () => {
      for (const [wayAt, way] of WAY_NAMES.entries()) {
        for (const upstream of PROTOCOLS) {
          const cell = (number: number): Cell => ({
            scene,
            client,
            upstream,
            way,
            label: `[${at}.${wayAt}.${number}]`,
          });
          for (const [number, scenario] of ANSWER_SCENARIOS.entries()) {
            if (scenario.upstreams?.includes(upstream) === false) continue;
            if (scenario.callers?.includes(client.protocol) === false) continue;
            const { maxTokens, structured } = scenario.question("");
            if (maxTokens !== undefined && way === "assembled") continue; // A small limit is always held whole.
            if (structured === true && way === "streamed" && !client.streamsStructured) continue;
            test(`${scenario.name}, over an ${upstream} upstream, ${way}`, () =>
              answers(cell(number), scenario));
          }
          for (const [number, scenario] of FAILURE_SCENARIOS.entries()) {
            if (scenario.ways !== undefined && !scenario.ways.includes(way)) continue;
            test(`${scenario.name}, over an ${upstream} upstream, ${way}`, () =>
              scenario.run(cell(100 + number)));
          }
        }
      }
    });
  }

  test("the books agree after all of this", () => scene.chat.verifyBooks());
}

/** One scenario through the gateway, beside the same at the vendor. */
async function answers(cell: Cell, scenario: Scenario): Promise<void> {
  const { scene, client, upstream, way, label } = cell;
  const { roubles, streamed, upstreamStreams } = WAYS[way];
  const question = scenario.question(label);
  const { secret } = await scene.chat.customer({ roubles });
  const endpoint = scene.endpoint(upstream, secret);
  const [answer, vendors] = await Promise.all([
    client.ask(endpoint, question, streamed),
    client.ask(scene.vendor, question, streamed),
  ]);
  const says = adapted(cell, scenario.says(label), true);
  checkAnswer(client, answer, says);
  assert.deepEqual(
    reported(cell, answer, vendors),
    vendors.usage,
    "the usage that the vendor reports",
  );
  assert.equal(vendors.usage.cached, says.cached ?? 0);
  await checkReceipt(cell, endpoint.receipt(0), vendors.usage);
  const [asked] = scene.asked(upstream, label);
  assert.ok(asked !== undefined);
  assert.equal(asked.body["stream"] === true, upstreamStreams, `delivered in this way: ${way}`);
  scenario.reaches?.(upstream, asked.body);

  if (scenario.afterwards === undefined) return;
  const { results } = scenario.afterwards;
  const giveTo = (given: Answer): Promise<Answer> =>
    given.answerTools(given.calls.map((call, at) => ({ call, text: results[at] ?? "" })));
  const [second, vendorsSecond] = await Promise.all([giveTo(answer), giveTo(vendors)]);
  checkAnswer(client, second, adapted(cell, scenario.afterwards.says, false));
  const secondUsage = reported(cell, second, vendorsSecond);
  assert.equal(
    secondUsage.input,
    vendorsSecond.usage.input,
    "the prompt that the vendor counts, earlier calls and results in it",
  );
  await checkReceipt(cell, endpoint.receipt(1), secondUsage);
  const askedThen = scene.asked(upstream, label)[1];
  assert.ok(askedThen !== undefined);
  // An upstream of Chat Completions signs nothing.
  const returns =
    client.returnsThinking === "signed" ? upstream !== "openai" : client.returnsThinking === "any";
  if (returns) scenario.afterwards.reaches?.(upstream, askedThen.body, client.protocol);
}

/**
 * The usage that the client reports; where it cannot know the prompt's, the vendor's figure stands
 * for it.
 */
function reported({ client, upstream, way }: Cell, answer: Answer, vendors: Answer): ReportedUsage {
  const knows = client.believesEnd || upstream === client.protocol || !WAYS[way].streamed;
  return knows ? answer.usage : { ...vendors.usage, output: answer.usage.output };
}

/** What of it this client can get to see before this upstream. */
function adapted({ client, upstream }: Cell, says: Says, first: boolean): Says {
  // OpenAI's protocol does not say that it was a stop sequence.
  const ending = says.ending === "stop sequence" && upstream === "openai" ? "stop" : says.ending;
  // A client that does not bring its signed thinking back gets no more of it where the upstream
  // insists on it (hazards §132).
  const thinks =
    client.showsThinking &&
    (first || upstream !== "anthropic" || client.returnsThinking !== "none");
  return { ...says, ending, thinking: thinks ? (says.thinking ?? "") : "" };
}

function checkAnswer(
  client: ChatClient,
  answer: Answer,
  { text, thinking, calls, structured, ending }: Says,
): void {
  assert.equal(answer.finish, client.endings[ending]);
  assert.equal(answer.thinking, thinking);
  if (structured !== undefined) return assert.deepEqual(answer.structured, structured);
  assert.equal(answer.text, text ?? "");
  assert.deepEqual(
    answer.calls.map(({ name, input }) => ({ name, input })),
    calls ?? [],
  );
  assert.equal(
    new Set(answer.calls.map(({ id }) => id)).size,
    answer.calls.length,
    "every call has an id of its own",
  );
}

async function checkReceipt(
  { client, upstream, way }: Cell,
  stored: ReturnType<MatrixScene["chat"]["receipt"]>,
  { input, cached, output }: ReportedUsage,
): Promise<void> {
  const { state, chargedNano, detail, endpoint, model } = await stored;
  assert.deepEqual(
    [state, endpoint, model, detail["stream"], detail["usageSource"], chargedNano],
    [
      "completed",
      ENDPOINTS[client.protocol],
      `over-${upstream}`,
      WAYS[way].streamed,
      "upstream",
      standardPrice({ input: input - cached, cached, output }),
    ],
  );
}
