/**
 * Guarantee: tool calls that their upstream does not number, or numbers alike, come to a caller of
 * the same protocol with indexes of their own, and no other byte of a stream is changed
 * (hazards §33, §114).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createChunkFrameReader } from "./create-frame-reader.ts";
import { createChunkPasser } from "./native-writer.ts";

const IDENTITY = {
  requestId: "r",
  created: 1,
  model: "m",
  answerModel: null,
  promptTokens: 1,
  includeUsage: true,
};

/** What a caller gets for these texts of events, each in a piece of its own. */
function passed(events: readonly string[], answerModel: string | null = null): string[] {
  const reader = createChunkFrameReader();
  const passer = createChunkPasser({ ...IDENTITY, answerModel });
  return events.map(
    (event) =>
      passer
        .writeAll(reader.push(Buffer.from(`data: ${event}\n\n`)))
        ?.toString()
        .slice(6, -2) ?? "",
  );
}

const chunk = (calls: string, choice = 0): string =>
  `{"id":"c", "n":1.0,"model":"m","choices" : [ {"index":${choice},"delta":{"tool_calls":[${calls}],"content":null},"finish_reason":null} ]}`;

/** `calls` of each chunk as they come, and as they go on. */
function checkCalls(...table: readonly (readonly [sent: string, expected: string])[]): void {
  assert.deepEqual(
    passed(table.map(([sent]) => chunk(sent))),
    table.map(([, expected]) => chunk(expected)),
  );
}

test("calls without an index get one behind all else that they say", () => {
  checkCalls(
    [
      '{"id":"a","function":{"name":"f","arguments":"{\\"index\\":{}}"} }, { "id":"b","type":"function","function":{"name":"g","arguments":{}}}',
      '{"id":"a","function":{"name":"f","arguments":"{\\"index\\":{}}"} ,"index":0}, { "id":"b","type":"function","function":{"name":"g","arguments":{}},"index":1}',
    ],
    [
      '{"id":"c","function":{"name":"f","arguments":"{}"}}',
      '{"id":"c","function":{"name":"f","arguments":"{}"},"index":2}',
    ],
  );
});

test("pieces without an index or an id belong to the last call, also where they only repeat each other", () => {
  const piece = (text: string): [string, string] => [
    `{"function":{"arguments":"${text}"}}`,
    `{"function":{"arguments":"${text}"},"index":1}`,
  ];
  checkCalls(
    [
      '{"id":"a","function":{"name":"f","arguments":"{}"}}',
      '{"id":"a","function":{"name":"f","arguments":"{}"},"index":0}',
    ],
    [
      '{"id":"b","function":{"name":"f","arguments":""}}',
      '{"id":"b","function":{"name":"f","arguments":""},"index":1}',
    ],
    piece("{"),
    ...Array.from({ length: 12 }, (_, at) => piece(` ${at}`)),
    piece("}"),
  );
});

test("a null or a text is no index, and a number of two calls is that of the first", () => {
  checkCalls(
    [
      '{"index":null,"id":"a","function":{"name":"f"}}',
      '{"index":0,"id":"a","function":{"name":"f"}}',
    ],
    [
      '{"index":"1","id":"b","function":{"name":"f"}}',
      '{"index":1,"id":"b","function":{"name":"f"}}',
    ],
    [
      '{"index":1,"id":"c","function":{"name":"g"}}',
      '{"index":2,"id":"c","function":{"name":"g"}}',
    ],
    ['{"index":1,"id":"d","custom":{"name":"h"}}', '{"index":3,"id":"d","custom":{"name":"h"}}'],
    ['{"index":1,"custom":{"input":"x"}}', '{"index":3,"custom":{"input":"x"}}'],
  );
});

test("calls that are told apart pass byte for byte, whatever their numbers", () => {
  const well = [
    '{"index":1,"id":"a","function":{"name":"f","arguments":""}}',
    '{"index":0,"id":"b","function":{"name":"f","arguments":""}}',
    '{"index":1,"id":"other","function":{"arguments":"{}"}}',
    '{"index":0,"id":"b","function":{"name":"f","arguments":"{}"}}',
  ];
  checkCalls(...well.map((calls) => [calls, calls] as const));
});

test("each choice numbers its own calls, and the model's name is changed beside", () => {
  const call = '{"id":"a","function":{"name":"f"}}';
  const sent = [chunk(call), chunk(call, 1)];
  const expected = [
    chunk(`${call.slice(0, -1)},"index":0}`),
    chunk(`${call.slice(0, -1)},"index":0}`, 1),
  ];
  assert.deepEqual(
    passed(sent, "ours"),
    expected.map((text) => text.replace('"model":"m"', '"model":"ours"')),
  );
});

test("calls that cannot be found in the bytes of their event pass as they are", () => {
  for (const event of [
    '{"choices":[null,{"index":0,"delta":{"tool_calls":[{"id":"a"}]}}]}',
    '{"choices":[{"index":0,"delta":{"tool_calls":[null,{"id":"a"}]}}]}',
    '{"choices":[{"index":0,"delta":{"tool_calls":["x",7,{}]}}]}',
  ])
    assert.deepEqual(passed([event]), [event]);
});
