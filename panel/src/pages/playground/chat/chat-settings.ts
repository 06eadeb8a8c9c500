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
}

export const EFFORTS = ["none", "low", "medium", "high"] as const;
export type Effort = (typeof EFFORTS)[number];
export const TOOL_CHOICES = ["auto", "none", "required"] as const;
export type ToolChoice = (typeof TOOL_CHOICES)[number];

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

/** Whether every figure of it was read: a `NumberField` says NaN of what it could not read. */
export function isReadable({ temperature, topP, maxTokens, budget }: ChatSettings): boolean {
  return ![temperature, topP, maxTokens, budget].some((figure) => Number.isNaN(figure));
}

export function stopsOf({ stop }: ChatSettings): readonly string[] {
  return stop.split("\n").filter((line) => line !== "");
}
