/**
 * A strict reader of Responses answers, by the public reference (Open Responses, and OpenAI's for
 * what that leaves out): every event and the whole resource by a schema, and the order of events.
 */
import assert from "node:assert/strict";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import Type, { type TSchema } from "typebox";
import { Compile } from "typebox/compile";

export type ResponseEvent = Record<string, unknown> & { readonly type: string };

const text = Type.String();
const whole = Type.Integer({ minimum: 0 });
const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()]);
const anything = Type.Unknown();

const OUTPUT_TEXT = Type.Object({
  type: Type.Literal("output_text"),
  text,
  annotations: Type.Array(anything),
  logprobs: Type.Array(anything),
});
const REFUSAL = Type.Object({ type: Type.Literal("refusal"), refusal: text });
const CONTENT = Type.Union([OUTPUT_TEXT, REFUSAL]);
const SUMMARY = Type.Object({ type: Type.Literal("summary_text"), text });
const STATUS = Type.Enum(["in_progress", "completed", "incomplete"]);

const MESSAGE = Type.Object({
  type: Type.Literal("message"),
  id: Type.String({ pattern: "^msg_" }),
  status: STATUS,
  role: Type.Literal("assistant"),
  content: Type.Array(CONTENT),
});
const REASONING = Type.Object({
  type: Type.Literal("reasoning"),
  id: Type.String({ pattern: "^rs_" }),
  summary: Type.Array(SUMMARY),
  encrypted_content: Type.Optional(Type.String({ minLength: 1 })),
});
const CALL = {
  call_id: Type.String({ minLength: 1 }),
  name: Type.String({ minLength: 1 }),
  namespace: Type.Optional(Type.String({ minLength: 1 })),
  status: STATUS,
};
const FUNCTION_CALL = Type.Object({
  type: Type.Literal("function_call"),
  id: Type.String({ pattern: "^fc_" }),
  arguments: text,
  ...CALL,
});
const CUSTOM_CALL = Type.Object({
  type: Type.Literal("custom_tool_call"),
  id: Type.String({ pattern: "^ctc_" }),
  input: text,
  ...CALL,
});
const SEARCH_CALL = Type.Object({
  type: Type.Literal("tool_search_call"),
  id: Type.String({ pattern: "^tsc_" }),
  call_id: Type.String({ minLength: 1 }),
  execution: Type.Literal("client"),
  arguments: Type.Object({}),
  status: STATUS,
});
const ITEM = Type.Union([MESSAGE, REASONING, FUNCTION_CALL, CUSTOM_CALL, SEARCH_CALL]);

const USAGE = Type.Object({
  input_tokens: whole,
  input_tokens_details: Type.Object({ cached_tokens: whole }),
  output_tokens: whole,
  output_tokens_details: Type.Object({ reasoning_tokens: whole }),
  total_tokens: whole,
});

const RESPONSE = Type.Object({
  id: Type.String({ pattern: "^resp_" }),
  object: Type.Literal("response"),
  created_at: whole,
  completed_at: nullable(whole),
  status: Type.Enum(["in_progress", "completed", "incomplete", "failed"]),
  incomplete_details: nullable(Type.Object({ reason: text })),
  error: nullable(Type.Object({ code: text, message: text })),
  model: Type.String({ minLength: 1 }),
  previous_response_id: nullable(text),
  instructions: nullable(text),
  output: Type.Array(ITEM),
  tools: Type.Array(Type.Object({ type: text })),
  tool_choice: Type.Union([
    Type.Enum(["none", "auto", "required"]),
    Type.Object({ type: Type.Enum(["function", "custom", "allowed_tools"]) }),
  ]),
  truncation: Type.Enum(["auto", "disabled"]),
  parallel_tool_calls: Type.Boolean(),
  text: Type.Object({ format: Type.Object({ type: text }) }),
  top_p: Type.Number(),
  // Open Responses has them; OpenAI, whose own answers pass as they are, has not.
  presence_penalty: Type.Optional(Type.Number()),
  frequency_penalty: Type.Optional(Type.Number()),
  top_logprobs: whole,
  temperature: Type.Number(),
  reasoning: nullable(Type.Object({ effort: nullable(text), summary: nullable(text) })),
  usage: nullable(USAGE),
  max_output_tokens: nullable(whole),
  max_tool_calls: nullable(whole),
  store: Type.Boolean(),
  background: Type.Literal(false),
  service_tier: text,
  metadata: Type.Object({}),
  safety_identifier: nullable(text),
  prompt_cache_key: nullable(text),
});

const ITEM_PLACE = { item_id: text, output_index: whole };
const CONTENT_PLACE = { ...ITEM_PLACE, content_index: whole };
const SUMMARY_PLACE = { ...ITEM_PLACE, summary_index: whole };
const LOGPROBS = { logprobs: Type.Array(anything) };

/** By type, which the official SDK knows: what an event has besides its type and number. */
const EVENTS: Readonly<
  Partial<Record<ResponseStreamEvent["type"], Readonly<Record<string, TSchema>>>>
> = {
  "response.created": { response: RESPONSE },
  "response.in_progress": { response: RESPONSE },
  "response.completed": { response: RESPONSE },
  "response.incomplete": { response: RESPONSE },
  "response.failed": { response: RESPONSE },
  "response.output_item.added": { output_index: whole, item: ITEM },
  "response.output_item.done": { output_index: whole, item: ITEM },
  "response.content_part.added": { ...CONTENT_PLACE, part: CONTENT },
  "response.content_part.done": { ...CONTENT_PLACE, part: CONTENT },
  "response.output_text.delta": { ...CONTENT_PLACE, delta: text, ...LOGPROBS },
  "response.output_text.done": { ...CONTENT_PLACE, text, ...LOGPROBS },
  "response.refusal.delta": { ...CONTENT_PLACE, delta: text },
  "response.refusal.done": { ...CONTENT_PLACE, refusal: text },
  "response.reasoning_summary_part.added": { ...SUMMARY_PLACE, part: SUMMARY },
  "response.reasoning_summary_part.done": { ...SUMMARY_PLACE, part: SUMMARY },
  "response.reasoning_summary_text.delta": { ...SUMMARY_PLACE, delta: text },
  "response.reasoning_summary_text.done": { ...SUMMARY_PLACE, text },
  "response.function_call_arguments.delta": { ...ITEM_PLACE, delta: text },
  "response.function_call_arguments.done": { ...ITEM_PLACE, arguments: text },
  "response.custom_tool_call_input.delta": { ...ITEM_PLACE, delta: text },
  "response.custom_tool_call_input.done": { ...ITEM_PLACE, input: text },
};
type Checked = ReturnType<typeof Compile>;

/** Compiled: tests of every cut read many thousands of events. */
const CHECKED: ReadonlyMap<string, Checked> = new Map(
  Object.entries(EVENTS).map(([type, fields]) => [
    type,
    Compile(Type.Object({ type: Type.Literal(type), sequence_number: whole, ...fields })),
  ]),
);
const CHECKED_RESPONSE = Compile(RESPONSE);
const ENDS = ["response.completed", "response.incomplete", "response.failed"];

function assertShape(checked: Checked, value: unknown, what: string): void {
  if (checked.Check(value)) return;
  const mistakes = checked.Errors(value).map((error) => `${error.instancePath} ${error.message}`);
  assert.fail(`${what}: ${mistakes.join("; ")} in ${JSON.stringify(value)}`);
}

/** Every field of a whole response, by its schema. */
export function assertResponse(response: unknown): Record<string, unknown> {
  assertShape(CHECKED_RESPONSE, response, "the response");
  return response as Record<string, unknown>;
}

interface OpenItem {
  readonly item: Record<string, unknown>;
  part: Record<string, unknown> | null;
  /** What the deltas of the open part, or of the call, have said. */
  text: string;
  parts: number;
  done: Record<string, unknown> | null;
}

type Fields = Record<string, unknown>;

/** Which text of an item or a part an event tells whole. */
const DONE_TEXTS: Readonly<Record<string, string>> = {
  "response.output_text.done": "text",
  "response.refusal.done": "refusal",
  "response.reasoning_summary_text.done": "text",
  "response.function_call_arguments.done": "arguments",
  "response.custom_tool_call_input.done": "input",
};

class StreamCheck {
  readonly #items: OpenItem[] = [];
  /** Of a stream that ends in failure, or was cut off: not every item has its end. */
  end: ResponseEvent | null = null;
  #number = 0;

  add(event: ResponseEvent): void {
    const { type } = event;
    const checked = CHECKED.get(type);
    assert.ok(checked !== undefined, `an event of no known type: ${type}`);
    assertShape(checked, event, type);
    assert.equal(event["sequence_number"], this.#number, `the number of ${type}`);
    assert.equal(this.end, null, `${type} after the end`);
    const first = ["response.created", "response.in_progress"][this.#number];
    if (first !== undefined) assert.equal(type, first, "the beginning");
    this.#number += 1;
    if (ENDS.includes(type)) return this.#finish(event);
    if (first === undefined) this.#within(event);
  }

  #within(event: ResponseEvent): void {
    const { type, output_index: index, item } = event;
    if (type === "response.output_item.added") {
      assert.equal(index, this.#items.length, "items come in the order of their places");
      this.#items.push({ item: item as Fields, part: null, text: "", parts: 0, done: null });
      return;
    }
    const open = this.#items[Number(index)];
    assert.ok(open !== undefined && open.done === null, `${type} of an item that is not open`);
    if (type === "response.output_item.done") {
      assert.equal(open.part, null, "an item that ends has ended its parts");
      assert.equal((item as Fields)["id"], open.item["id"]);
      assert.equal((item as Fields)["type"], open.item["type"]);
      open.done = item as Fields;
      return;
    }
    assert.equal(event["item_id"], open.item["id"]);
    if (type.endsWith("part.added")) return this.#partAdded(open, event);
    if (type.endsWith("part.done")) return this.#partDone(open, event);
    if (typeof event["delta"] === "string") open.text += event["delta"];
    const member = DONE_TEXTS[type];
    if (member !== undefined) assert.equal(event[member], open.text, `the text of ${type}`);
  }

  #partAdded(open: OpenItem, event: ResponseEvent): void {
    assert.equal(open.part, null, "a part begins after the end of the one before it");
    assert.equal(event["content_index"] ?? event["summary_index"], open.parts);
    open.part = event["part"] as Fields;
    open.text = "";
  }

  #partDone(open: OpenItem, event: ResponseEvent): void {
    const part = event["part"] as Fields;
    assert.equal(part["type"], open.part?.["type"]);
    assert.equal(part["text"] ?? part["refusal"], open.text, "a part is what its pieces said");
    open.part = null;
    open.parts += 1;
  }

  #finish(event: ResponseEvent): void {
    this.end = event;
    const response = event["response"] as Fields;
    assert.equal(event.type, `response.${String(response["status"])}`);
    if (event.type === "response.failed") {
      assert.ok(response["error"] !== null);
      return;
    }
    const done = this.#items.flatMap((item) => item.done ?? []);
    assert.deepEqual(response["output"], done, "the output is what the items ended as");
    assert.ok(response["usage"] !== null);
    if (event.type === "response.completed")
      assert.equal(done.length, this.#items.length, "every item has its end");
  }
}

/** Fails at the first event that is not as it should be. Returns the last response. */
export function assertResponseStream(events: readonly unknown[]): Fields {
  const check = new StreamCheck();
  for (const event of events) check.add(event as ResponseEvent);
  assert.ok(check.end !== null, "the stream has an end");
  return check.end["response"] as Fields;
}

/** The events of a stream, as they are after their way over the wire. */
export function responseEvents(stream: Buffer | string): ResponseEvent[] {
  return stream
    .toString()
    .split("\n\n")
    .filter((event) => event.startsWith("event: "))
    .map((event) => {
      const [name, data] = event.split("\n");
      const parsed = JSON.parse((data ?? "").slice("data: ".length)) as ResponseEvent;
      assert.equal(name, `event: ${parsed.type}`);
      return parsed;
    });
}
