/**
 * Guards descriptions of providers: what is left out has its default, and every mistake is told at
 * once, with its place and what was meant.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogue } from "../../test/support/read-catalogue.ts";
import { mistakeLine } from "./live-catalogue.ts";

const ENV = { KEY: "secret-value" };

/** A catalogue with one described upstream; `task` is indented by six spaces. */
function file(task: string, protocol = "http-task"): string {
  return `upstreams:
  up:
    protocol: ${protocol}
    baseUrl: https://up.example
    apiKeyEnv: KEY
${task}
models:
  m: { type: task, parameters: T2, price: { unit: video, quantity: 1, amount: "1" }, routes: [ { upstream: up, model: x } ] }
`;
}

const SMALLEST = `    task:
      submit: { path: /tasks, id: /id }
      poll: { path: "/tasks/{id}", state: { at: /state, values: { done: succeeded } }, result: { urls: /url } }`;

function mistakesOf(source: string): string[] {
  const reading = readCatalogue(source, ENV);
  return reading.ok ? [] : reading.mistakes.map(mistakeLine);
}

test("what a description leaves out has the documented default", () => {
  const reading = readCatalogue(file(SMALLEST), ENV);
  assert.ok(reading.ok, JSON.stringify(reading));
  assert.deepEqual(reading.catalogue.upstreams.get("up")?.task, {
    auth: { kind: "header", name: "authorization", prefix: "Bearer " },
    headers: {},
    success: null,
    errors: { code: [], message: [], codes: new Map(), statuses: new Map(), messages: new Map() },
    submit: {
      method: "POST",
      path: "/tasks",
      query: {},
      headers: {},
      body: new Map(),
      input: "",
      id: "/id",
      urls: {},
      codes: new Map(),
    },
    poll: {
      method: "GET",
      path: "/tasks/{id}",
      url: null,
      state: { at: "/state", values: new Map([["done", "succeeded"]]), absent: null },
      failure: { present: null, code: [], message: [], codes: new Map() },
      result: {
        urls: ["/url"],
        otherwise: [],
        json: false,
        second: null,
        authorize: false,
        blocked: null,
      },
      progress: null,
      queuePosition: null,
      cost: null,
      codes: new Map(),
    },
    lookUp: null,
    cancel: null,
    callbackId: [],
    schedule: { firstMs: 2_000, minMs: 2_000, maxMs: 30_000 },
    graceSeconds: 60,
    naming: "snake_case",
    tables: new Map(),
  });
});

test("the protocol http-task needs a description, and no other takes one", () => {
  assert.deepEqual(mistakesOf(file("")), ["line 2: upstreams.up.task: required, and missing"]);
  const [mistake = "", ...more] = mistakesOf(file(SMALLEST, "kie"));
  assert.match(mistake, /^line 6: upstreams\.up\.task: kie says by itself how the API is called/);
  assert.deepEqual(more, []);
});

test("every mistake of a description is told at once, with its line", () => {
  const broken = `    task:
      auth: { header: "x y", query: key }
      headers: { Content-Length: "3", x-ok: "{model}" }
      success: { at: code, equals: [] }
      errors: { codes: { 1: bussy }, statuses: { 4xx: busy }, messages: { nsfw: blocked } }
      submit:
        method: GET
        path: tasks/{modell}
        body: { model: "{model}", /x: "{nothing}", /y: "{half" }
        urls: { status: /status_url }
      poll:
        path: /tasks
        url: state
        state: { at: /state, values: { done: finished }, absent: runing }
        result: { json: yes, second: { value: /x } }
        progress: { at: /p, of: 0 }
        cost: { at: /c }
      lookUp: { path: /tasks, id: /id }
      cancel: { done: maybe }
      callbackId: [task_id]
      schedule: { minMs: 9000, maxMs: 1000, firstMs: 1 }
      graceSeconds: -1
      naming: camelCase
      tables:
        T20: { drop: [x] }
        T3:
          drop: [durations]
          inModel: [modell]
          fields:
            promt: /prompt
            prompt: { too: /prompt }
            duration: { to: duration, as: int, at: /x }
          constants: { service: a }
          choices: [ { when: { duration: { over: 12 } } }, { model: x } ]
      colour: red`;
  const found = mistakesOf(file(broken));
  const expected = [
    /^line 7: .*task\.auth: either a header, with a prefix if it has one, or a query is expected$/,
    /^line 8: .*headers\.Content-Length: the header Content-Length is set by the call itself$/,
    /^line 8: .*headers\.x-ok: there is no place \{model\} here; none is defined$/,
    /^line 9: .*success\.at: a JSON pointer is expected, such as \/data\/taskId, not "code"$/,
    /^line 9: .*success\.equals: at least one value is expected$/,
    /^line 10: .*errors\.codes: codes need a place where they are found/,
    /^line 10: .*errors\.codes\.1: "bussy" is not one of the known words; did you mean "busy"\?$/,
    /^line 10: .*errors\.statuses\.4xx: an HTTP status is expected, such as 409, not "4xx"$/,
    /^line 10: .*errors\.messages\.nsfw: "blocked" is not one of the known words; /,
    /^line 11: .*submit\.id: required, and missing$/,
    /^line 12: .*submit\.method: "GET" is not one of the known words; known: POST, PUT$/,
    /^line 13: .*submit\.path: there is no place \{modell\} here; did you mean "model"\?$/,
    /^line 14: .*submit\.body\.model: the keys here are JSON pointers, such as \/output_format, not "model"$/,
    /^line 14: .*submit\.body\["\/x"\]: there is no place \{nothing\} here; /,
    /^line 14: .*submit\.body\["\/y"\]: a place is written \{name\} or \{\+name\}; "\{half" has a brace without its other$/,
    /^line 17: .*poll\.path: has no place \{id\}, so it cannot ask for one task$/,
    /^line 19: .*poll\.state\.values\.done: "finished" is not one of the known words; /,
    /^line 19: .*poll\.state\.absent: "runing" is not one of the known words; did you mean "running"\?$/,
    /^line 20: .*poll\.result\.urls: required, and missing$/,
    /^line 20: .*poll\.result\.json: "yes" is not one of the known words; known: true, false$/,
    /^line 20: .*poll\.result\.second: a path is expected, or the url among those that the submission returns$/,
    /^line 21: .*poll\.progress\.of: a whole number from 1 to 1000000 is expected, not "0"$/,
    /^line 22: .*poll\.cost\.unit: required, and missing$/,
    /^line 23: .*lookUp\.path: has no place \{attempt\}, and there is no list in which it could be found$/,
    /^line 24: .*cancel: a path is expected, or the url among those that the submission returns$/,
    /^line 24: .*cancel\.done: "maybe" is not one of the known words; /,
    /^line 25: .*callbackId\[0\]: a JSON pointer is expected/,
    /^line 26: .*schedule\.firstMs: a whole number from 100 to 3600000 is expected, not "1"$/,
    /^line 27: .*graceSeconds: a whole number from 0 to 86400 is expected, not "-1"$/,
    /^line 28: .*naming: "camelCase" is not one of the known words; known: snake_case, same$/,
    /^line 30: .*tables\.T20: there is no parameter table "T20"; /,
    /^line 32: .*tables\.T3\.drop\[0\]: the table has no parameter "durations"; did you mean "duration"\?$/,
    /^line 33: .*tables\.T3\.inModel\[0\]: the table has no parameter "modell"; /,
    /^line 35: .*tables\.T3\.fields\.promt: the table has no parameter "promt"; did you mean "prompt"\?$/,
    /^line 36: .*tables\.T3\.fields\.prompt\.too: unknown key "too"; did you mean "to"\?$/,
    /^line 36: .*tables\.T3\.fields\.prompt\.to: required, and missing$/,
    /^line 37: .*tables\.T3\.fields\.duration\.to: a JSON pointer is expected/,
    /^line 37: .*tables\.T3\.fields\.duration\.as: "int" is not one of the known words; /,
    /^line 37: .*tables\.T3\.fields\.duration\.at: is a place in item, and there is no item$/,
    /^line 38: .*tables\.T3\.constants\.service: the keys here are JSON pointers/,
    /^line 39: .*choices\[0\]\.when\.duration\.over: unknown key "over"; /,
    /^line 39: .*choices\[0\]\.when\.duration: a value is expected, or one of \{ given: true \} and \{ above: 12 \}$/,
    /^line 39: .*choices\[1\]\.when: required, and missing$/,
    /^line 40: .*task\.colour: unknown key "colour"; /,
  ];
  for (const line of expected)
    assert.ok(
      found.some((mistake) => line.test(mistake)),
      `${String(line)} is not among\n${found.join("\n")}`,
    );
  const others = found.filter((mistake) => !expected.some((line) => line.test(mistake)));
  assert.deepEqual(others, []);
});

test("what only shows in a description that is whole is told too", () => {
  const more = (submit: string, poll: string, rest = ""): string[] =>
    mistakesOf(
      file(`    task:
      submit: { path: /tasks, id: /id${submit} }
      poll: { state: { at: /s, values: { done: succeeded } }, result: { urls: /u }, ${poll} }${rest}`),
    );
  assert.match(
    more(", urls: { status: /s }", "url: state")[0] ?? "",
    /poll\.url: the submission keeps no url "state"; did you mean "status"\?/,
  );
  assert.match(more("", "url: state")[0] ?? "", /none is defined/);
  assert.match(
    more("", 'path: "{+path}/{id}"')[0] ?? "",
    /\{path\} is that of a parameter table, and no table is described/,
  );
  const [pathless = "", ...others] = more(
    "",
    'path: "{+path}/{id}"',
    "\n      tables: { T3: { path: /a }, T5: { drop: [mode] } }",
  );
  assert.match(pathless, /tables\.T5: has no path, which \{path\} in the calls stands for/);
  assert.deepEqual(others, []);
  const [none = ""] = mistakesOf(file(SMALLEST.replace("done: succeeded", "done: running")));
  assert.match(none, /no state means succeeded, so no task would ever be completed/);
  const [schedule = ""] = more(
    "",
    'path: "/{id}"',
    "\n      schedule: { minMs: 9000, maxMs: 1000 }",
  );
  assert.match(schedule, /schedule: minMs, 9000, is more than maxMs, 1000/);
});

/** Neither the sentences nor what they are made of has the value. */
function assertKept(source: string, env: typeof ENV): void {
  const reading = readCatalogue(source, env);
  assert.ok(!reading.ok && reading.mistakes.length > 0);
  assert.ok(
    !JSON.stringify(reading.mistakes).includes("secret-value"),
    JSON.stringify(reading.mistakes, null, 1),
  );
}

test("values of the environment stand in descriptions, and are never told", () => {
  const reading = readCatalogue(
    file(
      SMALLEST.replace(
        "id: /id }",
        'id: /id, body: { /project: "${KEY}", /size: 5, /list: [1, a, null, true] } }',
      ),
    ),
    ENV,
  );
  assert.ok(reading.ok, JSON.stringify(reading));
  assert.deepEqual(
    [...(reading.catalogue.upstreams.get("up")?.task?.submit.body ?? [])],
    [
      ["/project", "secret-value"],
      ["/size", 5],
      ["/list", [1, "a", null, true]],
    ],
  );
  for (const place of [
    'path: "${KEY}"',
    'path: /x, method: "${KEY}"',
    'path: /x, query: { a: "{${KEY}}" }',
  ]) {
    const source = file(SMALLEST.replace("path: /tasks, id", `${place}, id`));
    assert.ok(mistakesOf(source).length > 0, place);
    assertKept(source, ENV);
  }
  const elsewhere = `, url: "\${KEY}", queuePosition: "\${KEY}" }\n      tables: { T3: { path: "\${KEY}", drop: ["\${KEY}"], fields: { prompt: { to: /a, as: "\${KEY}" } } } }`;
  const source = file(SMALLEST.replace(/ \}$/, elsewhere));
  assert.equal(mistakesOf(source).length, 5);
  assertKept(source, ENV);
  assertKept(file(SMALLEST.replace("task:", 'task:\n      auth: { header: "${KEY}" }')), {
    KEY: "secret-value with a space",
  });
});

test("aliases that lead back to themselves end in a mistake", () => {
  const found = mistakesOf(
    file(SMALLEST.replace("id: /id }", "id: /id, body: { /a: &a [ *a ] } }")),
  );
  assert.ok(
    found.some((mistake) => /nest at most 8 deep/.test(mistake)),
    found.join("\n"),
  );
});
