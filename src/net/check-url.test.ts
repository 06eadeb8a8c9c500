/**
 * Protects: what is public is let through as it is meant, and only what the operator named is let
 * through besides.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkUrl, URL_RULES, type UrlPolicy, type UrlRule } from "./check-url.ts";

const NONE: UrlPolicy = { allow: [] };

function outcome(text: string, policy: UrlPolicy = NONE): string {
  const verdict = checkUrl(text, policy);
  return verdict.ok ? verdict.url.href : verdict.rule;
}

test("public URLs pass, in their canonical form", () => {
  for (const [text, href] of [
    ["https://example.com/cat.png", "https://example.com/cat.png"],
    ["HTTPS://Example.COM/Cat.png", "https://example.com/Cat.png"],
    ["https://example.com", "https://example.com/"],
    ["https://example.com:443/a", "https://example.com/a"],
    ["http://example.com:443/a", "http://example.com:443/a"],
    ["https://example.com:80/a", "https://example.com:80/a"],
    ["https://example.com./a", "https://example.com/a"],
    ["https://example.com/a#part", "https://example.com/a"],
    [
      "https://example.com/a%20b?name=two%20words&x=a+b",
      "https://example.com/a%20b?name=two%20words&x=a+b",
    ],
    [
      "https://example.com/?next=http://user@127.0.0.1/",
      "https://example.com/?next=http://user@127.0.0.1/",
    ],
    ["https://example.com/кот.png", "https://example.com/%D0%BA%D0%BE%D1%82.png"],
    ["https://пример.рф/кот", "https://xn--e1afmkfd.xn--p1ai/%D0%BA%D0%BE%D1%82"],
    ["https://bücher.example.com/", "https://xn--bcher-kva.example.com/"],
    ["https://my_bucket.s3.example.com/key", "https://my_bucket.s3.example.com/key"],
    ["http://8.8.8.8/", "http://8.8.8.8/"],
    ["http://[2606:4700:4700::1111]/", "http://[2606:4700:4700::1111]/"],
    ["https://1.1.1.1.example.com/", "https://1.1.1.1.example.com/"],
    [
      `https://example.com/${"a".repeat(2048 - 20)}`,
      `https://example.com/${"a".repeat(2048 - 20)}`,
    ],
  ] as const) {
    assert.equal(outcome(text), href);
  }
  assert.equal(outcome(`https://example.com/${"a".repeat(2048 - 19)}`), "url_too_long");
});

test("an operator's host is let through at its port, and nowhere else", () => {
  const policy = {
    allow: [],
    allowHosts: [
      "127.0.0.1:8090",
      "[::1]:80",
      "minio:9000",
      "Files.internal",
      "db.example.com:5432",
    ],
  };
  for (const text of [
    "http://127.0.0.1:8090/a",
    "http://2130706433:8090/a",
    "http://[::1]/a",
    "http://minio:9000/a",
    "https://MINIO.:9000/a",
    "http://files.internal/a",
    "https://files.internal/a",
    "http://db.example.com:5432/",
  ]) {
    assert.ok(checkUrl(text, policy).ok, text);
  }
  for (const [text, rule] of [
    ["http://127.0.0.1/a", "address_not_public"],
    ["http://127.0.0.1:8091/a", "address_not_public"],
    ["http://127.0.0.2:8090/a", "address_not_public"],
    ["http://[::1]:8090/a", "address_not_public"],
    ["https://[::1]/a", "address_not_public"],
    ["http://minio/a", "internal_name"],
    ["http://minio:9001/a", "internal_name"],
    ["http://files.internal:8080/a", "internal_name"],
    ["http://x.files.internal/a", "internal_name"],
    ["http://db.example.com:5433/", "port"],
    ["http://user@127.0.0.1:8090/a", "credentials"],
    ["ftp://minio:9000/a", "scheme"],
  ] as const) {
    assert.equal(outcome(text, policy), rule, text);
  }
});

test("an allowed range opens its addresses at any port, in any spelling, and no other", () => {
  const policy = { allow: ["127.0.0.0/8", "10.5.0.7", "fd00:5::/32", "64:ff9b::/96"] };
  for (const text of [
    "http://127.0.0.1:45000/",
    "http://127.9.9.9:1/",
    "http://0x7f.1:45000/",
    "http://[::ffff:127.0.0.1]:45000/",
    "http://10.5.0.7:8080/",
    "http://[fd00:5::9]:8080/",
    // The address behind a translator must be one to which a caller may go.
    "http://[64:ff9b::8.8.8.8]/",
    "http://[64:ff9b::127.0.0.1]/",
    // Only its addresses can tell.
    "http://media.example.com:9000/",
  ]) {
    assert.ok(checkUrl(text, policy).ok, text);
  }
  for (const [text, rule] of [
    ["http://10.5.0.8:8080/", "address_not_public"],
    ["http://[::1]:45000/", "address_not_public"],
    ["http://[fd00:6::9]/", "address_not_public"],
    ["http://[64:ff9b::169.254.169.254]/", "address_not_public"],
    ["http://[64:ff9b::10.5.0.8]/", "address_not_public"],
    ["http://localhost:45000/", "internal_name"],
    ["http://8.8.8.8:45000/", "port"],
    ["http://[64:ff9b::8.8.8.8]:45000/", "port"],
  ] as const) {
    assert.equal(outcome(text, policy), rule, text);
  }
});

test("the operator's own public addresses can be refused", () => {
  const policy = { allow: ["93.184.216.34"], deny: ["93.184.216.0/24", "2606:4700::/32"] };
  assert.equal(outcome("http://93.184.216.35/", policy), "address_not_public");
  assert.equal(outcome("http://[2606:4700:4700::1111]/", policy), "address_not_public");
  assert.equal(outcome("http://93.184.216.34/", policy), "http://93.184.216.34/");
  assert.equal(outcome("http://93.184.217.1/", policy), "http://93.184.217.1/");
});

test("a refusal says its rule in words for the sender, and nothing that was sent", () => {
  for (const [text, rule] of [
    ["blob:https://example.com/1", "blob_url"],
    ["http://secret-name.internal/", "internal_name"],
    ["http://u:secret-word@example.com/", "credentials"],
  ] as const) {
    const verdict = checkUrl(text, NONE);
    assert.ok(!verdict.ok);
    assert.deepEqual([verdict.rule, verdict.message], [rule, URL_RULES[rule]]);
    assert.doesNotMatch(verdict.message, /secret/);
  }
  for (const [rule, message] of Object.entries(URL_RULES) as [UrlRule, string][]) {
    assert.match(rule, /^[a-z0-9_]+$/);
    assert.match(message, /^[A-Za-z].*\.$/);
  }
});

test("a body of a megabyte in place of a URL is judged at once", () => {
  const megabyte = 1_000_000;
  const began = performance.now();
  for (const text of [
    "a".repeat(megabyte),
    " ".repeat(megabyte),
    `${"a+".repeat(megabyte / 2)}:`,
    `http://${"@".repeat(megabyte)}`,
    `http://${"a.".repeat(megabyte / 2)}`,
  ]) {
    assert.ok(!checkUrl(text, NONE).ok);
  }
  assert.ok(performance.now() - began < 500, `took ${Math.round(performance.now() - began)} ms`);
});
