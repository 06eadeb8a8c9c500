/** Protects: a sender's file name ends no header, leaves no quotes, and comes back as it was. */
import assert from "node:assert/strict";
import { validateHeaderValue } from "node:http";
import { test } from "node:test";
import { contentDisposition } from "./content-disposition.ts";

test("names are written so that old readers see ASCII and others the name itself", () => {
  for (const [fileName, value] of [
    ["cat.png", 'attachment; filename="cat.png"'],
    ['a"b\\c%.txt', `attachment; filename="a_b_c_.txt"; filename*=UTF-8''a%22b%5Cc%25.txt`],
    [
      "кот (1)'*.png",
      `attachment; filename="___ (1)'*.png"; filename*=UTF-8''%D0%BA%D0%BE%D1%82%20%281%29%27%2A.png`,
    ],
    [
      "a\r\nSet-Cookie: x",
      `attachment; filename="a__Set-Cookie: x"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x`,
    ],
  ] as const) {
    const written = contentDisposition({ inline: false, fileName });
    assert.equal(written, value);
    validateHeaderValue("content-disposition", written);
  }
  assert.equal(
    contentDisposition({ inline: true, fileName: "cat.png" }),
    'inline; filename="cat.png"',
  );
});
