/**
 * Protects: the load generator sends what the measures speak of: 2 kB, or 10 MB of images, with the
 * model where the upstream looks.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { requestBody, type BodyWish } from "./request-bodies.ts";

const folder = mkdtempSync(join(tmpdir(), "bodies-"));
after(() => rmSync(folder, { recursive: true }));

function written(wish: BodyWish): string {
  return readFileSync(requestBody(folder, wish), "utf8");
}

test("chat bodies have 2,048 bytes in all protocols and both forms, the model first and a place for the number", () => {
  for (const protocol of ["openai", "anthropic", "responses"] as const) {
    for (const streamed of [true, false]) {
      const text = written({ model: "whole-0", streamed, protocol });
      assert.equal(Buffer.byteLength(text), 2048);
      assert.ok(text.startsWith('{"model":"whole-0"'));
      assert.equal(text.split("################").length, 2);
      assert.equal((JSON.parse(text) as { stream?: boolean }).stream ?? false, streamed);
    }
  }
});

test("the body with images has 10 MB of them", () => {
  const text = written({ model: "whole-0", streamed: false, images: true });
  assert.ok(text.length > 9_990_000 && text.length < 10_010_000, String(text.length));
  assert.ok(text.startsWith('{"model":"whole-0"'));
  const { messages } = JSON.parse(text) as {
    messages: { content: { image_url?: { url: string } }[] }[];
  };
  const urls =
    messages[0]?.content.flatMap(({ image_url: image }) =>
      image === undefined ? [] : [image.url],
    ) ?? [];
  assert.equal(urls.length, 4);
  for (const url of urls)
    assert.equal(
      Buffer.from(url.split(",")[1] ?? "", "base64")
        .subarray(1, 4)
        .toString(),
      "PNG",
    );
});
