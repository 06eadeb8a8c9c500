/**
 * Requests in the shapes in which coding agents were seen to send them: their fields, headers,
 * sizes and numbers of tools; the words are our own.
 */

interface AgentTool {
  readonly name: string;
  readonly description: string;
  readonly schema: object;
}

export interface AgentRequest {
  readonly messages: readonly object[];
  readonly [field: string]: unknown;
}

const PROSE = [
  "Runs in the project's root folder and leaves nothing running behind it.",
  "Give absolute paths; a relative one is taken from the folder of the last call.",
  "- One call does one thing. Several calls that do not depend on each other go out together.",
  '- Текст в кавычках передаётся как есть: «ёлочки», "лапки" и `код` не меняются 🧰.',
  "Output beyond 30000 characters is cut in the middle, and says so.",
  "Use it when you know what you look for; else look around first.",
  "IMPORTANT: never repeats what it was refused.",
];

/** So many characters of instructions, as tools and system prompts have them. */
function prose(length: number, seed: number): string {
  let text = "";
  for (let at = seed; text.length < length; at++) text += `${PROSE[at % PROSE.length] ?? ""}\n`;
  return text.slice(0, length);
}

const text = (description: string): object => ({ type: "string", description });

/** What a tool of an agent takes: strings, limits, lists of objects, choices. */
function schemaOf(at: number): object {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: {
      path: text("Absolute path of the file"),
      pattern: text("A regular expression"),
      timeout: { type: "integer", minimum: 0, maximum: 600_000, description: "Milliseconds" },
      mode: { type: "string", enum: ["content", "files_with_matches", "count"] },
      edits: {
        type: "array",
        minItems: 1,
        items: {
          type: "object",
          properties: {
            old_string: text("What is there"),
            new_string: text("What shall be there"),
            replace_all: { type: "boolean", default: false },
          },
          required: ["old_string", "new_string"],
          additionalProperties: false,
        },
      },
    },
    required: at % 2 === 0 ? ["path", "edits"] : ["path", "mode"],
    additionalProperties: false,
  };
}

const TOOL_NAMES = [
  ...[
    "Bash",
    "Edit",
    "Glob",
    "Grep",
    "NotebookEdit",
    "Read",
    "Skill",
    "Task",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
    "Write",
  ],
  ...[
    "ask_question",
    "attempt_completion",
    "browser",
    "commit",
    "delete_file",
    "diagnostics",
    "diff",
    "list_files",
    "mcp_call",
    "move_file",
  ],
  ...["new_task", "plan", "rename_symbol"],
];

/** @param length of each description, in characters */
function agentTools(count: number, length: number): AgentTool[] {
  return TOOL_NAMES.slice(0, count).map((name, at) => ({
    name,
    description: prose(length, at),
    schema: schemaOf(at),
  }));
}

/** Byte for byte as it was sent: without spaces, in the agent's order. */
export const CLAUDE_CODE_BETAS = [
  "claude-code-20250219",
  "oauth-2025-04-20",
  "interleaved-thinking-2025-05-14",
  "context-management-2025-06-27",
  "prompt-caching-scope-2026-01-05",
  "advanced-tool-use-2025-11-20",
  "effort-2025-11-24",
  "structured-outputs-2025-12-15",
].join(",");

export function claudeCodeHeaders(secret: string): Record<string, string> {
  return {
    authorization: `Bearer ${secret}`,
    "content-type": "application/json",
    "anthropic-version": "2023-06-01",
    "anthropic-beta": CLAUDE_CODE_BETAS,
    "anthropic-dangerous-direct-browser-access": "true",
    "user-agent": "claude-cli/2.1.329 (external, cli)",
    "x-app": "cli",
    "x-claude-code-session-id": "6f1c2f0e-53a5-4d0d-9a5e-0d4cf7d3f0aa",
    "x-stainless-retry-count": "0",
    "x-stainless-timeout": "600",
  };
}

const EPHEMERAL = { cache_control: { type: "ephemeral" } };

/** The main request of Claude Code: 12 tools, about 48 kB. */
export function claudeCodeRequest(model: string, ask: string): AgentRequest {
  return {
    model,
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: `<system-reminder>\n${prose(2_000, 3)}\n</system-reminder>` },
          { type: "text", text: ask, ...EPHEMERAL },
        ],
      },
    ],
    system: [
      { type: "text", text: "You are an agent of a command line.", ...EPHEMERAL },
      { type: "text", text: prose(14_000, 1), ...EPHEMERAL },
    ],
    tools: agentTools(12, 1_800).map(({ name, description, schema }) => ({
      name,
      description,
      input_schema: schema,
    })),
    metadata: {
      user_id: JSON.stringify({
        device_id: "a".repeat(64),
        account_uuid: "",
        session_id: "6f1c2f0e-53a5-4d0d-9a5e-0d4cf7d3f0aa",
      }),
    },
    max_tokens: 128_000,
    thinking: { type: "adaptive" },
    context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
    output_config: { effort: "medium" },
    stream: true,
  };
}

/** The two requests with which opencode begins: a title, and the task itself. */
export function opencodeRequests(model: string, ask: string): readonly object[] {
  const common = {
    model,
    max_tokens: 32_000,
    stream: true,
    stream_options: { include_usage: true },
  };
  return [
    {
      ...common,
      temperature: 0.5,
      messages: [
        { role: "system", content: `You are a title generator.\n${prose(1_500, 2)}` },
        { role: "user", content: "Generate a title for this conversation:\n" },
        { role: "user", content: ask },
      ],
    },
    {
      ...common,
      temperature: 0,
      top_p: 1,
      messages: [
        { role: "system", content: prose(9_000, 0) },
        { role: "user", content: ask },
      ],
      tools: agentTools(10, 900).map(({ name, description, schema }) => ({
        type: "function",
        function: { name, description, parameters: schema },
      })),
      tool_choice: "auto",
    },
  ];
}

/** What Cline sends to an OpenAI-compatible address: 25 tools and no limit. */
export function clineRequest(model: string, ask: string): AgentRequest {
  return {
    model,
    messages: [
      { role: "system", content: prose(11_000, 4) },
      {
        role: "user",
        content: [
          { type: "text", text: `<task>\n${ask}\n</task>` },
          { type: "text", text: `<environment_details>\n${prose(800, 5)}\n</environment_details>` },
        ],
      },
    ],
    temperature: 0,
    stream: true,
    stream_options: { include_usage: true },
    tools: agentTools(25, 700).map(({ name, description, schema }) => ({
      type: "function",
      function: { name, description, parameters: schema, strict: false },
    })),
    tool_choice: "auto",
    parallel_tool_calls: false,
  };
}
