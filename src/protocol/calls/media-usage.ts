/**
 * Usage as OpenAI's endpoints for images and sound report it: tokens by other names than chat's, or
 * seconds, which are measured here and not believed.
 */
import { isRecord } from "../json/is-record.ts";
import { readUsage } from "../openai/read-usage.ts";
import { ABSENT_USAGE, type UsageReading } from "../usage-reading.ts";

/** Absent too where it is no count of tokens. */
export function readMediaUsage(usage: unknown): UsageReading {
  if (!isRecord(usage)) return readUsage(usage);
  if (usage["type"] === "duration") return ABSENT_USAGE;
  const details = usage["input_tokens_details"] ?? usage["input_token_details"];
  const made = usage["output_tokens_details"] ?? usage["output_token_details"];
  return readUsage({
    ...(usage["input_tokens"] === undefined ? {} : { prompt_tokens: usage["input_tokens"] }),
    ...(usage["output_tokens"] === undefined ? {} : { completion_tokens: usage["output_tokens"] }),
    ...(usage["total_tokens"] === undefined ? {} : { total_tokens: usage["total_tokens"] }),
    ...(isRecord(details) ? { prompt_tokens_details: details } : {}),
    ...(isRecord(made) ? { completion_tokens_details: made } : {}),
  });
}
