/**
 * Guarantee: real Codex writes, reads and edits files by its custom and function tools over an
 * upstream of any protocol, one request for each step, each charged at what the upstream counts.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { ScriptStep } from "../../../sandbox/read-script.ts";
import { PROTOCOLS, type Protocol } from "../../support/protocol-pairs.ts";
import { codexBinary } from "./codex-binary.ts";
import { openCodexScene, scripted, type CodexScene } from "./codex-scene.ts";

const FILE = "слова.txt";
const patch = (...lines: string[]): ScriptStep => ({
  calls: [
    {
      name: "apply_patch",
      input: { input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") },
    },
  ],
});
const STEPS: readonly ScriptStep[] = [
  patch(`*** Add File: ${FILE}`, "+снег ❄️", '+"кавычки" и \\ черта'),
  { calls: [{ name: "exec_command", input: { cmd: `cat ${FILE}` } }] },
  patch(`*** Update File: ${FILE}`, "@@", "-снег ❄️", "+дождь", ' "кавычки" и \\ черта'),
  { text: "Готово: исправлено." },
];

const binary = codexBinary();

suite("codex works on files", { skip: binary === null && "codex is not installed" }, () => {
  let scene: CodexScene;
  before(async () => {
    scene = await openCodexScene(binary ?? "");
  });
  after(() => scene.close());

  for (const upstream of PROTOCOLS)
    test(`over an ${upstream} upstream`, async () => {
      await using user = await scene.user(upstream);
      const { code, events, output } = await user.start({ prompt: scripted(STEPS) }).ended;
      assert.equal(code, 0, output);
      assert.equal(readFileSync(join(user.work, FILE), "utf8"), 'дождь\n"кавычки" и \\ черта\n');
      const message = events.findLast(({ item }) => item?.type === "agent_message");
      assert.equal(message?.item?.text, "Готово: исправлено.");

      const { calls } = user.watched;
      assert.deepEqual(
        calls.map(({ method, path, status }) => [method, path, status]),
        STEPS.map(() => ["POST", "/v1/responses", 200]),
        output,
      );
      assert.deepEqual(
        calls.map(({ answer }) => /"type":"(custom_tool_call|function_call)"/.exec(answer)?.[1]),
        ["custom_tool_call", "function_call", "custom_tool_call", undefined],
      );
      const asked = user.asked();
      const sent = asked.map(({ body }) => JSON.stringify(body));
      assert.match(sent[2] ?? "", /снег ❄️\\+n\\+"кавычки/, "what was read came back");
      if (upstream !== "openai") assert.ok(hasSealedThought(upstream, asked[1]?.body ?? {}));

      const receipts = await user.paidReceipts();
      for (const { endpoint, state, detail } of receipts)
        assert.deepEqual(
          [endpoint, state, detail["droppedTools"]],
          ["responses", "completed", ["web_search"]],
        );
    });

  for (const upstream of PROTOCOLS)
    test(`a tool of a namespace is called by its own name over an ${upstream} upstream`, async () => {
      await using user = await scene.user(upstream);
      const called = upstream === "responses" ? "close_agent" : "multi_agent_v1__close_agent";
      const steps = [{ calls: [{ name: called, input: { target: "?" } }] }, { text: "Готово." }];
      // Codex offers them where it does not know the model.
      const { code, output } = await user.start({
        prompt: scripted(steps),
        model: `over-${upstream}`,
      }).ended;
      assert.equal(code, 0, output);
      const input = user.watched.calls[1]?.body["input"] as Record<string, unknown>[];
      const call = input.find(({ type }) => type === "function_call");
      assert.deepEqual([call?.["namespace"], call?.["name"]], ["multi_agent_v1", "close_agent"]);
      const result = input.find(({ type }) => type === "function_call_output");
      assert.equal(result?.["call_id"], call?.["call_id"]);
      assert.match(
        JSON.stringify(result),
        /agent id/,
        "what the tool itself says of no such agent",
      );
      await user.paidReceipts();
    });

  test("the books agree after all of this", () => scene.chat.verifyBooks());
});

/** Earlier thinking is back where it came from. */
function hasSealedThought(upstream: Protocol, body: Record<string, unknown>): boolean {
  const text = JSON.stringify(body);
  return upstream === "anthropic"
    ? /"type":"thinking"[^}]*"signature":"./.test(text)
    : /"type":"reasoning"[^}]*"encrypted_content":"./.test(text);
}
