/**
 * A whole JSON answer of a call, of which only a few members are looked at: vectors are most of a
 * large one, and are not parsed.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { UpstreamReasons, WordedReason } from "../../contract/operator/upstream-reason.ts";
import { JSON_DEPTH_LIMIT } from "../../kernel/limits.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { StreamError } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";
import { scanObject } from "../json/scan-object.ts";
import { setMember } from "../json/set-members.ts";
import { spliceBytes } from "../json/splice-bytes.ts";
import type { HideWords } from "../operator-words.ts";
import { readErrorValue } from "../read-upstream-error.ts";
import { readTokenCount } from "../token-count.ts";
import { ABSENT_USAGE, type UsageReading } from "../usage-reading.ts";

/** Vectors of numbers are many values. */
const BOUNDS = { maxDepth: JSON_DEPTH_LIMIT, maxValues: 64_000_000 };
const OPEN_BRACKET = 0x5b;
const NO_WORDS = "The upstream reported an error without saying which.";

export type JsonAnswer =
  /** `raw`: as it is written; undefined where there is none. */
  | { readonly kind: "answer"; member(name: string): unknown }
  | { readonly kind: "error"; readonly error: StreamError }
  | ({ readonly kind: "garbage" } & WordedReason);

export interface AnswerShape {
  /** The member that makes it an answer: a list. */
  readonly list: string;
  /** The others that are looked at. */
  readonly names: readonly string[];
  readonly expected: UpstreamReasons["no_answer"]["expected"];
}

const BYTE_ORDER_MARK = Buffer.from("\u{FEFF}");

/** JSON has none, and is not read behind one. */
export function withoutMark(body: Buffer): Buffer {
  const marked = body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return marked ? body.subarray(BYTE_ORDER_MARK.length) : body;
}

/** Never throws. */
export function readJsonAnswer(
  bytes: Buffer,
  { list, names, expected }: AnswerShape,
  hide: HideWords,
): JsonAnswer {
  const body = withoutMark(bytes);
  const scan = scanObject(body, [list, "error", ...names], BOUNDS);
  if (scan === null || scan.values > BOUNDS.maxValues || scan.depth > BOUNDS.maxDepth)
    return { kind: "garbage", ...sayReason("answer_not_json") };
  const valueOf = (name: string): unknown => {
    // Of two members of one name JSON.parse takes the last.
    const member = scan.members.findLast(({ key }) => key === name);
    if (member === undefined) return undefined;
    return JSON.parse(body.toString("utf8", member.start, member.end)) as unknown;
  };
  try {
    const reported = valueOf("error");
    if (reported !== undefined && reported !== null && reported !== false && reported !== "") {
      const { kind: _, ...error } = readErrorValue(JSON.parse(body.toString("utf8")) as unknown, {
        fallback: NO_WORDS,
        hide,
      });
      return { kind: "error", error };
    }
    const found = scan.members.findLast(({ key }) => key === list);
    if (found === undefined || body[found.start] !== OPEN_BRACKET)
      return { kind: "garbage", ...sayReason("no_answer", { expected }) };
    const values = new Map(names.map((name) => [name, valueOf(name)]));
    return { kind: "answer", member: (name) => values.get(name) };
  } catch {
    return { kind: "garbage", ...sayReason("answer_not_json") };
  }
}

/** Of what was sent alone: `prompt_tokens`, or whatever name the count has. An explicit zero is zero. */
export function readInputUsage(usage: unknown): UsageReading {
  if (usage === undefined || usage === null) return ABSENT_USAGE;
  if (!isRecord(usage)) return { kind: "unbelievable", ...sayReason("usage_no_object") };
  for (const name of ["prompt_tokens", "input_tokens", "total_tokens"]) {
    const count = readTokenCount(usage[name]);
    if (count === "bad") return { kind: "unbelievable", ...sayReason("count_not_whole") };
    if (count !== undefined)
      return { kind: "valid", usage: { ...NO_USAGE, inputTokens: count }, samplings: 1 };
  }
  return ABSENT_USAGE;
}

/** With these members in place of its own, or after the others; every other byte stays. */
export function withMembers(
  bytes: Buffer,
  members: Readonly<Record<string, string>>,
  onlyWhereThere: readonly string[] = [],
): Buffer {
  const body = withoutMark(bytes);
  const names = Object.keys(members);
  const scan = scanObject(body, names, BOUNDS);
  if (scan === null) return body;
  const splices = names.flatMap((name) => {
    const own = scan.members.filter(({ key }) => key === name);
    if (own.length === 0 && onlyWhereThere.includes(name)) return [];
    const json = members[name] ?? "null";
    if (own.length > 0) return own.map(({ start, end }) => ({ start, end, text: json }));
    return [setMember({ ...scan, members: [] }, name, json)];
  });
  return splices.length === 0 ? body : spliceBytes(body, splices);
}
