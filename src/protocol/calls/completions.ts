/** The old completions, whole or streamed: events like those of chat, whose choices are texts. */
import { CompletionsRequestBody } from "../../contract/completions.ts";
import type { FrameReader } from "../chat-dialect.ts";
import { createChunkFrameReader } from "../openai/create-frame-reader.ts";
import { openAiDialect } from "../openai/dialect.ts";
import { renderOpenAiErrorEvent } from "../openai/render-error.ts";
import { createChunkPasser } from "../openai/native-writer.ts";
import { readUsage } from "../openai/read-usage.ts";
import { withUsageOption } from "../openai/rewrite-chat-request.ts";
import { isRecord } from "../json/is-record.ts";
import type { JsonObject } from "../json/read-json-object.ts";
import { setMember } from "../json/set-members.ts";
import { spliceBytes, type Splice } from "../json/splice-bytes.ts";
import type { CallBody, JsonCallProtocol } from "./call-protocol.ts";
import { createCallReader, JSON_TYPE } from "./read-call-object.ts";
import { readJsonAnswer, withoutMark } from "./read-json-answer.ts";
import { boundedTokens, readTextInput, withoutEcho } from "./text-input.ts";

const MOST_PROMPTS = 2048;
/** As this API has it, where a request names none. */
const DEFAULT_TOKENS = 16;

const readObject = createCallReader(CompletionsRequestBody, [
  "prompt",
  "suffix",
  "max_tokens",
  "n",
  "best_of",
  "stream",
  "stream_options",
  "echo",
]);

const EMPTY_PROMPT = "";

export const completions: JsonCallProtocol = {
  endpoint: "completions",
  path: "/completions",

  read(body) {
    const object = readObject(body);
    const { model, prompt, suffix, stream_options: options } = object.value;
    const input = readTextInput(prompt ?? EMPTY_PROMPT, "prompt", MOST_PROMPTS);
    const behind = readTextInput(typeof suffix === "string" ? suffix : EMPTY_PROMPT, "suffix", 1);
    const stream = object.value["stream"] === true;
    const choices = Math.max(numberOr(object.value["n"], 1), numberOr(object.value["best_of"], 1));
    const limit = numberOr(object.value["max_tokens"], DEFAULT_TOKENS);
    const echoed = object.value["echo"] === true ? input.texts : [];
    return {
      model: String(model),
      stream,
      includeUsage: isRecord(options) && options["include_usage"] === true,
      measure(window) {
        const all = [...input.estimates, ...behind.estimates];
        const longest = Math.min(limit, window ?? limit);
        return {
          inputTokens: boundedTokens({ ...input, estimates: all }, window),
          mostInputTokens: input.mostTokens + behind.mostTokens,
          outputTokens: longest * choices * input.count,
          counts: {},
        };
      },
      texts: () => [...input.texts, ...behind.texts],
      overheadTokens: input.tokenIds,
      unbounded: null,
      identity: body,
      write: (name) => written(object, name, stream),
      echoed,
    };
  },

  readAnswer({ body }, asked, hide) {
    const answer = readJsonAnswer(
      body,
      { list: "choices", names: ["choices", "usage"], expected: "completion" },
      hide,
    );
    if (answer.kind !== "answer") return answer;
    const choices = answer.member("choices") as readonly unknown[];
    const texts = choices.map((choice) => textOf(choice, asked.echoed));
    const [first] = choices;
    const finish = isRecord(first) ? first["finish_reason"] : null;
    return {
      kind: "answer",
      usage: readUsage(answer.member("usage")),
      text: texts.join("\n"),
      finishReason: typeof finish === "string" ? finish : null,
    };
  },

  writeAnswer({ contentType, body }, { answerModel, usage }) {
    const whole = withoutMark(body);
    const data = JSON.parse(whole.toString("utf8")) as Record<string, unknown>;
    const shown = openAiDialect.showUsage(whole, data["usage"], usage);
    return {
      contentType,
      body: answerModel === null ? shown : openAiDialect.renameModel(shown, answerModel),
    };
  },

  streaming: {
    contentType: "text/event-stream; charset=utf-8",
    accept: "text/event-stream",
    createReader: (hide): FrameReader => createChunkFrameReader(hide),
    createWriter: createChunkPasser,
    streamOf: streamOfWhole,
    errorEvent: (fault) => Buffer.from(renderOpenAiErrorEvent(fault)),
    keepAlive: openAiDialect.keepAlive,
  },
};

function numberOr(value: unknown, absent: number): number {
  return typeof value === "number" ? value : absent;
}

function written(object: JsonObject, model: string, stream: boolean): CallBody {
  const splices: Splice[] = [];
  if (object.value["model"] !== model)
    splices.push(setMember(object, "model", JSON.stringify(model)));
  if (stream) splices.push(...withUsageOption(object));
  const bytes = splices.length === 0 ? object.bytes : spliceBytes(object.bytes, splices);
  return { contentType: JSON_TYPE, bytes };
}

function textOf(choice: unknown, echoed: readonly string[] | undefined): string {
  return isRecord(choice) && typeof choice["text"] === "string"
    ? withoutEcho(choice["text"], echoed)
    : "";
}

/** The same object is what a stream would have said, in one event. */
function streamOfWhole(body: Buffer): Buffer | null {
  try {
    const data: unknown = JSON.parse(withoutMark(body).toString("utf8"));
    if (!isRecord(data) || !Array.isArray(data["choices"])) return null;
    return Buffer.from(`data: ${JSON.stringify(data)}\n\ndata: [DONE]\n\n`);
  } catch {
    return null;
  }
}
