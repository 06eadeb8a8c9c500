/**
 * Protects: STORAGE_URL is understood as documented, and what is said of a mistake never shows a
 * secret.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseStorageUrl, type StoragePlace } from "./parse-storage-url.ts";

function placeOf(url: string): StoragePlace {
  const parsed = parseStorageUrl(url);
  assert.ok(parsed.ok, parsed.ok ? "" : parsed.message);
  return parsed.place;
}

const S3 = {
  kind: "s3",
  region: "us-east-1",
  bucket: "files",
  prefix: "",
  accessKeyId: "KEY",
  secretAccessKey: "SECRET",
};

test("a folder is taken as it is written", () => {
  for (const [url, folder] of [
    ["file:data/files", "data/files"],
    ["file:./data files/50%", "./data files/50%"],
    ["file:/var/lib/tollgate", "/var/lib/tollgate"],
    ["file:///var/lib/tollgate", "/var/lib/tollgate"],
  ] as const) {
    assert.deepEqual(placeOf(url), { kind: "local", folder });
  }
});

test("a bucket: encoded key and secret, region, prefix, and plain HTTP only when it is asked for", () => {
  const cases: [string, object][] = [
    ["s3://KEY:SECRET@files.example:9000/files", { endpoint: "https://files.example:9000" }],
    [
      "s3://KEY:SECRET@files.example/files/?region=ru-1",
      { endpoint: "https://files.example", region: "ru-1" },
    ],
    ["s3://KEY:SECRET@10.0.0.5:9000/files?http=1", { endpoint: "http://10.0.0.5:9000" }],
    ["s3://KEY:SECRET@minio:9000/files?tls=false", { endpoint: "http://minio:9000" }],
    [
      "s3://KEY:SECRET@[fd00::1]:9000/files?tls=true&http=0",
      { endpoint: "https://[fd00::1]:9000" },
    ],
    ["s3://KEY:SECRET@h/files?prefix=a/b", { endpoint: "https://h", prefix: "a/b/" }],
    ["s3://KEY:SECRET@h/files?prefix=a/", { endpoint: "https://h", prefix: "a/" }],
    [
      "s3://K%2FE:s%2Fe%2Bc%40r%3Ae%25t%3D+@h/files",
      { endpoint: "https://h", accessKeyId: "K/E", secretAccessKey: "s/e+c@r:e%t=+" },
    ],
    ["s3://KEY:SECRET@s3.amazonaws.com/files", { endpoint: null }],
    [
      "s3://KEY:SECRET@s3.amazonaws.com/files?region=eu-west-1",
      { endpoint: null, region: "eu-west-1" },
    ],
    [
      "s3://KEY:SECRET@s3.eu-central-1.amazonaws.com/files",
      { endpoint: null, region: "eu-central-1" },
    ],
    ["s3://KEY:SECRET@s3.evil-amazonaws.com/files", { endpoint: "https://s3.evil-amazonaws.com" }],
  ];
  for (const [url, expected] of cases) assert.deepEqual(placeOf(url), { ...S3, ...expected }, url);
});

test("a mistake says what to mend and repeats nothing of the address", () => {
  const mistakes = [
    "",
    "hunter2",
    "ftp://hunter2@h/files",
    "file:",
    "file://hunter2/data",
    "s3:hunter2",
    "s3://h/files",
    "s3://hunter2@h/files",
    "s3://:hunter2@h/files",
    "s3://KEY:@h/hunter2",
    "s3://KEY:hunter2/x@h/files",
    "s3://KEY:1234/hunter2@h/files",
    "s3://KEY:a?hunter2@h/files",
    "s3://KEY:a#hunter2@h/files",
    "s3://KEY:hunter2%@h/files",
    "s3://KEY:hunter2@h",
    "s3://KEY:hunter2@h/",
    "s3://KEY:hunter2@h/a/b",
    "s3://KEY:hunter2@h/arn:aws:s3",
    "s3://KEY:hunter2@h_%20x/files",
    "s3://KEY:hunter2@h:99999/files",
    "s3://KEY:hunter2@h/files?reigon=hunter2",
    "s3://KEY:hunter2@h/files?hunter2",
    "s3://KEY:hunter2@h/files?region=hunter2%0a",
    "s3://KEY:hunter2@h/files?http=hunter2",
    "s3://KEY:hunter2@h/files?tls=hunter2",
    ...["/hunter2", "a//hunter2", "../hunter2", "a/./hunter2", "hunter2/..", "hunter2%20"].map(
      (prefix) => `s3://KEY:x@h/files?prefix=${prefix}`,
    ),
  ];
  for (const url of mistakes) {
    const parsed = parseStorageUrl(url);
    assert.ok(!parsed.ok, url);
    assert.doesNotMatch(parsed.message, /hunter2/, url);
    assert.ok(parsed.message.length > 20, url);
  }
});
