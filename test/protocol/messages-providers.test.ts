/**
 * Guarantee: what the providers of the Messages protocol really send reaches callers of both
 * protocols whole, streamed, whole and assembled, and is charged as they count it
 * (hazards §4, §21, §118 to §122).
 */
import { after, before, test } from "node:test";
import { openChatScene, type ChatScene } from "../support/chat-scene.ts";
import { pairsCatalogue } from "../support/protocol-pairs.ts";
import { checkRecording, type Recording } from "../support/provider-recording.ts";
import { sseEvent } from "../support/sse-event.ts";

let scene: ChatScene;
before(async () => {
  scene = await openChatScene({ catalogue: (url) => pairsCatalogue(url) });
});
after(() => scene.close());

const TOKENS = { input: 17, output: 9 };
const WEATHER = { id: "toolu_a", name: "get_weather", input: { city: "Москва" } };

const event = (type: string, fields: object = {}): string =>
  String(sseEvent({ type, ...fields }, type));
const message = (
  usage: unknown,
  content: readonly object[] = [],
  stopReason: string | null = null,
) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "recorded",
  content,
  stop_reason: stopReason,
  stop_sequence: null,
  usage,
});
const start = (usage: unknown): string => event("message_start", { message: message(usage) });
/** A block with its deltas. */
const block = (index: number, content: object, ...deltas: readonly object[]): string[] => [
  event("content_block_start", { index, content_block: content }),
  ...deltas.map((delta) => event("content_block_delta", { index, delta })),
  event("content_block_stop", { index }),
];
const text = (index: number, ...pieces: readonly string[]): string[] =>
  block(
    index,
    { type: "text", text: "" },
    ...pieces.map((piece) => ({ type: "text_delta", text: piece })),
  );
const input = (...pieces: readonly string[]) =>
  pieces.map((piece) => ({ type: "input_json_delta", partial_json: piece }));
const end = (stopReason: string | null, usage: unknown): string =>
  event("message_delta", { delta: { stop_reason: stopReason, stop_sequence: null }, usage });
const STOP = event("message_stop");
const PING = event("ping");

/** Of Anthropic, whose first count of the output is a placeholder. */
const FIRST = { input_tokens: 17, output_tokens: 1 };
const LAST = { output_tokens: 9 };
const HELLO: Recording["says"] = { text: "Привет", finish: "stop" };

const RECORDINGS: readonly Recording[] = [
  {
    name: "Anthropic: thinking, a search of its own, citations and a call; the usage grows with the search",
    stream: [
      start({
        input_tokens: 10,
        cache_creation_input_tokens: 6,
        cache_read_input_tokens: 4,
        cache_creation: { ephemeral_5m_input_tokens: 6, ephemeral_1h_input_tokens: 0 },
        output_tokens: 1,
        service_tier: "standard",
      }),
      PING,
      ...block(
        0,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "думаю" },
        { type: "signature_delta", signature: "c2ln" },
      ),
      ...block(1, { type: "redacted_thinking", data: "ZGF0YQ==" }),
      ...block(
        2,
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
        ...input("", '{"query":"погода"}'),
      ),
      ...block(3, {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_1",
        content: [
          {
            type: "web_search_result",
            title: "t",
            url: "https://example.com",
            encrypted_content: "x",
            page_age: null,
          },
        ],
      }),
      ...block(
        4,
        { type: "text", text: "", citations: [] },
        {
          type: "citations_delta",
          citation: {
            type: "web_search_result_location",
            cited_text: "c",
            url: "https://example.com",
          },
        },
        { type: "text_delta", text: "Привет" },
      ),
      ...block(
        5,
        { type: "tool_use", id: "toolu_a", name: "get_weather", input: {} },
        ...input("", '{"city":', '"Москва"}'),
      ),
      end("tool_use", {
        input_tokens: 30,
        cache_creation_input_tokens: 6,
        cache_read_input_tokens: 4,
        output_tokens: 50,
        server_tool_use: { web_search_requests: 1 },
      }),
      STOP,
    ],
    says: { text: "Привет", thinking: "думаю", calls: [WEATHER], finish: "calls" },
    tokens: { input: 30, cached: 4, written: 6, output: 50 },
  },
  ...(["refusal", "pause_turn", "model_context_window_exceeded"] as const).map(
    (reason): Recording => ({
      name: `Anthropic: the stop reason ${reason}`,
      stream: [start(FIRST), ...text(0, "Привет"), end(reason, LAST), STOP],
      whole: message(
        { input_tokens: 17, output_tokens: 9 },
        [{ type: "text", text: "Привет" }],
        reason,
      ),
      says: {
        text: "Привет",
        finish: reason === "refusal" ? "refusal" : reason === "pause_turn" ? "stop" : "full",
      },
      ownFinish: reason,
      tokens: TOKENS,
    }),
  ),
  {
    name: "Anthropic: nulls for all that does not apply",
    stream: [
      start({
        ...FIRST,
        cache_creation_input_tokens: null,
        cache_read_input_tokens: null,
        cache_creation: null,
        server_tool_use: null,
      }),
      ...text(0, "При", "вет"),
      end("end_turn", {
        ...LAST,
        input_tokens: null,
        cache_creation_input_tokens: null,
        cache_read_input_tokens: null,
      }),
      STOP,
    ],
    says: HELLO,
    tokens: TOKENS,
  },
  {
    name: "Zhipu and Kimi: nothing known at the start, all at the end, no ping",
    stream: [
      start({ input_tokens: 0, output_tokens: 0 }),
      ...text(0, "При", "вет"),
      end("end_turn", {
        input_tokens: 17,
        output_tokens: 9,
        cache_read_input_tokens: 5,
        server_tool_use: { web_search_requests: 0 },
      }),
      STOP,
    ],
    says: HELLO,
    tokens: { ...TOKENS, cached: 5 },
  },
  {
    name: "SGLang: the prompt told at the start, and as zero at the end",
    stream: [
      start({ input_tokens: 17, output_tokens: 0 }),
      ...text(0, "Привет"),
      end("end_turn", { input_tokens: 0, output_tokens: 9 }),
      STOP,
    ],
    says: HELLO,
    tokens: TOKENS,
  },
  {
    name: "a prompt that is told as cached only at the end",
    stream: [
      start(FIRST),
      ...text(0, "Привет"),
      end("end_turn", { input_tokens: 0, cache_read_input_tokens: 17, output_tokens: 9 }),
      STOP,
    ],
    says: HELLO,
    tokens: { cached: 17, output: 9 },
  },
  {
    name: "MiniMax: the whole message once more before the end",
    stream: [
      start({ input_tokens: 0, output_tokens: 0 }),
      ...text(0, "При", "вет"),
      end("end_turn", { input_tokens: 17, output_tokens: 9 }),
      String(
        sseEvent(
          message(
            { input_tokens: 17, output_tokens: 9 },
            [{ type: "text", text: "Привет" }],
            "end_turn",
          ),
        ),
      ),
      STOP,
    ],
    says: HELLO,
    tokens: TOKENS,
  },
  {
    name: "Vertex and Bedrock: an event before the start, figures in the last, usage twice, and the end mark of another protocol",
    stream: [
      event("vertex_event"),
      start(FIRST),
      ...text(0, "Привет"),
      end(null, { output_tokens: 5 }),
      end("end_turn", LAST),
      event("message_stop", {
        "amazon-bedrock-invocationMetrics": { inputTokenCount: 17, outputTokenCount: 9 },
      }),
      "data: [DONE]\n\n",
    ],
    says: HELLO,
    tokens: TOKENS,
  },
  {
    name: "a provider that streams whatever it is asked",
    stream: [start(FIRST), PING, ...text(0, "При", "вет"), end("end_turn", LAST), STOP],
    alwaysStreams: true,
    says: HELLO,
    tokens: TOKENS,
  },
  {
    name: "a proxy that leaves the names of events out and ends lines with CRLF",
    stream: [start(FIRST), ...text(0, "При", "вет"), end("end_turn", LAST), STOP].map((reported) =>
      reported.replace(/^event: .*\n/, "").replaceAll("\n", "\r\n"),
    ),
    says: HELLO,
    tokens: TOKENS,
  },
  {
    name: "a proxy that gives text and input with the start of their blocks, and forgets to close one",
    stream: [
      start(FIRST),
      event("content_block_start", { index: 0, content_block: { type: "text", text: "При" } }),
      event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "вет" } }),
      ...block(1, { type: "tool_use", ...WEATHER }),
      end("tool_use", LAST),
      STOP,
    ],
    says: { text: "Привет", calls: [WEATHER], finish: "calls" },
    tokens: TOKENS,
  },
];

for (const recording of RECORDINGS)
  test(recording.name, () => checkRecording(scene, "anthropic", recording));

test("the books agree after all of this", () => scene.verifyBooks());
