/**
 * Guarantee: whichever protocols meet, every field that makes an upstream dearer is refused where
 * it has no price, charged by its price where it has one, and at the base price where the answer
 * says so or a translation drops it. A tool that an upstream runs is no field of a Responses
 * request: clients send it unasked, so it is left out where it has no price, and named.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  RAISING_FIELDS,
  RAISING_PARTS,
  translatedTo,
  type FieldMeaning,
  type Translated,
} from "../../src/protocol/raises/raising-fields.ts";
import type { ChatEndpoint } from "../../src/contract/enums/chat-endpoint.ts";
import { VENDOR_TOOLS } from "../../src/protocol/raises/vendor-tools.ts";
import { anthropicMessage } from "../support/anthropic-stream.ts";
import { openChatScene, type ChatScene } from "../support/chat-scene.ts";
import { openAiCompletion } from "../support/openai-stream.ts";
import { postChat, type ChatAnswer } from "../support/post-chat.ts";
import { FIELD_VALUES, inParts, RAISING_TOOLS } from "../support/price-raising-values.ts";
import {
  CALLER_PATHS,
  pairName,
  PAIRS,
  PROTOCOLS,
  type Caller,
  type Pair,
  type Protocol,
} from "../support/protocol-pairs.ts";
import { responsesUsage, responsesWhole } from "../support/responses-stream.ts";
import type { RecordedRequest } from "../support/scripted-upstream.ts";

/** Roubles for 1M tokens; each comes out in whole nano-roubles for these counts. */
const BASE = { input: 150, output: 600, audioInput: 900, audioOutput: 1800 };
const FAST = { input: 300, output: 1200 };
const PRICE = `input: "150", cachedInput: "15", cacheWrite5m: "187.5", cacheWrite1h: "300", output: "600"`;
const CALL_NANO = 900_000_000n;
const CALLS = 2;
const PROMPT = 1000;
const ANSWER = 100;
/** Of the prompt, or of the answer. */
const AUDIO = 40;

/** What so many tokens cost by prices for 1M. */
const tokens = (count: number, roubles: number): bigint => BigInt(count * roubles) * 1000n;
const BASE_NANO = tokens(PROMPT, BASE.input) + tokens(ANSWER, BASE.output);

const unpricedNames = [
  ...[...RAISING_FIELDS].flatMap(([name, { meaning }]) =>
    meaning.kind === "unpriced" ? [name] : [],
  ),
  ...RAISING_TOOLS.flatMap(({ kind, name, member = name }) =>
    kind === "unpriced" || member !== name ? [member] : [],
  ),
];
const paidNames = [
  ...new Set(
    [...VENDOR_TOOLS].flatMap(([type, { kind, name }]) => (kind === "paid" ? [name ?? type] : [])),
  ),
];

function catalogue(upstreamUrl: string): string {
  const model = (protocol: Protocol, more: string): string =>
    `{ type: chat, endpoints: [chat.completions, messages], contextTokens: 200000, maxOutputTokens: 32000, ${more}, routes: [{ upstream: ${protocol}-upstream, model: echo }] }`;
  const tools = paidNames.map((name) => `${name}: { perCall: "0.9", maxCalls: 5 }`).join(", ");
  const surcharges = `surcharges: {
      serviceTier: { priority: { multiply: "2" } },
      speed: { fast: { price: { input: "300", cachedInput: "30", cacheWrite5m: "375", cacheWrite1h: "600", output: "1200", audioInput: "900", audioOutput: "1800", imageOutput: "1800" }, tiers: [] } },
      inferenceGeo: { us: { multiply: "1.1" } },
      tools: { ${tools} },
      free: [${unpricedNames.join(", ")}] }`;
  const media = `audioInput: "900", audioOutput: "1800", imageOutput: "1800"`;
  const each = PROTOCOLS.map(
    (protocol) => `
  bare-${protocol}: ${model(protocol, `price: { ${PRICE} }`)}
  priced-${protocol}: ${model(protocol, `price: { ${PRICE}, ${media} }, ${surcharges}`)}`,
  );
  return `
upstreams:
${PROTOCOLS.map((protocol) => `  ${protocol}-upstream: { protocol: ${protocol}, baseUrl: "${upstreamUrl}/v1", apiKeyEnv: UPSTREAM_KEY }`).join("\n")}
models:${each.join("")}
`;
}

let scene: ChatScene;
before(async () => {
  scene = await openChatScene({ catalogue });
});
after(() => scene.close());

interface Case {
  readonly name: string;
  readonly meaning: FieldMeaning;
  /** What the request holds besides, or in place of its own. */
  body(caller: Caller): Readonly<Record<string, unknown>>;
  /** What may become of it on the way to an upstream of another protocol. */
  may(pair: Pair): readonly Translated[];
  /** Of a tool that the upstream runs: its name in the catalogue. */
  readonly tool?: string;
  /** Of a tool: its type. */
  readonly shown?: string;
}

const ENDPOINTS: Readonly<Record<Caller, ChatEndpoint>> = {
  openai: "chat.completions",
  anthropic: "messages",
  responses: "responses",
};

const CASES: readonly Case[] = [
  ...[...RAISING_FIELDS].map(([name, { meaning, translated }]): Case => ({
    name,
    body: () => ({ [name]: FIELD_VALUES[name] }),
    // What stands in it is a tier.
    meaning: meaning.kind === "members" ? { kind: "variant", field: "serviceTier" } : meaning,
    may: ({ caller, upstream }) => [
      translatedTo(translated, ENDPOINTS[caller], ENDPOINTS[upstream]),
    ],
  })),
  ...[...RAISING_PARTS].map(([name, { meaning, translated }]): Case => ({
    name,
    body: (caller) => inParts(caller, name),
    meaning,
    // What no other protocol has a word for may be dropped or refused.
    may: ({ caller, upstream }) => [
      translatedTo(translated, ENDPOINTS[caller], ENDPOINTS[upstream]),
      ...(caller === "anthropic" ? (["refused"] as const) : []),
    ],
  })),
  ...RAISING_TOOLS.map(({ shown, name, kind, member, tool }): Case => ({
    name: member ?? shown,
    shown,
    body: () => ({ tools: [tool] }),
    meaning: kind === "paid" ? { kind: "tool", tool: name } : { kind: "unpriced" },
    may: ({ caller }) => [caller === "responses" ? "dropped" : "refused"],
    tool: name,
  })),
];

/** What the answer says was used: as asked, or less. */
type Served = "as asked" | "downgraded";

/** Where a protocol tells the kinds of its tokens; Messages have no place for sound. */
const DETAILS: Readonly<Record<Protocol, Readonly<Record<"input" | "output", string>>>> = {
  openai: { input: "prompt_tokens_details", output: "completion_tokens_details" },
  anthropic: { input: "prompt_tokens_details", output: "completion_tokens_details" },
  responses: { input: "input_tokens_details", output: "output_tokens_details" },
};

/** What the answer tells beside its counts, by the places of its protocol. */
function reported(
  meaning: FieldMeaning,
  served: Served,
  upstream: Protocol,
): { readonly usage: object } {
  const details = DETAILS[upstream];
  const whole = served === "as asked";
  switch (meaning.kind) {
    case "variant": {
      const value = {
        serviceTier: ["priority", "default"],
        speed: ["fast", "standard"],
        inferenceGeo: ["us", "global"],
      }[meaning.field][whole ? 0 : 1];
      const member = { serviceTier: "service_tier", speed: "speed", inferenceGeo: "inference_geo" }[
        meaning.field
      ];
      return { usage: { [member]: value } };
    }
    case "tool":
      return { usage: { server_tool_use: { [`${meaning.tool}_requests`]: whole ? CALLS : 0 } } };
    case "modalities":
      return { usage: { [details.output]: { audio_tokens: whole ? AUDIO : 0 } } };
    case "media": {
      const place = meaning.media === "audioInput" ? details.input : details.output;
      return { usage: { [place]: { audio_tokens: whole ? AUDIO : 0 } } };
    }
    default:
      return { usage: {} };
  }
}

/** By hand, where the field reached its upstream and the answer tells this. */
function chargeOf(meaning: FieldMeaning, served: Served, upstream: Protocol): bigint {
  if (served === "downgraded") return BASE_NANO;
  switch (meaning.kind) {
    case "variant":
      if (meaning.field === "speed")
        return tokens(PROMPT, FAST.input) + tokens(ANSWER, FAST.output);
      return meaning.field === "serviceTier" ? BASE_NANO * 2n : (BASE_NANO * 11n) / 10n;
    case "tool":
      return BASE_NANO + BigInt(CALLS) * CALL_NANO;
    case "modalities":
    case "media": {
      // Messages have no place to tell tokens of sound.
      if (upstream === "anthropic") return BASE_NANO;
      if (meaning.kind === "media" && meaning.media === "audioInput")
        return BASE_NANO + tokens(AUDIO, BASE.audioInput - BASE.input);
      return BASE_NANO + tokens(AUDIO, BASE.audioOutput - BASE.output);
    }
    default:
      return BASE_NANO;
  }
}

interface Asked {
  readonly answer: ChatAnswer;
  /** What an upstream was asked, each time. */
  readonly requests: readonly RecordedRequest[];
}

/** A request without what is dearer, for the user of this play. */
function plainRequest(caller: Caller, user: string): Readonly<Record<string, unknown>> {
  const question = [{ role: "user", content: "a" }];
  switch (caller) {
    case "openai":
      return { max_tokens: 200, messages: question, user };
    case "anthropic":
      return { max_tokens: 200, messages: question, metadata: { user_id: user } };
    case "responses":
      return { max_output_tokens: 200, input: question, user };
  }
}

async function ask(
  secret: string,
  { caller, upstream }: Pair,
  model: string,
  one: Case,
  served: Served,
): Promise<Asked> {
  // An upstream of another protocol was not asked for it, and tells of nothing.
  const { usage } = caller === upstream ? reported(one.meaning, served, upstream) : { usage: {} };
  const play = scene.play((exchange) => {
    if (upstream === "openai") {
      const counts = {
        prompt_tokens: PROMPT,
        completion_tokens: ANSWER,
        total_tokens: PROMPT + ANSWER,
        ...usage,
      };
      exchange.json(200, openAiCompletion({ pieces: ["Yes."], usage: counts }));
    } else if (upstream === "responses") {
      const counts = responsesUsage(PROMPT, ANSWER, { ...usage });
      const items = [{ type: "message" as const, pieces: ["Yes."] }];
      exchange.json(200, responsesWhole({ items, usage: counts }));
    } else {
      const counts = { input_tokens: PROMPT, output_tokens: ANSWER, ...usage };
      exchange.json(
        200,
        anthropicMessage({ blocks: [{ type: "text", pieces: ["Yes."] }], usage: counts }),
      );
    }
  });
  const sent = {
    model: `${model}-${upstream}`,
    ...plainRequest(caller, play.user),
    ...one.body(caller),
  };
  const answer = await postChat(scene.gateway.url, secret, sent, CALLER_PATHS[caller]).answer;
  return { answer, requests: play.requests };
}

/** It is served without the tool, which its caller is told of, and costs what that costs. */
async function insistLeftOut(
  { answer, requests }: Asked,
  { name, shown = name, tool }: Case,
): Promise<void> {
  assert.equal(answer.status, 200, `${name}: ${answer.body.toString()}`);
  assert.equal(answer.headers["x-tollgate-dropped-tools"], tool, name);
  assert.equal(requests.length, 1, name);
  assert.ok(!requests[0]?.body.includes(`"${shown}"`), `${name} is sent on`);
  assert.equal((await scene.receipt(answer.requestId)).chargedNano, BASE_NANO, name);
}

for (const pair of PAIRS) {
  const { caller, upstream } = pair;

  test(`${pairName(pair)}: what has no price is refused by name, and no upstream is asked`, async () => {
    const { secret, accountId } = await scene.customer({ roubles: "10000" });
    // Every model with a Messages route has a price for writes.
    const cases = CASES.filter(({ meaning: { kind } }) => !/^cache(?:Write|Life)$/.test(kind));
    const leavesOut = ({ tool }: Case): boolean => caller === "responses" && tool !== undefined;
    await Promise.all(
      cases.map(async (one) => {
        const asked = await ask(secret, pair, "bare", one, "as asked");
        if (leavesOut(one)) return insistLeftOut(asked, one);
        const { answer, requests } = asked;
        assert.equal(answer.status, 400, `${one.name}: ${answer.body.toString()}`);
        const [field = ""] = Object.keys(one.body(caller));
        assert.ok(answer.body.includes(field), `${one.name}: ${answer.body.toString()}`);
        assert.equal(requests.length, 0, one.name);
      }),
    );
    const served = BigInt(cases.filter(leavesOut).length);
    assert.equal((await scene.money(accountId)).charged, served * BASE_NANO);
  });

  for (const served of ["as asked", "downgraded"] as const) {
    test(`${pairName(pair)}: what has a price is charged by it where it is used, served ${served}`, async () => {
      const { secret } = await scene.customer({ roubles: "10000" });
      await Promise.all(
        CASES.map(async (one) => {
          const may: readonly Translated[] = caller === upstream ? ["kept"] : one.may(pair);
          const asked = await ask(secret, pair, "priced", one, served);
          const { answer } = asked;
          if (answer.status !== 200) {
            assert.ok(may.includes("refused"), `${one.name}: ${answer.body.toString()}`);
            assert.equal(answer.status, 400, one.name);
            return;
          }
          assert.ok(may.includes("kept") || may.includes("dropped"), one.name);
          if (caller === "responses" && caller !== upstream && one.tool !== undefined)
            await insistLeftOut(asked, one);
          const { chargedNano } = await scene.receipt(answer.requestId);
          const reached = caller === upstream || may.includes("kept");
          const expected = reached ? chargeOf(one.meaning, served, upstream) : BASE_NANO;
          assert.equal(chargedNano, expected, `${one.name}, ${served}`);
        }),
      );
    });
  }
}
