/**
 * The misbehaviour a task can be asked for, in any text of its input or in an `x-sandbox` header;
 * `tasks/README.md` explains every word.
 */
import { readCount, readDirectiveWords, type DirectiveReader } from "../read-directive-words.ts";

const CREATE_MODES = [
  "reset",
  "hang",
  "reset-after",
  "hang-after",
  "garbage",
  "html",
  "empty",
  "no-id",
] as const;
const POLL_MODES = ["reset", "hang", "garbage", "html", "empty"] as const;
const OUTPUT_MODES = ["none", "null", "missing", "garbage", "string", "object"] as const;
const RESULT_MODES = [
  "dead",
  "private",
  "html",
  "mistyped",
  "disguised",
  "other-kind",
  "empty",
  "truncated",
  "short",
  "reset",
  "slow",
  "redirect",
] as const;
const WEBHOOK_MODES = ["early", "unsigned", "forged", "garbage"] as const;

/** The words of `create=`, `poll=`, `output=`, `result=` and `webhook=`. */
export type CreateMode = (typeof CREATE_MODES)[number];
export type PollMode = (typeof POLL_MODES)[number];
export type OutputMode = (typeof OUTPUT_MODES)[number];
export type ResultMode = (typeof RESULT_MODES)[number];
export type WebhookMode = (typeof WEBHOOK_MODES)[number];

/** Null and false mean "behave". Times are in ms. */
export interface TaskDirectives {
  readonly queueMs: number | null;
  readonly runMs: number | null;
  readonly stuck: "queued" | "running" | null;
  readonly state: string | null;
  readonly progress: readonly number[] | null;
  readonly position: readonly number[] | null;
  readonly fail: string | null;
  readonly message: string | null;
  readonly lateMs: number | null;
  readonly output: OutputMode | null;
  readonly outputs: number | null;
  readonly seconds: number | null;
  readonly cost: string | null;
  readonly create: CreateMode | null;
  readonly createStatus: number | null;
  readonly createCode: number | null;
  readonly createTimes: number;
  readonly createDelayMs: number;
  readonly retryAfter: string | null;
  readonly hidden: number;
  readonly hiddenCode: number;
  readonly poll: PollMode | null;
  readonly pollStatus: number | null;
  readonly pollCode: number | null;
  readonly pollTimes: number;
  readonly pollDelayMs: number;
  readonly webhook: WebhookMode | null;
  readonly webhooks: number;
  readonly webhookDelayMs: number;
  readonly result: ResultMode | null;
  readonly resultUrl: string | null;
  readonly resultStatus: number | null;
  readonly resultTimes: number;
  readonly resultTtlMs: number | null;
  readonly resultDelayMs: number;
  readonly fetch: boolean;
  readonly cancel: "refused" | null;
  readonly tag: string | null;
}

type Patch = Partial<{ -readonly [Key in keyof TaskDirectives]: TaskDirectives[Key] }>;
type Reader = DirectiveReader<Patch>;

export const BEHAVE: TaskDirectives = {
  queueMs: null,
  runMs: null,
  stuck: null,
  state: null,
  progress: null,
  position: null,
  fail: null,
  message: null,
  lateMs: null,
  output: null,
  outputs: null,
  seconds: null,
  cost: null,
  create: null,
  createStatus: null,
  createCode: null,
  createTimes: 1,
  createDelayMs: 0,
  retryAfter: null,
  hidden: 0,
  hiddenCode: 422,
  poll: null,
  pollStatus: null,
  pollCode: null,
  pollTimes: 1,
  pollDelayMs: 0,
  webhook: null,
  webhooks: 1,
  webhookDelayMs: 0,
  result: null,
  resultUrl: null,
  resultStatus: null,
  resultTimes: 1,
  resultTtlMs: null,
  resultDelayMs: 3000,
  fetch: true,
  cancel: null,
  tag: null,
};

const count =
  (patch: (value: number) => Patch): Reader =>
  (value) => {
    const number = readCount(value);
    return number === null ? null : patch(number);
  };
const text =
  (patch: (value: string) => Patch): Reader =>
  (value) =>
    value === "" ? null : patch(value);
const code =
  (patch: (value: number) => Patch): Reader =>
  (value) =>
    /^[1-9]\d{2,4}$/.test(value) ? patch(Number(value)) : null;
const status =
  (patch: (value: number) => Patch): Reader =>
  (value) =>
    /^[2-5]\d\d$/.test(value) ? patch(Number(value)) : null;

function oneOf<Word extends string>(words: readonly Word[], patch: (word: Word) => Patch): Reader {
  return (value) => {
    const word = words.find((known) => known === value);
    return word === undefined ? null : patch(word);
  };
}

function list(most: number, patch: (values: readonly number[]) => Patch): Reader {
  return (value) => {
    const values = value.split(",").map(readCount);
    return values.every((number) => number !== null && number <= most)
      ? patch(values.filter((number) => number !== null))
      : null;
  };
}

const READERS: Readonly<Record<string, Reader>> = {
  delay: count((ms) => ({ queueMs: Math.round(ms * 0.3), runMs: ms - Math.round(ms * 0.3) })),
  queue: count((queueMs) => ({ queueMs })),
  run: count((runMs) => ({ runMs })),
  stuck: (value) =>
    value === ""
      ? { stuck: "running" }
      : value === "queued" || value === "running"
        ? { stuck: value }
        : null,
  state: text((state) => ({ state })),
  progress: list(100, (progress) => ({ progress })),
  position: list(100_000, (position) => ({ position })),
  fail: text((fail) => ({ fail })),
  message: text((message) => ({ message })),
  late: count((lateMs) => ({ lateMs })),
  output: oneOf(OUTPUT_MODES, (output) => ({ output })),
  outputs: (value) => (/^([1-9]|1\d|20)$/.test(value) ? { outputs: Number(value) } : null),
  seconds: (value) =>
    /^\d{1,2}(\.\d{1,3})?$/.test(value) && Number(value) > 0 ? { seconds: Number(value) } : null,
  cost: text((cost) => ({ cost })),
  create: oneOf(CREATE_MODES, (create) => ({ create })),
  createStatus: status((createStatus) => ({ createStatus })),
  createCode: code((createCode) => ({ createCode })),
  createTimes: count((createTimes) => ({ createTimes })),
  createDelay: count((createDelayMs) => ({ createDelayMs })),
  "retry-after": text((retryAfter) => ({ retryAfter })),
  hidden: count((hidden) => ({ hidden })),
  hiddenCode: code((hiddenCode) => ({ hiddenCode })),
  poll: oneOf(POLL_MODES, (poll) => ({ poll })),
  pollStatus: status((pollStatus) => ({ pollStatus })),
  pollCode: code((pollCode) => ({ pollCode })),
  pollTimes: count((pollTimes) => ({ pollTimes })),
  pollDelay: count((pollDelayMs) => ({ pollDelayMs })),
  webhook: oneOf(WEBHOOK_MODES, (webhook) => ({ webhook })),
  webhooks: (value) => (/^\d{1,3}$/.test(value) ? { webhooks: Number(value) } : null),
  webhookDelay: count((webhookDelayMs) => ({ webhookDelayMs })),
  result: oneOf(RESULT_MODES, (result) => ({ result })),
  resultUrl: text((resultUrl) => ({ resultUrl })),
  resultStatus: status((resultStatus) => ({ resultStatus })),
  resultTimes: count((resultTimes) => ({ resultTimes })),
  resultTtl: count((resultTtlMs) => ({ resultTtlMs })),
  resultDelay: count((resultDelayMs) => ({ resultDelayMs })),
  fetch: oneOf(["off"], () => ({ fetch: false })),
  cancel: oneOf(["refused"], (cancel) => ({ cancel })),
  tag: text((tag) => ({ tag })),
};

/**
 * Reads the header, then every text anywhere in the input; later words win. Unknown words are a
 * mistake of the caller.
 */
export function parseTaskDirectives(
  header: string,
  input: unknown,
  model: string,
):
  | { readonly ok: true; readonly directives: TaskDirectives }
  | { readonly ok: false; readonly message: string } {
  const read = readDirectiveWords<Patch>(READERS, header, textsOf(input, 0).join(" "), model);
  return read.ok ? { ok: true, directives: { ...BEHAVE, ...read.patch } } : read;
}

function textsOf(value: unknown, depth: number): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth > 8) return [];
  return Object.values(value).flatMap((part) => textsOf(part, depth + 1));
}
