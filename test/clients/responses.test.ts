/**
 * Guarantee: clients of the Responses protocol work over upstreams of every other protocol as over
 * its own: every event as strict clients check it, tools and their results, structured answers,
 * earlier thinking, and the same price as at the other endpoints.
 */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseFunctionToolCall,
  ResponseInputItem,
  ResponseOutputItem,
  ResponseReasoningItem,
} from "openai/resources/responses/responses";
import { assertResponse, assertResponseStream } from "../support/strict-response.ts";
import { PROTOCOLS } from "../support/protocol-pairs.ts";
import { WEATHER } from "./chat-client.ts";
import { openMatrixScene, type MatrixScene, type WatchedEndpoint } from "./matrix-scene.ts";

let scene: MatrixScene;
before(async () => {
  scene = await openMatrixScene();
});
after(() => scene.close());

type Body = Omit<ResponseCreateParamsNonStreaming, "model" | "stream">;

const TOOLS = [
  {
    type: "function" as const,
    name: "get_time",
    description: "Который час",
    strict: false,
    parameters: {
      type: "object",
      properties: { zone: { type: "string", enum: ["UTC", "MSK"] } },
      required: ["zone"],
    },
  },
];
/** With 45 roubles a worst case of 20,000 tokens is too much to hold, so the answer is assembled. */
const WAYS = [
  { way: "whole", roubles: "100", streamed: false },
  { way: "assembled", roubles: "45", streamed: false },
  { way: "streamed", roubles: "100", streamed: true },
] as const;

function sdk({ url, secret, fetch }: WatchedEndpoint): OpenAI {
  return new OpenAI({ apiKey: secret, baseURL: `${url}/v1`, maxRetries: 0, fetch });
}

/** The items of an answer go back as they came; the SDK's types say less of them. */
function back(output: readonly ResponseOutputItem[]): ResponseInputItem[] {
  return output as ResponseInputItem[];
}

function callIn(output: readonly ResponseOutputItem[]): ResponseFunctionToolCall {
  return (
    output.find((item): item is ResponseFunctionToolCall => item.type === "function_call") ??
    assert.fail("no call")
  );
}

/** Through every event where it is streamed; the response, by its schema. */
async function ask(endpoint: WatchedEndpoint, body: Body, streamed: boolean) {
  const params = { model: endpoint.model, max_output_tokens: 20_000, ...body };
  const client = sdk(endpoint).responses;
  if (!streamed) {
    const response = await client.create(params);
    const { output_text: _added, _request_id: _id, ...resource } = { _request_id: "", ...response };
    assertResponse(resource);
    return response;
  }
  const events: unknown[] = [];
  const stream = client.stream({ ...params, stream: true });
  stream.on("event", ({ ...event }) => {
    // The helper adds the text so far to its deltas.
    if ("snapshot" in event) delete event.snapshot;
    events.push(event);
  });
  const final = await stream.finalResponse();
  const last = assertResponseStream(
    events.map((event) => JSON.parse(JSON.stringify(event)) as unknown),
  );
  assert.deepEqual(
    final.output.map(({ id }) => id),
    (last["output"] as { id: string }[]).map(({ id }) => id),
  );
  return final;
}

/** How clients whose answers are kept go on: none of them sends the thought itself with its seal. */
type GoOn = (first: Response, input: ResponseInputItem[], result: ResponseInputItem) => Body;
const GOING_ON: readonly (readonly [string, GoOn])[] = [
  [
    "by the answer's id",
    ({ id }, _input, result) => ({ previous_response_id: id, input: [result] }),
  ],
  [
    "by a reference to the thought",
    ({ output }, input, result) => ({
      input: [
        ...input,
        ...output.map((item) =>
          item.type === "reasoning"
            ? { type: "item_reference" as const, id: item.id }
            : (item as ResponseInputItem),
        ),
        result,
      ],
    }),
  ],
  [
    "with the items as they came",
    ({ output }, input, result) => ({ input: [...input, ...back(output), result] }),
  ],
];

async function open(upstream: (typeof PROTOCOLS)[number], roubles: string) {
  const customer = await scene.chat.customer({ roubles });
  return { customer, endpoint: scene.endpoint(upstream, customer.secret) };
}

for (const upstream of PROTOCOLS) {
  suite(`over an ${upstream} upstream`, () => {
    for (const { way, roubles, streamed } of WAYS) {
      test(`text, ${way}: said, counted, and charged as at Chat Completions`, async () => {
        const { endpoint } = await open(upstream, roubles);
        const response = await ask(
          endpoint,
          { instructions: "Будь краток.", input: "Привет, мир 👋🏽" },
          streamed,
        );
        assert.match(response.output_text, /Привет, мир 👋🏽.*Будь краток/);
        assert.equal(response.status, "completed");
        const receipt = await endpoint.receipt(0);
        assert.deepEqual([receipt.endpoint, receipt.state], ["responses", "completed"]);
        const other = scene.endpoint(upstream, endpoint.secret);
        const chat = await sdk(other).chat.completions.create({
          model: endpoint.model,
          max_completion_tokens: 20_000,
          messages: [
            { role: "system", content: "Будь краток." },
            { role: "user", content: "Привет, мир 👋🏽" },
          ],
        });
        assert.deepEqual(
          [response.usage?.input_tokens, response.usage?.output_tokens],
          [chat.usage?.prompt_tokens, chat.usage?.completion_tokens],
        );
        assert.equal(receipt.chargedNano, (await other.receipt(0)).chargedNano);
      });

      test(`a tool is called, and its result answered, ${way}`, async () => {
        const { endpoint } = await open(upstream, roubles);
        const input = [{ role: "user" as const, content: "Вызови get_time" }];
        const first = await ask(endpoint, { input, tools: TOOLS }, streamed);
        const call = callIn(first.output);
        assert.deepEqual([call.name, JSON.parse(call.arguments)], ["get_time", { zone: "UTC" }]);
        const second = await ask(
          endpoint,
          {
            input: [
              ...input,
              ...back(first.output),
              { type: "function_call_output", call_id: call.call_id, output: "полдень" },
            ],
            tools: TOOLS,
          },
          streamed,
        );
        assert.match(second.output_text, /get_time.*полдень/);
      });

      test(`thinking is shown, and goes on after a call, ${way}`, async () => {
        const { endpoint } = await open(upstream, roubles);
        const input = [
          { role: "user" as const, content: "Сначала подумай, потом вызови get_time" },
        ];
        const more = {
          tools: TOOLS,
          reasoning: { effort: "low" as const, summary: "auto" as const },
          include: ["reasoning.encrypted_content" as const],
        };
        const first = await ask(endpoint, { input, ...more }, streamed);
        const thought = first.output[0] as ResponseReasoningItem;
        const call = callIn(first.output);
        assert.equal(thought.type, "reasoning");
        assert.match(thought.summary[0]?.text ?? "", /песочница/);
        assert.equal(typeof thought.encrypted_content === "string", upstream !== "openai");
        const result = {
          type: "function_call_output" as const,
          call_id: call.call_id,
          output: "12:00",
        };
        const second = await ask(
          endpoint,
          { input: [...input, ...back(first.output), result], ...more },
          streamed,
        );
        assert.equal(second.output[0]?.type, "reasoning", "it thinks on");
      });
    }

    for (const [how, goOn] of GOING_ON)
      test(`thinking whose seal was not asked for goes on after a call, ${how}`, async () => {
        const { endpoint } = await open(upstream, "100");
        const input = [
          { role: "user" as const, content: "Сначала подумай, потом вызови get_time" },
        ];
        const more = {
          tools: TOOLS,
          reasoning: { effort: "low" as const, summary: "auto" as const },
        };
        const first = await ask(endpoint, { input, ...more }, true);
        const call = callIn(first.output);
        const result = {
          type: "function_call_output" as const,
          call_id: call.call_id,
          output: "12:00",
        };
        const second = await ask(endpoint, { ...goOn(first, input, result), ...more }, true);
        assert.match(second.output_text, /get_time.*12:00/);
        assert.equal(second.output[0]?.type, "reasoning", "it thinks on");
      });

    test("a structured answer is parsed by the SDK's own helper", async () => {
      const { endpoint } = await open(upstream, "100");
      const parsed = await sdk(endpoint).responses.parse({
        model: endpoint.model,
        input: "Погода",
        max_output_tokens: 2000,
        text: { format: zodTextFormat(WEATHER, "weather") },
      });
      assert.deepEqual(parsed.output_parsed, { city: "sample city", temperature: 1, sunny: true });
    });

    test("a limit of tokens is an incomplete response", async () => {
      const { endpoint } = await open(upstream, "100");
      const response = await ask(
        endpoint,
        { input: "Раз два три четыре пять шесть семь восемь", max_output_tokens: 16 },
        true,
      );
      assert.deepEqual(
        [response.status, response.incomplete_details],
        ["incomplete", { reason: "max_output_tokens" }],
      );
    });

    test("tools that nobody here runs are left out, and named in a header and on the receipt", async () => {
      const { endpoint, customer } = await open(upstream, "100");
      const answer = await endpoint.fetch(`${endpoint.url}/v1/responses`, {
        method: "POST",
        headers: { authorization: `Bearer ${customer.secret}` },
        body: JSON.stringify({
          model: endpoint.model,
          input: "Привет",
          tools: [
            { type: "web_search", external_web_access: true },
            { type: "file_search", vector_store_ids: ["vs_1"] },
            { type: "code_interpreter", container: { type: "auto" } },
            { type: "mcp", server_label: "x", server_url: "https://a.example" },
            { type: "local_shell" },
          ],
        }),
      });
      assert.equal(answer.status, 200);
      const names = ["web_search", "file_search", "code_interpreter", "mcp"];
      // An upstream of this protocol knows the tool, and its caller runs it.
      if (upstream !== "responses") names.push("local_shell");
      assert.equal(answer.headers.get("x-tollgate-dropped-tools"), names.join(", "));
      const { detail } = await endpoint.receipt(0);
      assert.deepEqual(detail["droppedTools"], names);
    });
  });
}

test("what cannot be done is refused in OpenAI's shape, by the name of its field", async () => {
  const { endpoint } = await open("openai", "100");
  const refused = async (body: object): Promise<readonly unknown[]> => {
    const answer = await endpoint.fetch(`${endpoint.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${endpoint.secret}` },
      body: JSON.stringify({ model: endpoint.model, input: "x", ...body }),
    });
    const { error } = (await answer.json()) as { error: { param: string; code: string } };
    return [answer.status, error.code, error.param];
  };
  const bad = (param: string): readonly unknown[] => [400, "invalid_request", param];
  assert.deepEqual(await refused({ background: true }), bad("background"));
  assert.deepEqual(await refused({ previous_response_id: "resp_1" }), [
    400,
    "previous_response_not_found",
    "previous_response_id",
  ]);
  assert.deepEqual(await refused({ input: 1 }), bad("input"));
  assert.deepEqual(await refused({ service_tier: "priority" }), bad("service_tier"));
  assert.deepEqual(await refused({ input: [{ type: "item_reference", id: "msg_1" }] }), [
    404,
    "not_found",
    "input",
  ]);
});

test("a WebSocket is told at once that HTTP is spoken", async () => {
  const { url } = (await open("openai", "0")).endpoint;
  const { request } = await import("node:http");
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const asking = request(`${url}/v1/responses`, {
      headers: { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" },
    });
    asking.on("response", (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asking.on("error", reject);
    asking.end();
  });
  assert.equal(status, 426);
});
