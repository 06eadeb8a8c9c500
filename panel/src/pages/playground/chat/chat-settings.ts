/** What is set for a whole talk, and what its tools are. */

export interface ChatSettings {
  readonly system: string;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly maxTokens: number | null;
  readonly stop: string;
  readonly effort: Effort;
  readonly budget: number | null;
  readonly stream: boolean;
  /** JSON as it is typed; empty: none. */
  readonly tools: string;
  readonly toolChoice: ToolChoice;
  readonly format: AnswerFormat;
  /** A JSON schema as it is typed, of the format that follows one. */
  readonly schema: string;
}

export const EFFORTS = ["none", "low", "medium", "high"] as const;
export type Effort = (typeof EFFORTS)[number];
export const TOOL_CHOICES = ["auto", "none", "required"] as const;
export type ToolChoice = (typeof TOOL_CHOICES)[number];
/** `json`: any; the Messages protocol has no word for it. */
export const ANSWER_FORMATS = ["text", "json", "schema"] as const;
export type AnswerFormat = (typeof ANSWER_FORMATS)[number];

/** The Messages protocol takes no request without it. */
export const DEFAULT_MAX_TOKENS = 1024;

export const FIRST_SETTINGS: ChatSettings = {
  system: "",
  temperature: null,
  topP: null,
  maxTokens: DEFAULT_MAX_TOKENS,
  stop: "",
  effort: "none",
  budget: null,
  stream: true,
  tools: "",
  toolChoice: "auto",
  format: "text",
  schema: "",
};

export interface ToolDeclaration {
  readonly name: string;
  readonly description?: string;
  /** A JSON schema. */
  readonly parameters: unknown;
}

export const EXAMPLE_TOOLS = JSON.stringify(
  [
    {
      name: "get_weather",
      description: "The weather in a city right now.",
      parameters: {
        type: "object",
        properties: { city: { type: "string", description: "Its name." } },
        required: ["city"],
      },
    },
  ],
  null,
  2,
);

/** The protocols of OpenAI want one. */
export const SCHEMA_NAME = "answer";

export const EXAMPLE_SCHEMA = JSON.stringify(
  {
    type: "object",
    properties: {
      title: { type: "string" },
      tags: { type: "array", items: { type: "string" } },
    },
    required: ["title", "tags"],
    additionalProperties: false,
  },
  null,
  2,
);

/** `mistake`: why it cannot be read; null where it can. */
export function readTools(text: string): {
  readonly tools: readonly ToolDeclaration[];
  readonly mistake: string | null;
} {
  if (text.trim() === "") return { tools: [], mistake: null };
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return { tools: [], mistake: "[ … ]" };
    const wrong = value.findIndex(
      (tool: unknown) => typeof (tool as Partial<ToolDeclaration> | null)?.name !== "string",
    );
    if (wrong !== -1) return { tools: [], mistake: `[${wrong}].name` };
    return { tools: value as readonly ToolDeclaration[], mistake: null };
  } catch (error) {
    return { tools: [], mistake: error instanceof Error ? error.message : String(error) };
  }
}

type Schema = Readonly<Record<string, unknown>>;

/** `schema`: null where none is asked for, or it cannot be read. */
export function readSchema({ format, schema: text }: Pick<ChatSettings, "format" | "schema">): {
  readonly schema: Schema | null;
  readonly mistake: string | null;
} {
  if (format !== "schema") return { schema: null, mistake: null };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return { schema: null, mistake: "{ … }" };
    return { schema: value as Schema, mistake: null };
  } catch (error) {
    return { schema: null, mistake: error instanceof Error ? error.message : String(error) };
  }
}

/** Whether all that is typed in can be read: what cannot would be left out of the request. */
export function isSendable(settings: ChatSettings): boolean {
  return (
    hasAllFigures(settings) &&
    readTools(settings.tools).mistake === null &&
    readSchema(settings).mistake === null
  );
}

/** Whether every figure of it was read: a `NumberField` says NaN of what it could not read. */
function hasAllFigures({ temperature, topP, maxTokens, budget }: ChatSettings): boolean {
  return ![temperature, topP, maxTokens, budget].some((figure) => Number.isNaN(figure));
}

export function stopsOf({ stop }: ChatSettings): readonly string[] {
  return stop.split("\n").filter((line) => line !== "");
}
