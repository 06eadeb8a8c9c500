/** The guides to what can be asked for, in English: chat, images, sound, vectors, tasks, batches. */
import type { Guide } from "./guide.ts";
import type { modelGuidesRu } from "./guides-models.ru.ts";

export const modelGuidesEn: Readonly<Record<keyof typeof modelGuidesRu, Guide>> = {
  chat: {
    title: "Chat",
    description: "Three protocols, streams, tools, reasoning, caching, structured output, images.",
    lead: "Any chat model can be called over three protocols; the official SDKs work as they are.",
    sections: [
      {
        id: "protocols",
        title: "Three protocols",
        texts: [
          "Where the model's provider speaks the same protocol, request and answer pass byte for byte. Otherwise they are translated: what has no equivalent is a 400 that names the field.",
        ],
        sample: "protocols",
      },
      {
        id: "stream",
        title: "Streams",
        texts: [
          "`stream: true` is answered with events. While the provider is silent, a comment or a `ping` comes every 15 seconds, so that the connection stays open.",
          "A stream that fails in the middle ends with an error event and breaks off, never with a polite end. A caller who leaves ends the request; what was produced by then is charged.",
        ],
        sample: "stream",
      },
      {
        id: "tools",
        title: "Tools",
        texts: [
          "Functions are described in `tools`, calls come back in `tool_calls` (in Messages as `tool_use` blocks, in Responses as `function_call` items). The schemas of tools count as input.",
          "Tools that the provider runs itself (search and the like) work where they have a price; otherwise it is a 400. In Responses such a tool is left out and named in `x-tollgate-dropped-tools`.",
        ],
        sample: "tools",
      },
      {
        id: "reasoning",
        title: "Reasoning",
        texts: [
          "Models that can reason take `reasoning_effort` (in Messages `thinking`, in Responses `reasoning.effort`). Reasoning is charged as output and counts in `max_completion_tokens`.",
          "In Chat Completions it comes in `reasoning_content`, signed reasoning in `reasoning_details`, too: send these back with every message that had them.",
        ],
        sample: "reasoning",
      },
      {
        id: "caching",
        title: "Prompt caching",
        texts: [
          "What the provider took from its cache is charged at the price of the cache; the receipt has a line for it. Some providers cache by themselves, others want a `cache_control` mark for 5 minutes or an hour.",
          "A cache write that has no price for this model is a 400.",
        ],
        sample: "caching",
      },
      {
        id: "structured",
        title: "Structured output",
        texts: [
          "`response_format` with a JSON schema: `output_config.format` in Messages, `text.format` in Responses.",
        ],
        sample: "structured",
      },
      {
        id: "pictures",
        title: "Images in a request",
        texts: [
          "As a part of a message, by an `https://…` address or as `data:`. The body has at most 32 MB.",
        ],
        sample: "picture",
      },
      {
        id: "go-on",
        title: "Go on with a conversation",
        texts: [
          "An answer of `/v1/responses` is kept unless the request says `store: false`; `store` of the answer says whether it is. `previous_response_id` puts what was said before in front of `input`, with any model; it is charged as input. `$RESPONSE_ID` is the `id` of the earlier answer.",
          "`DELETE /v1/responses/{id}` removes the answer and what was sent for it. `POST /v1/responses/compact` sums a long conversation up.",
        ],
        sample: "goOn",
      },
    ],
  },
  images: {
    title: "Images",
    description: "Making and editing images in OpenAI's form: size, streams, waiting, price.",
    lead: "As `images.generate` and `images.edit` of the OpenAI SDK. `endpoints` in `GET /v1/models` say which models are served here.",
    sections: [
      {
        id: "make",
        title: "Make",
        texts: [
          "The answer has `b64_json` or, with `response_format: url`, an address in our storage. A task model takes its own parameters beside (`aspectRatio`, `seed` …), and its `size` is exactly one of its shapes; a refusal lists all of them.",
        ],
        sample: "image",
      },
      {
        id: "edit",
        title: "Edit",
        texts: [
          "A form with `image` (several as `image[]`), or JSON with addresses in `images`. Models of type `image` take a `mask`, too.",
        ],
        sample: "imageEdit",
      },
      {
        id: "wait",
        title: "How long it waits",
        texts: [
          "The answer waits for up to 280 seconds. An image of a task model is a task, named in `x-tollgate-task`: what is not ready by then goes on, and the 504 names the task to [ask for](/docs/tasks). With an `Idempotency-Key` a repeated request finds the same task and is not charged again.",
          "With `stream: true` each image comes as an event of its own.",
        ],
      },
      {
        id: "price",
        title: "Price",
        texts: [
          "`POST /v1/quote/images/generations` (`edits`) tells it before, by the same body. A failure costs nothing; what a provider's rules stop is `moderation_blocked`.",
        ],
      },
    ],
  },
  audio: {
    title: "Speech and transcripts",
    description: "Speak a text, transcribe and translate a recording: endpoints, formats, price.",
    lead: "As `audio` of the OpenAI SDK.",
    sections: [
      {
        id: "speech",
        title: "Speak",
        texts: [
          "The sound goes out while it is made: as bytes or, with `stream_format: sse`, as events. The price is for the characters of the text and stands in `x-tollgate-cost` before the first byte.",
          "Speech that breaks off after its beginning costs all of it: how much was spoken cannot be told. What never began costs nothing.",
        ],
        sample: "speech",
      },
      {
        id: "transcription",
        title: "Transcribe",
        texts: [
          "One `file` of up to 25 MB, sound or video, which has 70 seconds to come. Its length is measured before money is held; the price is for seconds or for tokens. The file is forgotten when the answer is out.",
          "Formats of the answer (`json`, `text`, `srt`, `vtt`, `verbose_json` …) are those that the model has. `POST /v1/audio/translations` translates into English.",
        ],
        sample: "transcription",
      },
      {
        id: "price",
        title: "Price",
        texts: [
          "Before: `POST /v1/quote/audio/speech`, `…/transcriptions`, `…/translations` by the same body or form.",
        ],
      },
    ],
  },
  embeddings: {
    title: "Embeddings and texts",
    description: "Embeddings, reranking, moderation and text completion.",
    lead: "Calls with one short answer. What a call can cost at most is held; the rest is released, and a failure costs nothing.",
    sections: [
      {
        id: "embeddings",
        title: "Embeddings",
        texts: [
          "A text, a list of up to 2,048 texts, or token ids; `dimensions` and `encoding_format` are passed on.",
        ],
        sample: "embedding",
      },
      {
        id: "rerank",
        title: "Reranking",
        texts: ["As Cohere and Jina shaped it: `query`, `documents`, `top_n`."],
        sample: "rerank",
      },
      {
        id: "moderation",
        title: "Moderation",
        texts: ["Without `model` the first moderation model of the catalogue answers."],
        sample: "moderation",
      },
      {
        id: "completions",
        title: "Text completion",
        texts: [
          "The old API for autocompletion, whole or streamed. Without `max_tokens` an answer has 16 tokens at most.",
        ],
        sample: "completion",
      },
      {
        id: "deadline",
        title: "How long it waits",
        texts: [
          "A whole answer waits for up to 280 seconds, then it is a 504 and costs nothing. `POST /v1/quote/embeddings` tells the price before, and so on.",
        ],
      },
    ],
  },
  tasks: {
    title: "Tasks",
    description: "Images and videos that are ordered: price, order, waiting, cancelling, tables.",
    lead: "What takes long is ordered: a task answers with its id, and is charged when its files are there.",
    sections: [
      {
        id: "quote",
        title: "Price before",
        texts: [
          "The same body at `/v1/quote/tasks/…`: the price is known before the order, which holds exactly that.",
        ],
        sample: "taskQuote",
      },
      {
        id: "order",
        title: "Order",
        texts: [
          "The answer has `data.taskId`, which is `$TASK_ID` below. An unknown parameter is a 400, and all mistakes of a body are told at once. Files go in by address: [uploaded](/docs/files) or public ones.",
        ],
        sample: "task",
      },
      {
        id: "wait",
        title: "Wait",
        texts: [
          "`wait` waits for the end, for up to 60 seconds. States: `queued`, `processing`, then `completed` or `failed`, after which nothing changes. Result files lie in our storage before the task is `completed`.",
        ],
        sample: "taskWait",
      },
      {
        id: "events",
        title: "Follow",
        texts: [
          "Events as a stream: `queued`, `processing`, `progress`, and at the end `completed` or `failed`. A stream that broke goes on from `Last-Event-ID`. Instead of it the end of a task can come as a [webhook](/docs/webhooks).",
        ],
        sample: "taskEvents",
      },
      {
        id: "cancel",
        title: "Cancel",
        texts: [
          "As long as no one has begun it, cancelling is free and certain. Afterwards the provider is asked to stop, which not every one can: `outcome` says what came of it.",
        ],
        sample: "taskCancel",
      },
      {
        id: "money",
        title: "What is not paid for",
        texts: [
          "A task that failed, was cancelled before its start or missed its deadline costs nothing.",
        ],
      },
    ],
  },
  batches: {
    title: "Batches",
    description: "Many requests within a day: file, batch, results, price and limits.",
    lead: "Up to 50,000 requests in one batch, within a day and behind all other requests. The SDKs of OpenAI and Anthropic work as they are.",
    sections: [
      {
        id: "file",
        title: "A file of requests",
        texts: [
          "A line is one request: `custom_id`, `method`, `url`, `body`. Chat, Responses, embeddings, moderation and the old completions will do.",
        ],
        sample: "batchFile",
      },
      {
        id: "batch",
        title: "A batch",
        texts: [
          "`$FILE_ID` is the file's `id`, `$BATCH_ID` the batch's. The file is validated behind the answer; `errors` name mistakes by line. When the batch has ended, `$OUTPUT_FILE_ID` is its `output_file_id`; what failed is in `error_file_id`.",
        ],
        sample: "batch",
      },
      {
        id: "messages",
        title: "A message batch",
        texts: ["In Anthropic's form: the requests in the body, the results at `results_url`."],
        sample: "messageBatch",
      },
      {
        id: "money",
        title: "Money",
        texts: [
          "What all lines may cost at most is held as one hold; each line is charged when it is answered, and has a receipt of its own. The rest is released at the end. What has not run within 24 hours, or was cancelled, costs nothing.",
        ],
      },
      {
        id: "limits",
        title: "Limits",
        texts: [],
        points: [
          "50,000 lines of 8 MB each, a file of up to 200 MB;",
          "100 unfinished batches of an account;",
          "lines ask for no `stream` and no `service_tier` of their own;",
          "lines count in no rate limit;",
          "files of requests and results are private: read by a key of the account alone.",
        ],
      },
    ],
  },
};
