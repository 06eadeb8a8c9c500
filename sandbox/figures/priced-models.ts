/** A list of models as OpenRouter has it, with prices in dollars for a token. */

interface Pricing {
  readonly prompt: string;
  readonly completion: string;
  readonly input_cache_read?: string;
  readonly input_cache_write?: string;
}

function entry(id: string, name: string, pricing: Pricing, context = 200_000): unknown {
  return {
    id,
    canonical_slug: id,
    name,
    created: 1_767_225_600,
    description: `${name} of the sandbox.`,
    context_length: context,
    architecture: {
      modality: "text->text",
      input_modalities: ["text"],
      output_modalities: ["text"],
      tokenizer: "GPT",
      instruct_type: null,
    },
    pricing: { request: "0", image: "0", web_search: "0", internal_reasoning: "0", ...pricing },
    top_provider: {
      context_length: context,
      max_completion_tokens: context / 10,
      is_moderated: false,
    },
    per_request_limits: null,
    supported_parameters: ["max_tokens", "temperature", "tools"],
  };
}

/** At 100 roubles for a dollar echo-small costs what the catalogue says, echo-large half as much again. */
const ENTRIES = [
  entry("echo-large", "Echo Large", {
    prompt: "0.0000015",
    completion: "0.000006",
    input_cache_read: "0.0000001",
    input_cache_write: "0.00000125",
  }),
  entry("echo-small", "Echo Small", {
    prompt: "0.00000006",
    completion: "0.00000024",
    input_cache_read: "0.000000006",
    input_cache_write: "0.000000075",
  }),
  entry("echo-next", "Echo Next", { prompt: "0.000002", completion: "0.000008" }, 1_000_000),
  entry("echo/router", "Echo Router", { prompt: "-1", completion: "-1" }),
];

export function pricedModels(): unknown {
  return { data: ENTRIES };
}

export function absurdModels(): unknown {
  return {
    data: [
      entry("echo-large", "Echo Large", { prompt: "-0.5", completion: "1e12" }),
      entry("echo-small", "Echo Small", { prompt: "free", completion: "NaN" }),
      { id: 7, pricing: "none" },
      null,
    ],
  };
}

/** More than anybody would read: some 30 MB. */
export function hugeModels(): unknown {
  const filler = "x".repeat(3_000);
  return {
    data: Array.from({ length: 10_000 }, (_, number) => ({ id: `m-${number}`, filler })),
  };
}
