/**
 * The scenarios of the matrix that do not end well: the client leaves, or the upstream fails before
 * or after its first word.
 */
import assert from "node:assert/strict";
import { countTokens } from "../../sandbox/count-tokens.ts";
import { standardPrice } from "../support/chat-scene.ts";
import { countedPrompt, type Protocol } from "../support/protocol-pairs.ts";
import { WAYS, type Cell, type Way } from "./matrix-cell.ts";

export interface FailureScenario {
  readonly name: string;
  /** Absent: all of them. */
  readonly ways?: readonly Way[];
  run(cell: Cell): Promise<void>;
}

/** After so many events of the upstream. */
const PLACE = 8;
/**
 * What the upstream has said by then: OpenAI's first event is the role, the Messages protocol needs
 * three before its first word, and Responses four.
 */
const REFUSAL: Readonly<Record<Protocol, string>> = {
  openai: "Здравствуйте! Я echo-large, модель песочницы. Вы написали:",
  anthropic: "Здравствуйте! Я echo-large, модель песочницы.",
  responses: "Здравствуйте! Я echo-large, модель",
};
function textOf(directive: string, { label }: Cell): string {
  return `[[sandbox: ${directive}]] раз два три ${label}`;
}

/**
 * What a stream costs that ended after REFUSAL: an upstream of the Messages protocol has told its
 * input by then.
 */
function partialPrice({ client, upstream }: Cell, text: string): bigint {
  const input =
    upstream === "anthropic" ? 3 + 4 + countTokens(text) : countedPrompt(client.protocol, text);
  return standardPrice({ input, output: countTokens(REFUSAL[upstream]) });
}

const LEAVES: FailureScenario = {
  name: "the client leaves in the middle of a stream: the upstream is let go, and what was delivered is charged",
  ways: ["streamed"],
  async run(cell) {
    const { scene, client, upstream } = cell;
    const { secret } = await scene.chat.customer();
    const endpoint = scene.endpoint(upstream, secret);
    const text = textOf(`silentAt=${PLACE}`, cell);
    let heard = "";
    await client.listen(endpoint, { text }, (soFar) => {
      heard = soFar;
      return soFar === REFUSAL[upstream] ? "leave" : "stay";
    });
    assert.equal(heard, REFUSAL[upstream]);
    const [asked] = scene.asked(upstream, cell.label);
    assert.equal(await asked?.ended, "client-gone");
    const { state, chargedNano } = await endpoint.receipt(0);
    assert.deepEqual([state, chargedNano], ["client_gone", partialPrice(cell, text)]);
  },
};

function failsLater(directive: string, what: string): FailureScenario {
  return {
    name: `an upstream that ${what} after its first words: the client raises, and what was delivered is charged`,
    ways: ["streamed"],
    async run(cell) {
      const { scene, client, upstream } = cell;
      const { secret } = await scene.chat.customer();
      const endpoint = scene.endpoint(upstream, secret);
      const text = textOf(`${directive}=${PLACE}`, cell);
      let heard = "";
      const raised = await errorOf(
        client.listen(endpoint, { text }, (soFar) => {
          heard = soFar;
          return "stay";
        }),
      );
      assert.equal(heard, REFUSAL[upstream], "all that came before is delivered");
      const failure = client.readFailure(raised);
      assert.deepEqual(
        [failure?.kind, failure?.status],
        [client.errors.midStream, null],
        String(raised),
      );
      const { state, chargedNano } = await endpoint.receipt(0);
      assert.deepEqual([state, chargedNano], ["interrupted", partialPrice(cell, text)]);
    },
  };
}

/** The client gets an HTTP error, as the class that its users know, and pays nothing. */
function failsFirst(
  what: string,
  directive: string,
  status: number,
  ways?: readonly Way[],
): FailureScenario {
  return {
    name: `an upstream that ${what}: a ${status} error, and nothing is charged`,
    ...(ways === undefined ? {} : { ways }),
    async run(cell) {
      const { scene, client, upstream, way } = cell;
      const { secret, accountId } = await scene.chat.customer({ roubles: WAYS[way].roubles });
      const endpoint = scene.endpoint(upstream, secret);
      const raised = await errorOf(
        client.ask(endpoint, { text: textOf(directive, cell) }, WAYS[way].streamed),
      );
      const failure = client.readFailure(raised);
      const kind = status === 400 ? client.errors.badRequest : client.errors.server;
      assert.deepEqual([failure?.kind, failure?.status], [kind, status], String(raised));
      if (status === 400)
        assert.match(
          failure?.message ?? "",
          /sandbox: status 400 as asked/,
          "the upstream's own words",
        );
      const { state, chargedNano } = await endpoint.receipt(0);
      assert.deepEqual([state, chargedNano], ["failed", 0n]);
      const { held, charged } = await scene.chat.money(accountId);
      assert.deepEqual([held, charged], [0n, 0n]);
    },
  };
}

async function errorOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  assert.fail("the client took it for a whole answer");
}

const UNSTREAMED: readonly Way[] = ["passed through whole", "assembled"];

export const FAILURE_SCENARIOS: readonly FailureScenario[] = [
  LEAVES,
  failsLater("errorEvent", "reports an error"),
  failsLater("cut", "loses its connection"),
  failsLater("end", "just ends"),
  failsFirst("does not like the request", "status=400", 400),
  failsFirst("answers 500", "status=500", 502),
  failsFirst("answers 429", "status=429 retry-after=1", 502),
  failsFirst("begins with an error under status 200", "errorFirst", 502),
  failsFirst("sends a page under status 200", "body=html", 502),
  failsFirst("sends nothing under status 200", "body=empty", 502),
  failsFirst(
    "loses its connection in the midst of what the client never sees",
    `cut=${PLACE}`,
    502,
    UNSTREAMED,
  ),
];
