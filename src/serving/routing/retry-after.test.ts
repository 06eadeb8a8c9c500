/**
 * Protects: whatever form an upstream gives its retry-after, we wait as long as it asked, and
 * nonsense delays no request (contract §5).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readRetryAfter } from "./retry-after.ts";

const DATE = "Wed, 21 Oct 2026 07:28:00 GMT";

const CASES: readonly (readonly [
  name: string,
  headers: Record<string, string | string[]>,
  seconds: number | null,
])[] = [
  ["nothing", {}, null],
  ["seconds", { "retry-after": "7" }, 7],
  ["zero seconds", { "retry-after": "0" }, 0],
  ["a fraction, rounded up", { "retry-after": "0.2" }, 1],
  ["milliseconds, rounded up", { "retry-after-ms": "1500" }, 2],
  [
    "milliseconds beside seconds: the finer one counts",
    { "retry-after-ms": "250", "retry-after": "9" },
    1,
  ],
  [
    "milliseconds that are none, beside seconds",
    { "retry-after-ms": "soon", "retry-after": "9" },
    9,
  ],
  [
    "a date, by the answer's own clock",
    { "retry-after": "Wed, 21 Oct 2026 07:28:30 GMT", date: DATE },
    30,
  ],
  ["a date that is over", { "retry-after": "Wed, 21 Oct 2026 07:27:00 GMT", date: DATE }, 0],
  [
    "a date without a clock to set it against",
    { "retry-after": "Wed, 21 Oct 2026 07:28:30 GMT" },
    null,
  ],
  ["a date that is none", { "retry-after": "Wed, 99 Oct 2026 07:28:30 GMT", date: DATE }, null],
  ["a header that came twice", { "retry-after": ["3", "5"] }, 3],
  ["next year", { "retry-after": "31536000" }, 86_400],
  ["a negative number", { "retry-after": "-5" }, null],
  ["an exponent", { "retry-after": "1e9" }, null],
  ["words", { "retry-after": "soon" }, null],
];

for (const [name, headers, seconds] of CASES) {
  test(`retry-after: ${name}`, () => assert.equal(readRetryAfter(headers), seconds));
}
