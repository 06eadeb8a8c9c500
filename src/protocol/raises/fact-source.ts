/**
 * Where the facts about price-raising fields are published: the address, and the day of the version
 * that was read.
 */

export interface FactSource {
  readonly url: string;
  /** ISO 8601. Of the version where it has one, else the day on which the page was read. */
  readonly date: string;
}

const READ = "2026-11-23";
const READ_OPENAI = "2026-11-27";

export const FACT_SOURCES = {
  anthropicSdk: {
    url: "https://github.com/anthropics/anthropic-sdk-typescript/releases/tag/sdk-v1.11.0",
    date: "2026-11-19",
  },
  anthropicAdvisor: {
    url: "https://platform.claude.com/docs/en/agents-and-tools/tool-use/advisor-tool",
    date: READ,
  },
  anthropicFast: {
    url: "https://platform.claude.com/docs/en/build-with-claude/fast-mode",
    date: READ,
  },
  anthropicTiers: { url: "https://platform.claude.com/docs/en/api/service-tiers", date: READ },
  geminiCompatibility: { url: "https://ai.google.dev/api/compatibility", date: READ },
  openAiCaching: {
    url: "https://developers.openai.com/api/docs/guides/prompt-caching",
    date: READ_OPENAI,
  },
  openAiFast: {
    url: "https://developers.openai.com/api/docs/guides/fast-mode",
    date: "2026-07-30",
  },
  openAiPrograms: {
    url: "https://developers.openai.com/api/docs/guides/tools-programmatic-tool-calling",
    date: READ_OPENAI,
  },
  openAiSdk: {
    url: "https://github.com/openai/openai-node/releases/tag/v7.55.0",
    date: "2026-11-10",
  },
  openAiShell: {
    url: "https://developers.openai.com/api/docs/guides/tools-shell",
    date: READ_OPENAI,
  },
  openRouterPlugins: { url: "https://www.openrouter.ai/docs/guides/features/plugins", date: READ },
  openRouterRequests: { url: "https://openrouter.ai/docs/requests", date: READ },
  openRouterTools: {
    url: "https://www.openrouter.ai/blog/announcements/agentic-web-tools/",
    date: READ,
  },
  qwenSearch: {
    url: "https://www.alibabacloud.com/help/zh/model-studio/web-search",
    date: "2026-02-12",
  },
  xaiSearch: { url: "https://docs.x.ai/developers/cost-tracking", date: READ },
} as const satisfies Record<string, FactSource>;

export type FactName = keyof typeof FACT_SOURCES;
