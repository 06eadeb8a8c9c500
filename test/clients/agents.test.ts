/**
 * Guarantee: what coding agents really send works with 50 roubles on the account, whatever limits
 * they name and however many requests run at once (contract §5, §6).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type Anthropic from "@anthropic-ai/sdk";
import type { ChatCustomer } from "../support/chat-scene.ts";
import { PROTOCOLS, type Protocol } from "../support/protocol-pairs.ts";
import { sdkCompletion } from "../support/sdk-completion.ts";
import { sdkMessage } from "../support/sdk-message.ts";
import {
  CLAUDE_CODE_BETAS,
  claudeCodeHeaders,
  claudeCodeRequest,
  clineRequest,
  opencodeRequests,
} from "./agent-requests.ts";
import { openMatrixScene, type MatrixScene } from "./matrix-scene.ts";

let scene: MatrixScene;
before(async () => {
  scene = await openMatrixScene({
    families: { opus: "over-anthropic", sonnet: "over-openai", haiku: "over-responses" },
  });
});
after(() => scene.close());

/** As the agent names the model that stands behind an upstream of this protocol. */
const FAMILY_IDS: Readonly<Record<Protocol, string>> = {
  anthropic: "claude-opus-4-8",
  openai: "claude-sonnet-5",
  responses: "claude-haiku-4-5",
};

interface Reply {
  readonly requestId: string;
  readonly bytes: Buffer;
}

async function post(path: string, headers: Record<string, string>, body: object): Promise<Reply> {
  const response = await fetch(scene.chat.gateway.url + path, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, bytes.toString());
  return { requestId: response.headers.get("x-request-id") ?? "", bytes };
}

/** Nano-roubles; five-minute writes do not occur here. */
async function charged({ requestId }: Reply): Promise<bigint> {
  const { state, chargedNano } = await scene.chat.receipt(requestId);
  assert.equal(state, "completed");
  return chargedNano;
}

/**
 * All is over, nothing is held, and the account has paid for every request and no more than it had.
 */
async function settled(customer: ChatCustomer, replies: readonly Reply[]): Promise<void> {
  const costs = await Promise.all(replies.map(charged));
  const { charged: paid, held, available } = await scene.chat.money(customer.accountId);
  assert.deepEqual([paid, held], [costs.reduce((sum, cost) => sum + cost, 0n), 0n]);
  assert.ok(costs.every((cost) => cost > 0n) && available > 0n);
}

for (const upstream of PROTOCOLS) {
  test(`Claude Code over an ${upstream} upstream: from its first knock to the answer after a tool, three sessions at once`, async () => {
    const { url } = scene.chat.gateway;
    const customer = await scene.chat.customer({ roubles: "50" });
    const headers = claudeCodeHeaders(customer.secret);
    for (const path of ["/", "/api/hello"])
      assert.equal((await fetch(url + path, { method: "HEAD" })).status, 200, path);
    const models = await fetch(`${url}/v1/models?limit=1000`, { headers });
    const { data } = (await models.json()) as { data: { id: string; type: string }[] };
    assert.ok(data.some(({ id, type }) => id === `over-${upstream}` && type === "model"));

    const sessions = Array.from({ length: 3 }, async (_, session) => {
      const label = `<<${upstream}-${session}>>`;
      const body = claudeCodeRequest(FAMILY_IDS[upstream], `Read the file ${label}`);
      assert.ok(
        Math.abs(JSON.stringify(body).length - 48_000) < 3_000,
        `${JSON.stringify(body).length} bytes are not the size that was seen`,
      );
      const { model, messages, system, tools, thinking } = body;
      const counting = await post("/v1/messages/count_tokens?beta=true", headers, {
        model,
        messages,
        system,
        tools,
        thinking,
      });
      const { input_tokens: counted } = JSON.parse(counting.bytes.toString()) as {
        input_tokens: number;
      };

      const first = await post("/v1/messages?beta=true", headers, body);
      const message = (await sdkMessage(first.bytes)) as unknown as Anthropic.Message;
      assert.equal(message.stop_reason, "tool_use");
      assert.equal(message.model, `over-${upstream}`, "answered as the model that is mapped to");
      const [asked] = scene.asked(upstream, label);
      assert.ok(asked !== undefined);
      if (upstream === "anthropic") {
        assert.equal(asked.headers["anthropic-beta"], CLAUDE_CODE_BETAS);
        assert.equal(asked.headers["anthropic-version"], "2023-06-01");
        assert.equal(asked.path, "/v1/messages?beta=true");
        assert.deepEqual(
          asked.body,
          { ...body, model: "echo-large" },
          "nothing that it sends is lost",
        );
        assert.equal(message.usage.input_tokens, counted);
      } else {
        assert.ok(
          Number(
            asked.body["max_tokens"] ??
              asked.body["max_completion_tokens"] ??
              asked.body["max_output_tokens"],
          ) === 32_000,
          "no more than the model can give",
        );
        assert.deepEqual((asked.body["tools"] as object[]).length, 12);
      }
      assert.equal(
        (await scene.chat.receipt(first.requestId)).modelRequested,
        FAMILY_IDS[upstream],
      );

      const results = message.content.flatMap((block) =>
        block.type === "tool_use"
          ? [{ type: "tool_result", tool_use_id: block.id, content: `файл пуст ${session}` }]
          : [],
      );
      const turns = [
        ...body.messages,
        { role: "assistant", content: message.content },
        { role: "user", content: results },
      ];
      const second = await post("/v1/messages?beta=true", headers, { ...body, messages: turns });
      const answer = (await sdkMessage(second.bytes)) as unknown as Anthropic.Message;
      assert.equal(answer.stop_reason, "end_turn");
      const reported = answer.content
        .map((block) => (block.type === "text" ? block.text : ""))
        .join("");
      assert.match(reported, new RegExp(`answered: “файл пуст ${session}”`));
      return [first, second];
    });
    // Beside them it asks its small model for titles.
    const titles = Array.from({ length: 3 }, (_, at) => {
      const title = {
        model: "claude-haiku-4-5",
        max_tokens: 512,
        stream: true,
        messages: [{ role: "user", content: `Title ${at}` }],
      };
      return post("/v1/messages?beta=true", headers, title);
    });
    await settled(customer, [
      ...(await Promise.all(sessions)).flat(),
      ...(await Promise.all(titles)),
    ]);
  });

  const openAiHeaders = (secret: string): Record<string, string> => ({
    authorization: `Bearer ${secret}`,
    "content-type": "application/json",
  });

  test(`opencode over an ${upstream} upstream: a title and a task at once, in three windows`, async () => {
    const customer = await scene.chat.customer({ roubles: "50" });
    const replies = await Promise.all(
      Array.from({ length: 3 }, (_, at) =>
        opencodeRequests(`over-${upstream}`, `Почини сборку ${at} 🛠️`),
      )
        .flat()
        .map((body) => post("/v1/chat/completions", openAiHeaders(customer.secret), body)),
    );
    for (const [at, { bytes }] of replies.entries()) {
      const { completion } = await sdkCompletion(bytes);
      assert.equal(completion.choices[0]?.finish_reason, at % 2 === 0 ? "stop" : "tool_calls");
      assert.ok((completion.usage?.prompt_tokens ?? 0) > 100, "the usage chunk comes");
      assert.match(
        bytes.toString(),
        /"choices":\[\][^\n]*\n\ndata: \[DONE\]\n\n$/,
        "with no choices, right before the end",
      );
    }
    await settled(customer, replies);
  });

  test(`Cline over an ${upstream} upstream: 25 tools and no limit, through a call and its result, four at once`, async () => {
    const customer = await scene.chat.customer({ roubles: "50" });
    const headers = openAiHeaders(customer.secret);
    const runs = Array.from({ length: 4 }, async (_, at) => {
      const body = clineRequest(`over-${upstream}`, `Use list_files, please [${at}]`);
      const first = await post("/v1/chat/completions", headers, body);
      const message = (await sdkCompletion(first.bytes)).completion.choices[0]?.message;
      const [call] = message?.tool_calls ?? [];
      assert.ok(
        call?.type === "function" &&
          call.function.name === "list_files" &&
          message?.tool_calls?.length === 1,
      );
      const turns = [
        ...body.messages,
        message,
        { role: "tool", tool_call_id: call.id, content: `a.ts и ещё ${at}` },
      ];
      const second = await post("/v1/chat/completions", headers, { ...body, messages: turns });
      const { completion } = await sdkCompletion(second.bytes);
      assert.match(
        completion.choices[0]?.message.content ?? "",
        new RegExp(`list_files answered: “a\\.ts и ещё ${at}”`),
      );
      return [first, second];
    });
    await settled(customer, (await Promise.all(runs)).flat());
  });
}

test("the books agree after all of this", () => scene.chat.verifyBooks());
