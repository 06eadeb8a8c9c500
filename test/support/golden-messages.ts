/**
 * Messages in the shapes that Anthropic documents, each as its stream's events and as the whole
 * answer of the same upstream.
 */

type Json = Record<string, unknown>;

export interface GoldenMessage {
  readonly name: string;
  readonly events: readonly Json[];
  readonly whole: Json;
  /** All text that the model generated, as the gateway counts it. */
  readonly text: string;
}

const PING: Json = { type: "ping" };
const STOP: Json = { type: "message_stop" };

function start(usage: Json, rest: Json = {}): Json {
  return {
    type: "message_start",
    message: {
      model: "claude-sonnet",
      id: "msg_01Golden",
      type: "message",
      role: "assistant",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      ...rest,
      usage,
    },
  };
}

function whole(content: unknown[], stop: Json, usage: Json, rest: Json = {}): Json {
  return {
    model: "claude-sonnet",
    id: "msg_01Golden",
    type: "message",
    role: "assistant",
    content,
    ...stop,
    ...rest,
    usage,
  };
}

function block(index: number, begun: Json, deltas: readonly Json[]): Json[] {
  return [
    { type: "content_block_start", index, content_block: begun },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

const text = (piece: string): Json => ({ type: "text_delta", text: piece });
const thinking = (piece: string): Json => ({ type: "thinking_delta", thinking: piece });
const json = (piece: string): Json => ({ type: "input_json_delta", partial_json: piece });
const signature = (seal: string): Json => ({ type: "signature_delta", signature: seal });

const END_TURN: Json = { stop_reason: "end_turn", stop_sequence: null };
const TOOL_USE: Json = { stop_reason: "tool_use", stop_sequence: null };

const citation: Json = {
  type: "web_search_result_location",
  cited_text: "Волга — крупнейшая река Европы",
  url: "https://example.com/volga",
  title: "Волга",
  encrypted_index: "Eo8BCioIAhgB",
};
const found: Json[] = [
  {
    type: "web_search_result",
    url: "https://example.com/volga",
    title: "Волга",
    encrypted_content: "EqgfCioIARgB",
    page_age: "2 days ago",
  },
];

export const GOLDEN_MESSAGES: readonly GoldenMessage[] = [
  {
    name: "text",
    events: [
      start({
        input_tokens: 25,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 1,
        service_tier: "standard",
      }),
      ...block(0, { type: "text", text: "" }, [
        text("Здрав"),
        text("ствуйте"),
        text("! 👋🏽"),
      ]).toSpliced(1, 0, PING),
      { type: "message_delta", delta: END_TURN, usage: { output_tokens: 15 } },
      STOP,
    ],
    whole: whole([{ type: "text", text: "Здравствуйте! 👋🏽" }], END_TURN, {
      input_tokens: 25,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 15,
      service_tier: "standard",
    }),
    text: "Здравствуйте! 👋🏽",
  },
  {
    name: "thinking, sealed thinking, then text, with a cache and its split",
    events: [
      start({
        input_tokens: 4,
        cache_creation_input_tokens: 500,
        cache_read_input_tokens: 2000,
        cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 300 },
        output_tokens: 3,
        service_tier: "standard",
        inference_geo: "global",
      }),
      PING,
      ...block(0, { type: "thinking", thinking: "", signature: "" }, [
        thinking("Сначала "),
        thinking("сложим: 27 + 453"),
        signature("EqQBCgIYAhIM1gbcDa9GJwZA2b3h=="),
      ]),
      ...block(1, { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix" }, []),
      ...block(2, { type: "text", text: "" }, [text("480")]),
      {
        type: "message_delta",
        delta: { ...END_TURN, stop_details: null },
        usage: {
          input_tokens: 4,
          cache_creation_input_tokens: 500,
          cache_read_input_tokens: 2000,
          output_tokens: 60,
          output_tokens_details: { thinking_tokens: 50 },
        },
      },
      STOP,
    ],
    whole: whole(
      [
        {
          type: "thinking",
          thinking: "Сначала сложим: 27 + 453",
          signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3h==",
        },
        { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix" },
        { type: "text", text: "480" },
      ],
      END_TURN,
      {
        input_tokens: 4,
        cache_creation_input_tokens: 500,
        cache_read_input_tokens: 2000,
        cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 300 },
        output_tokens: 60,
        service_tier: "standard",
        inference_geo: "global",
        output_tokens_details: { thinking_tokens: 50 },
      },
      { stop_details: null },
    ),
    text: "Сначала сложим: 27 + 453480",
  },
  {
    name: "text and two tool calls, one of them without arguments",
    events: [
      start({ input_tokens: 472, output_tokens: 2 }),
      ...block(0, { type: "text", text: "" }, [text("Проверю.")]),
      ...block(1, { type: "tool_use", id: "toolu_01A", name: "get_weather", input: {} }, [
        json(""),
        json('{"location":'),
        json(' "Нижний'),
        json(' Новгород", "days": 1.0'),
        json(', "id": 12345678901234567890}'),
      ]),
      ...block(2, { type: "tool_use", id: "toolu_01B", name: "get_time", input: {} }, [json("")]),
      { type: "message_delta", delta: TOOL_USE, usage: { output_tokens: 89 } },
      STOP,
    ],
    whole: whole(
      [
        { type: "text", text: "Проверю." },
        {
          type: "tool_use",
          id: "toolu_01A",
          name: "get_weather",
          // What JSON.parse makes of it; the number itself is looked at where exactness is tested.
          input: { location: "Нижний Новгород", days: 1, id: Number("12345678901234567890") },
        },
        { type: "tool_use", id: "toolu_01B", name: "get_time", input: {} },
      ],
      TOOL_USE,
      { input_tokens: 472, output_tokens: 89 },
    ),
    text: 'Проверю.get_weather{"location": "Нижний Новгород", "days": 1.0, "id": 12345678901234567890}get_time',
  },
  {
    name: "a search by the server, cited, in a container",
    events: [
      start(
        {
          input_tokens: 2679,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          output_tokens: 3,
        },
        { container: null },
      ),
      ...block(0, { type: "server_tool_use", id: "srvtoolu_01", name: "web_search", input: {} }, [
        json('{"query":'),
        json(' "Волга"}'),
      ]),
      ...block(
        1,
        { type: "web_search_tool_result", tool_use_id: "srvtoolu_01", content: found },
        [],
      ),
      ...block(2, { type: "text", text: "", citations: [] }, [
        { type: "citations_delta", citation },
        text("Крупнейшая река Европы — Волга."),
        { type: "citations_delta", citation: { ...citation, cited_text: "длина 3530 км" } },
      ]),
      {
        type: "message_delta",
        delta: {
          ...END_TURN,
          container: { id: "container_01", expires_at: "2026-01-01T00:00:00Z", skills: null },
        },
        usage: {
          input_tokens: 10_682,
          cache_creation_input_tokens: 0,
          output_tokens: 510,
          server_tool_use: { web_search_requests: 1 },
        },
      },
      STOP,
    ],
    whole: whole(
      [
        {
          type: "server_tool_use",
          id: "srvtoolu_01",
          name: "web_search",
          input: { query: "Волга" },
        },
        { type: "web_search_tool_result", tool_use_id: "srvtoolu_01", content: found },
        {
          type: "text",
          text: "Крупнейшая река Европы — Волга.",
          citations: [citation, { ...citation, cited_text: "длина 3530 км" }],
        },
      ],
      END_TURN,
      {
        input_tokens: 10_682,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 510,
        server_tool_use: { web_search_requests: 1 },
      },
      { container: { id: "container_01", expires_at: "2026-01-01T00:00:00Z", skills: null } },
    ),
    text: 'web_search{"query": "Волга"}Крупнейшая река Европы — Волга.',
  },
  {
    name: "a stop sequence",
    events: [
      start({ input_tokens: 9, output_tokens: 1 }),
      ...block(0, { type: "text", text: "" }, [text("раз, два")]),
      {
        type: "message_delta",
        delta: { stop_reason: "stop_sequence", stop_sequence: ", три" },
        usage: { output_tokens: 5 },
      },
      STOP,
    ],
    whole: whole(
      [{ type: "text", text: "раз, два" }],
      { stop_reason: "stop_sequence", stop_sequence: ", три" },
      { input_tokens: 9, output_tokens: 5 },
    ),
    text: "раз, два",
  },
  {
    name: "a refusal before any content",
    events: [
      start({ input_tokens: 9, output_tokens: 0 }, { stop_details: null }),
      {
        type: "message_delta",
        delta: {
          stop_reason: "refusal",
          stop_sequence: null,
          stop_details: { type: "refusal", category: "cyber", explanation: "Не помогу с этим." },
        },
        usage: { output_tokens: 0 },
      },
      STOP,
    ],
    whole: whole(
      [],
      {
        stop_reason: "refusal",
        stop_sequence: null,
        stop_details: { type: "refusal", category: "cyber", explanation: "Не помогу с этим." },
      },
      { input_tokens: 9, output_tokens: 0 },
    ),
    text: "",
  },
];
