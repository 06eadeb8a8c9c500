/**
 * Guards conditional requests: a client that has the file does not get it again, nor continues it
 * with another's bytes (RFC 9110 §13).
 */
import assert from "node:assert/strict";
import type { IncomingHttpHeaders } from "node:http";
import { test } from "node:test";
import { checkConditions, rangeApplies } from "./conditions.ts";

const STORED = { etag: '"abc"', modifiedAt: new Date("2026-11-21T09:30:00.750Z") };
const AT = "Sat, 21 Nov 2026 09:30:00 GMT";
const BEFORE = "Sat, 21 Nov 2026 09:29:59 GMT";

test("tags go before times, and what is asked first decides", () => {
  for (const [headers, outcome] of [
    [{}, "go"],
    [{ "if-none-match": '"abc"' }, "not_modified"],
    [{ "if-none-match": 'W/"abc"' }, "not_modified"],
    [{ "if-none-match": '"x", "abc"' }, "not_modified"],
    [{ "if-none-match": "*" }, "not_modified"],
    [{ "if-none-match": '"ab"' }, "go"],
    [{ "if-none-match": "abc" }, "go"],
    [{ "if-none-match": '"x"', "if-modified-since": AT }, "go"],
    [{ "if-modified-since": AT }, "not_modified"],
    [{ "if-modified-since": BEFORE }, "go"],
    [{ "if-modified-since": "yesterday" }, "go"],
    [{ "if-modified-since": "2099" }, "go"],
    [{ "if-modified-since": "2099-01-01T00:00:00Z" }, "go"],
    [{ "if-modified-since": "Saturday, 21-Nov-26 09:30:00 GMT" }, "not_modified"],
    [{ "if-modified-since": "Sat Nov 21 09:30:00 2026" }, "not_modified"],
    [{ "if-modified-since": "Sat Nov 21 09:29:59 2026" }, "go"],
    [{ "if-match": '"abc"' }, "go"],
    [{ "if-match": "*" }, "go"],
    [{ "if-match": '"x", "abc"' }, "go"],
    [{ "if-match": 'W/"abc"' }, "failed"],
    [{ "if-match": '"x"' }, "failed"],
    [{ "if-match": '"x"', "if-none-match": '"abc"' }, "failed"],
    [{ "if-match": '"abc"', "if-unmodified-since": BEFORE }, "go"],
    [{ "if-unmodified-since": AT }, "go"],
    [{ "if-unmodified-since": BEFORE }, "failed"],
    [{ "if-unmodified-since": "never" }, "go"],
    [{ "if-unmodified-since": "1" }, "go"],
  ] as const) {
    assert.equal(checkConditions(headers, STORED), outcome, JSON.stringify(headers));
  }
});

test("a range is given only of the very file that the caller has a part of", () => {
  for (const [ifRange, applies] of [
    [undefined, true],
    ['"abc"', true],
    ['W/"abc"', false],
    ['"x"', false],
    [AT, true],
    [BEFORE, false],
    ["Sat, 21 Nov 2026 09:30:01 GMT", false],
    ["nonsense", false],
  ] as const) {
    const headers: IncomingHttpHeaders = ifRange === undefined ? {} : { "if-range": ifRange };
    assert.equal(rangeApplies(headers, STORED), applies, String(ifRange));
  }
});
