/**
 * Guarantee: no text of an upstream carries the credential that was used, whatever its form, or the
 * upstream's name of a model that was sold under another (contract §4, §5).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openAiUpstream } from "./openai/upstream.ts";
import { anthropicUpstream } from "./anthropic/upstream.ts";
import { hideOperatorWords } from "./operator-words.ts";
import { readUpstreamError } from "./read-upstream-error.ts";

/** Of makes that no pattern knows: a UUID, words without a digit, an address, odd signs. */
const CREDENTIALS = [
  "5d9f0b6e-3c1a-4f2e-9b7d-0a1b2c3d4e5f",
  "correct-horse-battery-staple",
  "OnlyLettersAndNoDigits",
  "user:pa$$w.rd/+=?",
  "tiny",
];

const forms = (credential: string): string[] => [
  credential,
  credential.toUpperCase(),
  encodeURIComponent(credential),
  Buffer.from(credential).toString("base64"),
];

for (const credential of CREDENTIALS) {
  const hide = hideOperatorWords({ credential, upstreamModel: "m-1", soldModel: null });

  test(`a credential like ${credential} is in no words of an error, in a body, a stream or a whole answer`, () => {
    for (const form of forms(credential)) {
      // Also where the words are cut off in the midst of it.
      for (const before of ["", "x ".repeat(297)]) {
        const error = {
          message: `${before}The key ${form} is not known`,
          type: form,
          code: form,
          param: form,
          failed_generation: form,
        };
        const body = Buffer.from(JSON.stringify({ error }));
        const event = Buffer.concat([
          Buffer.from("event: error\ndata: "),
          body,
          Buffer.from("\n\n"),
        ]);
        const reported = [
          readUpstreamError({ status: 400, contentType: "application/json", body }, hide),
          readUpstreamError(
            { status: 400, contentType: "text/plain", body: Buffer.from(error.message) },
            hide,
          ),
          ...[openAiUpstream, anthropicUpstream].flatMap((upstream) => [
            upstream
              .createFrameReader(hide)
              .push(event)
              .map((frame) => frame.error),
            upstream.readAnswer(body, hide),
          ]),
        ];
        const text = JSON.stringify(reported).toLowerCase();
        assert.ok(
          !text.includes(form.toLowerCase()) && !text.includes(form.slice(0, 6).toLowerCase()),
          text,
        );
        assert.match(text, /\[removed\]/);
      }
    }
  });
}

test("a short credential is taken out where it stands by itself, and leaves longer words alone", () => {
  const hide = hideOperatorWords({
    credential: "sandbox",
    upstreamModel: "echo-large",
    soldModel: null,
  });
  assert.equal(
    hide("key sandbox, model sandbox-large, sandboxes"),
    "key [removed], model sandbox-large, sandboxes",
  );
});

test("the model goes by the name that it was sold by, and other words stay", () => {
  const table: readonly (readonly [upstreamModel: string, text: string, shown: string])[] = [
    ["echo-large", "The model `echo-large` does not exist.", "The model `SOLD` does not exist."],
    ["echo-large", "echo-large-2026-01-01 and Echo-Large: full.", "SOLD and SOLD: full."],
    ["gpt-x", "openai/gpt-x:free is busy", "SOLD is busy"],
    ["vendor/gpt-x", "gpt-x and vendor/gpt-x", "SOLD and SOLD"],
    ["gpt-x", "gpt-xl, mygpt-x, my_gpt-x", "gpt-xl, mygpt-x, my_gpt-x"],
    [
      "large",
      "Too large for model large; 'large' is full, a large one",
      "Too large for model SOLD; 'SOLD' is full, a large one",
    ],
    ["o1", "o1, o12, foo1", "SOLD, o12, foo1"],
    ["a$&b-1", "a$&b-1", "SOLD"],
  ];
  for (const [upstreamModel, text, shown] of table) {
    assert.equal(
      hideOperatorWords({ credential: "", upstreamModel, soldModel: "SOLD" })(text),
      shown,
      upstreamModel,
    );
    assert.equal(hideOperatorWords({ credential: "", upstreamModel, soldModel: null })(text), text);
  }
});
