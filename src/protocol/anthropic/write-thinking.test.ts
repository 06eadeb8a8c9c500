/**
 * Guarantee: an upstream is asked to think as hard as the caller wants, and never in a way that it
 * refuses.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  EMPTY_REQUEST,
  TARGET,
  TOOL,
  assistant,
  call,
  results,
  text,
  thought,
  user,
} from "../../../test/support/neutral-request.ts";
import type { NeutralRequest } from "../neutral/neutral-request.ts";
import { writeMessagesRequest } from "./request-from-neutral.ts";

const ASKED = [user(text("Привет"))];

function write(
  fields: Partial<NeutralRequest>,
  reasoning = TARGET.reasoning,
): Record<string, unknown> {
  const writing = writeMessagesRequest(
    { ...EMPTY_REQUEST, turns: ASKED, ...fields },
    { ...TARGET, reasoning },
  );
  assert.ok(writing.ok, writing.ok ? "" : writing.fault.message);
  return JSON.parse(writing.body.toString("utf8")) as Record<string, unknown>;
}

test("a model that thinks as much as it sees fit is told the effort, not a budget; one that does not think is not asked to", () => {
  const asked = (effort: string, reasoning: typeof TARGET.reasoning) => {
    const { thinking, output_config: config } = write(
      { reasoning: { kind: "effort", effort } },
      reasoning,
    );
    return [thinking, config];
  };
  assert.deepEqual(asked("high", "adaptive"), [{ type: "adaptive" }, { effort: "high" }]);
  assert.deepEqual(asked("minimal", "adaptive"), [{ type: "adaptive" }, { effort: "low" }]);
  assert.deepEqual(asked("none", "adaptive"), [undefined, undefined]);
  assert.deepEqual(asked("high", false), [undefined, undefined]);
});

test("how hard to think", () => {
  const table: [Partial<NeutralRequest>, unknown][] = [
    [{ reasoning: { kind: "off" } }, { type: "disabled" }],
    [{ reasoning: { kind: "effort", effort: "none" } }, undefined],
    [{ reasoning: { kind: "effort", effort: "hardly" } }, undefined],
    [
      { reasoning: { kind: "effort", effort: "minimal" } },
      { type: "enabled", budget_tokens: 2048 },
    ],
    [{ reasoning: { kind: "effort", effort: "low" } }, { type: "enabled", budget_tokens: 2048 }],
    [{ reasoning: { kind: "effort", effort: "medium" } }, { type: "enabled", budget_tokens: 8192 }],
    [{ reasoning: { kind: "effort", effort: "high" } }, { type: "enabled", budget_tokens: 16_384 }],
    [
      { reasoning: { kind: "effort", effort: "xhigh" } },
      { type: "enabled", budget_tokens: 32_000 },
    ],
    [
      { reasoning: { kind: "effort", effort: "high" }, maxTokens: 4096 },
      { type: "enabled", budget_tokens: 3072 },
    ],
    [
      { reasoning: { kind: "effort", effort: "low" }, maxTokens: 2048 },
      { type: "enabled", budget_tokens: 1024 },
    ],
    [{ reasoning: { kind: "effort", effort: "low" }, maxTokens: 2047 }, undefined],
    [{ reasoning: { kind: "budget", tokens: 5000.5 } }, { type: "enabled", budget_tokens: 5000 }],
    [{ reasoning: { kind: "budget", tokens: 1 } }, { type: "enabled", budget_tokens: 1024 }],
    [
      { reasoning: { kind: "budget", tokens: 500_000 } },
      { type: "enabled", budget_tokens: 62_976 },
    ],
    [{ reasoning: { kind: "adaptive", effort: null } }, { type: "adaptive" }],
  ];
  for (const [fields, thinking] of table)
    assert.deepEqual(write(fields).thinking, thinking, JSON.stringify(fields));
  assert.deepEqual(write({ reasoning: { kind: "adaptive", effort: "max" } }).output_config, {
    effort: "max",
  });
  assert.equal(
    write({ reasoning: { kind: "adaptive", effort: "minimal" } }).output_config,
    undefined,
  );
});

test("while the model thinks it is sampled as the vendor demands", () => {
  const reasoning = { kind: "effort", effort: "low" } as const;
  const body = write({ reasoning, temperature: 0.2, topK: 5, topP: 0.9 });
  assert.deepEqual([body.temperature, body.top_k, body.top_p], [undefined, undefined, undefined]);
  assert.equal(write({ reasoning, topP: 0.95 }).top_p, 0.95);
  assert.equal(write({ reasoning: { kind: "off" }, temperature: 0.2 }).temperature, 0.2);
});

test("a request that the vendor would refuse with thinking goes out without", () => {
  const reasoning = { kind: "effort", effort: "low" } as const;
  const ON = { type: "enabled", budget_tokens: 2048 };
  const tools = [TOOL];
  const again = user(text("ещё"));
  const table: [string, Partial<NeutralRequest>, unknown][] = [
    ["a tool that must be called", { toolChoice: { kind: "required" } }, undefined],
    ["a certain tool that must be called", { toolChoice: { kind: "tool", name: "f" } }, undefined],
    ["a free choice", { toolChoice: { kind: "auto" } }, ON],
    ["an answer that goes on", { turns: [...ASKED, assistant(text("{"))] }, undefined],
    [
      "a call without thinking",
      { turns: [...ASKED, assistant(call("1")), results("1")] },
      undefined,
    ],
    [
      "a call whose thinking has no seal",
      { turns: [...ASKED, assistant(thought(null), call("1")), results("1")] },
      undefined,
    ],
    [
      "a call after thinking",
      { turns: [...ASKED, assistant(thought("s"), call("1")), results("1")] },
      ON,
    ],
    [
      "a call after hidden thinking",
      {
        turns: [
          ...ASKED,
          assistant({ kind: "redacted-thinking", data: "d" }, call("1")),
          results("1"),
        ],
      },
      ON,
    ],
    [
      "a second call without",
      {
        turns: [
          ...ASKED,
          assistant(thought("s"), call("1")),
          results("1"),
          assistant(call("2")),
          results("2"),
        ],
      },
      undefined,
    ],
    [
      "an earlier turn without",
      { turns: [...ASKED, assistant(call("1")), results("1"), assistant(text("да")), again] },
      ON,
    ],
    ["no call at all", { turns: [...ASKED, assistant(text("да")), again] }, ON],
  ];
  for (const [name, fields, thinking] of table)
    assert.deepEqual(write({ tools, reasoning, ...fields }).thinking, thinking, name);
  const adaptive = { kind: "adaptive", effort: "low" } as const;
  const called = [...ASKED, assistant(call("1")), results("1")];
  assert.deepEqual(write({ tools, reasoning: adaptive, turns: called }).thinking, {
    type: "adaptive",
  });
  const forced = write({
    tools,
    reasoning: adaptive,
    toolChoice: { kind: "required" },
    temperature: 0.5,
  });
  assert.deepEqual(
    [forced.thinking, forced.output_config, forced.temperature],
    [undefined, { effort: "low" }, 0.5],
  );
});
