/** A value of each price-raising field and part, for tests that send every one of them. */

/** A value of each field that asks for something dearer. */
export const FIELD_VALUES: Readonly<Record<string, unknown>> = {
  service_tier: "priority",
  speed: "fast",
  inference_geo: "us",
  web_search_options: { search_context_size: "high" },
  modalities: ["text", "audio"],
  audio: { voice: "alloy", format: "wav" },
  prediction: { type: "content", content: "predicted" },
  models: ["dearer-model"],
  plugins: [{ id: "web" }],
  provider: { order: ["dear"] },
  preset: "dear",
  fallbacks: [{ model: "dearer-model" }],
  providerOptions: { gateway: { models: ["dearer-model"] } },
  billing_policy: { type: "billing_policy", bill_to: "user_profile" },
  search_parameters: { mode: "on" },
  enable_search: true,
  enable_code_interpreter: true,
  web_search: { enable: true },
  enable_enhancement: true,
  force_search_enhancement: true,
  deferred: true,
  data_sources: [{ type: "azure_search" }],
  enhancements: { ocr: { enabled: true } },
  extra_body: { service_tier: "priority" },
  google: { tools: [{ google_search: {} }] },
};

/** A part of a prompt that has each of the parts of the table. */
export const PART_VALUES: Readonly<Record<string, Record<string, unknown>>> = {
  input_audio: { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
  audio_url: { type: "audio_url", audio_url: { url: "https://example.com/a.mp3" } },
  cache_control: { type: "text", text: "a", cache_control: { type: "ephemeral" } },
  prompt_cache_breakpoint: {
    type: "text",
    text: "a",
    prompt_cache_breakpoint: { mode: "explicit" },
  },
};
