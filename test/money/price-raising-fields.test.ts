/**
 * Guarantee: whichever protocols meet, every field that makes an upstream dearer is refused where
 * it has no price, charged by its price where it has one, and at the base price where the answer
 * says so or a translation drops it.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  RAISING_FIELDS,
  RAISING_PARTS,
  type FieldMeaning,
  type Translated,
} from "../../src/protocol/raises/raising-fields.ts";
import { VENDOR_TOOLS } from "../../src/protocol/raises/vendor-tools.ts";
import { anthropicMessage } from "../support/anthropic-stream.ts";
import { openChatScene, type ChatScene } from "../support/chat-scene.ts";
import { openAiCompletion } from "../support/openai-stream.ts";
import { postChat, type ChatAnswer } from "../support/post-chat.ts";
import { FIELD_VALUES, PART_VALUES } from "../support/price-raising-values.ts";
import {
  ELDER_PAIRS,
  pairName,
  PROTOCOLS,
  type ElderCaller,
  type Pair,
  type Protocol,
} from "../support/protocol-pairs.ts";
import { responsesUsage, responsesWhole } from "../support/responses-stream.ts";

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
  ...[...VENDOR_TOOLS].flatMap(([type, { kind }]) => (kind === "unpriced" ? [type] : [])),
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
  readonly body: Record<string, unknown>;
  readonly meaning: FieldMeaning;
  readonly translated: {
    readonly toMessages: readonly Translated[];
    readonly toChat: readonly Translated[];
  };
}

const CASES: readonly Case[] = [
  ...[...RAISING_FIELDS].map(
    ([
      name,
      {
        meaning,
        translated: { toMessages, toChat },
      },
    ]): Case => {
      // What stands in it is a tier.
      const asked: FieldMeaning =
        meaning.kind === "members" ? { kind: "variant", field: "serviceTier" } : meaning;
      return {
        name,
        body: { [name]: FIELD_VALUES[name] },
        meaning: asked,
        translated: { toMessages: [toMessages], toChat: [toChat] },
      };
    },
  ),
  ...[...RAISING_PARTS].map(
    ([
      name,
      {
        meaning,
        translated: { toMessages },
      },
    ]): Case => {
      const messages = [
        { role: "user", content: [{ type: "text", text: "b" }, PART_VALUES[name]] },
      ];
      return {
        name,
        body: { messages },
        meaning,
        translated: { toMessages: [toMessages], toChat: ["dropped", "refused"] },
      };
    },
  ),
  ...[...VENDOR_TOOLS].flatMap(([type, { kind, name }]): Case[] => {
    if (kind === "client" || kind === "free") return [];
    const meaning: FieldMeaning =
      kind === "paid" ? { kind: "tool", tool: name ?? type } : { kind: "unpriced" };
    return [
      {
        name: type,
        body: { tools: [{ type, name: "t" }] },
        meaning,
        translated: { toMessages: ["refused"], toChat: ["refused"] },
      },
    ];
  }),
];

/** What the answer says was used: as asked, or less. */
type Served = "as asked" | "downgraded";

/** What the answer tells beside its counts, by the places of its protocol. */
function reported(meaning: FieldMeaning, served: Served): { readonly usage: object } {
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
      return { usage: { completion_tokens_details: { audio_tokens: whole ? AUDIO : 0 } } };
    case "media": {
      const details =
        meaning.media === "audioInput" ? "prompt_tokens_details" : "completion_tokens_details";
      return { usage: { [details]: { audio_tokens: whole ? AUDIO : 0 } } };
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
  /** How often an upstream was asked. */
  readonly requests: number;
}

async function ask(
  secret: string,
  { caller, upstream }: Pair<ElderCaller>,
  model: string,
  { body, meaning }: Case,
  served: Served,
): Promise<Asked> {
  // An upstream of another protocol was not asked for it, and tells of nothing.
  const { usage } = caller === upstream ? reported(meaning, served) : { usage: {} };
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
  const whose = caller === "openai" ? { user: play.user } : { metadata: { user_id: play.user } };
  const sent = {
    model: `${model}-${upstream}`,
    max_tokens: 200,
    messages: [{ role: "user", content: "a" }],
    ...whose,
    ...body,
  };
  const answer = await postChat(
    scene.gateway.url,
    secret,
    sent,
    caller === "openai" ? "/v1/chat/completions" : "/v1/messages",
  ).answer;
  return { answer, requests: play.requests.length };
}

for (const pair of ELDER_PAIRS) {
  const { caller, upstream } = pair;

  test(`${pairName(pair)}: what has no price is refused by name, and no upstream is asked`, async () => {
    const { secret, accountId } = await scene.customer();
    for (const one of CASES) {
      // Every model with a Messages route has a price for writes.
      if (one.meaning.kind === "cacheWrite") continue;
      const { answer, requests } = await ask(secret, pair, "bare", one, "as asked");
      assert.equal(answer.status, 400, `${one.name}: ${answer.body.toString()}`);
      const [field = ""] = Object.keys(one.body);
      assert.ok(answer.body.includes(field), `${one.name}: ${answer.body.toString()}`);
      assert.equal(requests, 0, one.name);
    }
    assert.equal((await scene.money(accountId)).charged, 0n);
  });

  for (const served of ["as asked", "downgraded"] as const) {
    test(`${pairName(pair)}: what has a price is charged by it where it is used, served ${served}`, async () => {
      const { secret } = await scene.customer();
      for (const one of CASES) {
        const may =
          caller === upstream
            ? ["kept" as const]
            : caller === "openai"
              ? one.translated.toMessages
              : one.translated.toChat;
        const { answer } = await ask(secret, pair, "priced", one, served);
        if (answer.status !== 200) {
          assert.ok(may.includes("refused"), `${one.name}: ${answer.body.toString()}`);
          assert.equal(answer.status, 400, one.name);
          continue;
        }
        assert.ok(may.includes("kept") || may.includes("dropped"), one.name);
        const { chargedNano } = await scene.receipt(answer.requestId);
        const reached = caller === upstream || may.includes("kept");
        const expected = reached ? chargeOf(one.meaning, served, upstream) : BASE_NANO;
        assert.equal(chargedNano, expected, `${one.name}, ${served}`);
      }
    });
  }
}

for (const upstream of PROTOCOLS) {
  test(`a tier that a caller of Responses asks for, over an ${upstream} upstream, is charged where it is sent on, and refused without a price`, async () => {
    const { secret, accountId } = await scene.customer();
    const send = (model: string, usage: object) => {
      const { user, requests } = scene.play((exchange) => {
        if (upstream === "openai") {
          const counts = {
            prompt_tokens: PROMPT,
            completion_tokens: ANSWER,
            total_tokens: PROMPT + ANSWER,
          };
          exchange.json(200, openAiCompletion({ pieces: ["Yes."], usage: counts }));
        } else if (upstream === "responses") {
          const items = [{ type: "message" as const, pieces: ["Yes."] }];
          const counts = responsesUsage(PROMPT, ANSWER, { ...usage });
          exchange.json(200, responsesWhole({ items, usage: counts }));
        } else {
          const counts = { input_tokens: PROMPT, output_tokens: ANSWER };
          const blocks = [{ type: "text" as const, pieces: ["Yes."] }];
          exchange.json(200, anthropicMessage({ blocks, usage: counts }));
        }
      });
      const body = {
        model: `${model}-${upstream}`,
        input: "a",
        max_output_tokens: 200,
        service_tier: "priority",
        user,
      };
      return {
        requests,
        answer: postChat(scene.gateway.url, secret, body, "/v1/responses").answer,
      };
    };
    const bare = send("bare", {});
    const refused = await bare.answer;
    assert.equal(refused.status, 400, refused.body.toString());
    assert.ok(refused.body.includes("service_tier"), refused.body.toString());
    assert.equal(bare.requests.length, 0);
    assert.equal((await scene.money(accountId)).charged, 0n);

    const priced = send("priced", { service_tier: "priority" });
    const { requestId, status, body } = await priced.answer;
    assert.equal(status, 200, body.toString());
    const asked = priced.requests[0]?.body.toString() ?? "";
    const sentOn = asked.includes('"priority"');
    const { chargedNano } = await scene.receipt(requestId);
    assert.equal(chargedNano, sentOn ? BASE_NANO * 2n : BASE_NANO, asked);
    assert.equal(sentOn, upstream === "responses", asked);
  });
}
