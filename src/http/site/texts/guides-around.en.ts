/** The guides to what stands around requests, in English: limits, repetition, files, webhooks. */
import type { Guide } from "./guide.ts";
import type { aroundGuidesRu } from "./guides-around.ru.ts";

export const aroundGuidesEn: Readonly<Record<keyof typeof aroundGuidesRu, Guide>> = {
  limits: {
    title: "Limits",
    description: "Rate limits and their headers, sizes of bodies, deadlines.",
    lead: "How much at once and per minute, and how large a request may be.",
    sections: [
      {
        id: "rate",
        title: "Rate",
        texts: [
          "A key and an account may each have up to four limits: requests per minute, tokens per minute, chat requests at once, unfinished tasks. A limit of N a minute is a bucket of N that fills evenly.",
          "A refusal is a 429 with `retry-after` and costs nothing; the official SDKs wait by themselves. The key tells its limits.",
        ],
        sample: "limits",
      },
      {
        id: "headers",
        title: "Headers",
        texts: [
          "On answers to those who have a limit, by the nearest of the limits of key and account.",
        ],
        rows: [
          [
            "`x-ratelimit-limit-requests`, `x-ratelimit-limit-tokens`",
            "How many are allowed per minute.",
          ],
          [
            "`x-ratelimit-remaining-requests`, `x-ratelimit-remaining-tokens`",
            "How many of them are left.",
          ],
          [
            "`x-ratelimit-reset-requests`, `x-ratelimit-reset-tokens`",
            "How long until all are there again: `1s`, `6m0s`.",
          ],
          [
            "`x-ratelimit-limit-concurrent`, `x-ratelimit-remaining-concurrent`",
            "How many requests may run at once, and how many more may begin.",
          ],
          [
            "`anthropic-ratelimit-requests-limit`, `…-remaining`, `…-reset`, and the same with `tokens`",
            "The same at `/v1/messages`, where `reset` is a moment. A refusal has `x-ratelimit-*`, too.",
          ],
          ["`retry-after`", "In how many seconds to come back."],
        ],
      },
      {
        id: "sizes",
        title: "Sizes and deadlines",
        texts: [],
        rows: [
          ["Body of a chat, and of edits of images in JSON", "32 MB"],
          ["Other JSON", "1 MB, up to 200 levels"],
          [
            "Upload of a file",
            "200 MB unless the operator says otherwise; 64 KB a second on average",
          ],
          ["Recording to transcribe", "25 MB"],
          ["Sending a body", "60 seconds"],
          ["Reading an answer", "at most a minute without reading"],
          ["Whole answer that is no chat", "280 seconds, then a 504"],
          ["Waiting for a task", "`wait` of up to 60 seconds"],
          ["Answer that is kept to be repeated", "24 hours, up to 16 MB"],
        ],
      },
      {
        id: "overload",
        title: "Overload",
        texts: [
          "What the gateway has no time for it refuses at once: 503 (529 at `/v1/messages`) with `retry-after`. What it lets in it serves.",
        ],
      },
    ],
  },
  idempotency: {
    title: "Idempotency",
    description: "How to repeat a request without paying twice: Idempotency-Key.",
    lead: "The connection broke, and you do not know whether the request was served? With the header `Idempotency-Key` it can be repeated.",
    sections: [
      {
        id: "key",
        title: "The key",
        texts: [
          "1 to 255 printable ASCII characters, one for each request of yours, such as the number of an order: `export ORDER_ID=order-4711`. The same key and body within 24 hours get the same answer, streams included, and are charged once, whichever process answers.",
        ],
        sample: "idempotent",
      },
      {
        id: "answers",
        title: "What comes back",
        texts: [],
        rows: [
          [
            "The earlier answer",
            "With `idempotent-replayed: true`; `x-tollgate-original-request-id` names the request that has the receipt.",
          ],
          ["`400 idempotency_mismatch`", "Another body came with this key."],
          [
            "`409 idempotency_in_progress`",
            "The first request still runs; `retry-after` says when to come back.",
          ],
          [
            "`410 idempotency_answer_gone`",
            "The answer had more than 16 MB: charged once, and not kept.",
          ],
        ],
      },
      {
        id: "where",
        title: "Where it works",
        texts: [
          "With chat, images, speech, embeddings and the other calls, with tasks, uploads, batches and their files.",
          "What was refused, or failed before its first word, is not remembered: the same key may be tried again. A caller who leaves does not stop such a request: its answer is read to the end, charged, and waits to be asked for.",
        ],
      },
    ],
  },
  files: {
    title: "Files",
    description: "Uploading, reading, life and removal of files; what is kept where.",
    lead: "Files for tasks: uploaded, copied from addresses that you named, and made by tasks.",
    sections: [
      {
        id: "upload",
        title: "Upload",
        texts: [
          "A form with one part, `file`. Type and measures are read from the bytes. The answer has `data.url`, which is `$FILE_URL` below, and `data.expiresAt`. An upload that breaks off leaves nothing.",
        ],
        sample: "upload",
      },
      {
        id: "read",
        title: "Read",
        texts: [
          "The address cannot be guessed, but a client that knows it can read the file without a key; so do providers. Images, video and audio of known types are shown, everything else is only downloaded. Ranges and conditional requests work.",
        ],
        sample: "download",
      },
      {
        id: "list",
        title: "List and delete",
        texts: ["`$FILE_NAME` is the last part of the address."],
        sample: "fileList",
      },
      {
        id: "life",
        title: "Life",
        texts: [
          "A file lives until `expiresAt`, usually 14 days; then its address answers 410. Room is counted by account, together with kept answers and files of batches; when it is used up, there is a 403 `storage_quota_exceeded`.",
          "Files of `/v1/files` are others: they are for [batches](/docs/batches), private and without an address.",
        ],
      },
    ],
  },
  webhooks: {
    title: "Webhooks",
    description:
      "The end of a task is posted to you, signed; how to verify it in Node.js and Python.",
    lead: "Instead of waiting: the end of a task is posted to you, signed by [Standard Webhooks](https://www.standardwebhooks.com/).",
    sections: [
      {
        id: "order",
        title: "Ask for it",
        texts: [
          "The header `x-callback-url` of the order, a public http(s) address: for example `export CALLBACK_URL=https://shop.example.com/hooks/tollgate`.",
        ],
        sample: "callback",
      },
      {
        id: "body",
        title: "What comes",
        texts: [
          "`type` is `task.completed` or `task.failed`, `timestamp` is when, `data` is the task as `GET /v1/tasks/{id}` shows it.",
        ],
        rows: [
          ["`webhook-id`", "Of the message, the same at every try: a repetition is known by it."],
          ["`webhook-timestamp`", "When it was sent, Unix seconds."],
          [
            "`webhook-signature`",
            "One or several, with a space between, each `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`. There are several for a day after the secret was changed; any of them counts.",
          ],
        ],
      },
      {
        id: "verify",
        title: "Verify the signature",
        texts: [
          "The panel shows the secret, `whsec_…`, at its page of tasks. What is signed are the bytes of the body as they came: verify before JSON is parsed. Refuse a message that is older than five minutes.",
        ],
        sample: "verify",
      },
      {
        id: "retries",
        title: "Repetition",
        texts: [
          "Answer 2xx within 15 seconds. Otherwise it is tried again: after 5 and 30 seconds, 2 and 10 minutes, 1, 3, 6 and 12 hours. A 410 ends it. The panel and the API show every try.",
        ],
        sample: "deliveries",
      },
    ],
  },
};
