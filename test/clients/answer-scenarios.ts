/**
 * The scenarios of the matrix that end well: what is asked, and what only a right translation of
 * question and answer brings back.
 */
import assert from "node:assert/strict";
import { takeTokens } from "../../sandbox/count-tokens.ts";
import type { ObservedRequest } from "../../sandbox/serve-chat.ts";
import type { Caller, Protocol } from "../support/protocol-pairs.ts";
import {
  STOP_SEQUENCE,
  type Ending,
  type Picture,
  type Question,
  type ToolCall,
  type ToolOffer,
  type Weather,
} from "./chat-client.ts";

export interface Says {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly Omit<ToolCall, "id">[];
  readonly structured?: Weather;
  readonly cached?: number;
  readonly ending: Ending;
}

export interface Scenario {
  readonly name: string;
  /** `label` tells the requests of one cell from all others; it must stand in the text. */
  question(label: string): Question;
  says(label: string): Says;
  /** What the calls are answered with, and what is said then. */
  readonly afterwards?: {
    readonly results: readonly string[];
    readonly says: Says;
    /**
     * What the upstream must have been asked then, of a client of this protocol that returns its
     * thinking.
     */
    reaches?(upstream: Protocol, body: ObservedRequest["body"], client: Caller): void;
  };
  /** What the upstream must have been asked. */
  reaches?(upstream: Protocol, body: ObservedRequest["body"]): void;
  /** Absent: every one. */
  readonly upstreams?: readonly Protocol[];
  /** Absent: clients of every protocol. */
  readonly callers?: readonly Caller[];
}

const GREETING = "Здравствуйте! Я echo-large, модель песочницы.";
const REASONING =
  "Пользователь прислал мне сообщение. Я песочница, поэтому поздороваюсь и повторю то, что он написал.";
const HELLO = "Привет, мир 👋🏽 и Ёж";
const LEAST_LIMIT = 16;

const TOOLS: readonly ToolOffer[] = [
  {
    name: "get_time",
    description: "Который час",
    schema: {
      type: "object",
      properties: { zone: { type: "string", enum: ["UTC", "MSK"] } },
      required: ["zone"],
    },
  },
  {
    name: "get_weather",
    description: "Погода в городе 🌦",
    schema: {
      type: "object",
      properties: {
        city: { type: "string" },
        days: { type: "array", items: { type: "integer", minimum: 3 } },
      },
      required: ["city", "days"],
    },
  },
];

const TWO_TOOLS = [
  { name: "get_weather", input: { city: "sample city", days: [3] } },
  { name: "get_time", input: { zone: "UTC" } },
];
const ONE_TOOL_TWICE = [
  { name: "get_time", input: { zone: "UTC" } },
  { name: "get_time", input: { zone: "MSK" } },
];

const RESULTS = ["снег ❄️ и «ветер»", "полдень"];
const ANSWER = `Hello! I am echo-large, a sandbox model. The tool get_weather answered: “${RESULTS[0]}”. The tool get_time answered: “${RESULTS[1]}”.`;

/** A red dot of one pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

function pictureScenario(picture: Picture): Scenario {
  return {
    name: `a picture by ${picture.kind}`,
    question: (label) => ({ text: `Что тут? ${label}`, picture }),
    says: (label) => ({
      text: `${GREETING} Вы написали: «Что тут? ${label}». Мне показали картинок: 1.`,
      ending: "stop",
    }),
    reaches(upstream, body) {
      const { messages = [], input = [] } = body as {
        input?: readonly { content: readonly { type: string }[] }[];
        messages?: readonly {
          content: readonly { type: string; image_url?: object; source?: object }[];
        }[];
      };
      const image = messages.at(-1)?.content.find(({ type }) => type.startsWith("image"));
      const url = picture.kind === "base64" ? `data:image/png;base64,${picture.data}` : picture.url;
      if (upstream === "responses") {
        const shown = input.at(-1)?.content.find(({ type }) => type === "input_image");
        assert.partialDeepStrictEqual(shown, { type: "input_image", image_url: url });
      } else if (upstream === "openai") {
        assert.partialDeepStrictEqual(image, { type: "image_url", image_url: { url } });
      } else {
        const source =
          picture.kind === "base64"
            ? { type: "base64", media_type: "image/png", data: picture.data }
            : { type: "url", url: picture.url };
        assert.partialDeepStrictEqual(image, { type: "image", source });
      }
    },
  };
}

export const ANSWER_SCENARIOS: readonly Scenario[] = [
  {
    name: "text and a system prompt in Cyrillic and emoji, a part of the prompt from a cache",
    question: (label) => ({
      system: "Будь краток 🤏.",
      text: `[[sandbox: cached=8]] ${HELLO} ${label}`,
    }),
    says: (label) => ({
      text: `${GREETING} Вы написали: «${HELLO} ${label}». Мои указания: «Будь краток 🤏.».`,
      cached: 8,
      ending: "stop",
    }),
  },
  {
    name: "two tools called at once, and their results",
    question: (label) => ({ text: `Please get_weather and get_time ${label}`, tools: TOOLS }),
    says: () => ({ calls: TWO_TOOLS, ending: "tools" }),
    afterwards: { results: RESULTS, says: { text: ANSWER, ending: "stop" } },
  },
  {
    name: "one tool called twice at once",
    question: (label) => ({ text: `Вызови get_time несколько раз ${label}`, tools: TOOLS }),
    says: () => ({ calls: ONE_TOOL_TWICE, ending: "tools" }),
  },
  pictureScenario({ kind: "base64", data: PNG }),
  pictureScenario({ kind: "url", url: "https://pictures.example/dot.png" }),
  {
    name: "structured output",
    question: (label) => ({ text: `Погода ${label}`, structured: true }),
    says: () => ({
      structured: { city: "sample city", temperature: 1, sunny: true },
      ending: "structured",
    }),
  },
  {
    name: "thinking before the answer",
    question: (label) => ({ text: `Подумай ${label}`, thinking: true }),
    says: (label) => ({
      text: `${GREETING} Вы написали: «Подумай ${label}».`,
      thinking: REASONING,
      ending: "stop",
    }),
  },
  {
    name: "thinking before two tools, kept while they are answered",
    question: (label) => ({
      text: `Сначала подумай: get_weather, потом get_time ${label}`,
      thinking: true,
      tools: TOOLS,
    }),
    says: () => ({ calls: TWO_TOOLS, thinking: REASONING, ending: "tools" }),
    afterwards: {
      reaches(upstream, body, client) {
        const { messages = [], input = [] } = body as {
          input?: readonly { type: string; summary?: unknown; encrypted_content?: unknown }[];
          messages?: readonly { role: string; content: unknown; reasoning_content?: string }[];
        };
        const reported = messages.find(({ role }) => role === "assistant");
        if (upstream === "responses") {
          const thought = input.find(({ type }) => type === "reasoning");
          assert.deepEqual(thought?.summary, [{ type: "summary_text", text: REASONING }]);
          assert.ok(typeof thought?.encrypted_content === "string");
        } else if (upstream === "anthropic")
          assert.partialDeepStrictEqual(reported?.content, [
            { type: "thinking", thinking: REASONING },
          ]);
        // What a client of its own protocol sends goes on as it is.
        else if (client === "anthropic") assert.equal(reported?.reasoning_content, REASONING);
      },
      results: RESULTS,
      says: {
        text: `${GREETING} Инструмент get_weather ответил: «${RESULTS[0]}». Инструмент get_time ответил: «${RESULTS[1]}».`,
        thinking: REASONING,
        ending: "stop",
      },
    },
  },
  {
    name: "a stop sequence",
    // Responses have none; see the failures.
    upstreams: ["openai", "anthropic"],
    callers: ["openai", "anthropic"],
    question: (label) => ({ text: `${label} раз два ${STOP_SEQUENCE} три`, stop: true }),
    says: (label) => ({
      text: `${GREETING} Вы написали: «${label} раз два `,
      ending: "stop sequence",
    }),
  },
  {
    name: "a limit of tokens",
    question: (label) => ({ text: `Раз два три ${label}`, maxTokens: 5 }),
    says: () => ({ text: "Здравствуйте! Я echo-large", ending: "length" }),
    // A smaller limit than 16 is raised there, and refused of a caller.
    upstreams: ["openai", "anthropic"],
    callers: ["openai", "anthropic"],
  },
  {
    name: "the smallest limit of tokens that all protocols have",
    question: (label) => ({ text: `Раз два три ${label}`, maxTokens: LEAST_LIMIT }),
    says: (label) => ({
      text: takeTokens(`${GREETING} Вы написали: «Раз два три ${label}».`, LEAST_LIMIT),
      ending: "length",
    }),
  },
];
