/** Protects: a soak fails by what grew behind its beginning, by refusals and by its books, each by name. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Audit } from "../peers/peer.ts";
import { concludeSoak } from "./conclude-soak.ts";
import type { Note, SoakFindings } from "./soak.ts";

const MIB = 2 ** 20;
const ANSWERS = 3000;

const AUDIT: Audit = {
  title: "Tollgate",
  fsync: "on",
  synchronousCommit: "on",
  database: "PostgreSQL",
  verifyExitCode: 0,
  verifyOutput: "",
  answers: 60 * ANSWERS,
  charges: 60 * ANSWERS,
};

/** What a healthy gateway looks like in its slot of this number. */
function healthy(slot: number): Note {
  const answered = (slot + 1) * ANSWERS;
  return {
    seconds: (slot + 1) * 30,
    slotSeconds: 30,
    answers: ANSWERS,
    refused: 0,
    p50: [],
    p99: [],
    memory: { pss: (200 + ((slot * 17) % 40)) * MIB, rss: 0 },
    handles: { processes: 2, descriptors: 300, sockets: 250, threads: 22 },
    databaseMemory: 60 * MIB,
    heap: 50 * MIB,
    connections: 20,
    temporaryFiles: 0,
    tables: [
      {
        name: "grows",
        tableBytes: answered * 700,
        indexBytes: answered * 300,
        deadRows: 0,
        changes: false,
      },
      {
        name: "changes",
        tableBytes: 4 * MIB,
        indexBytes: MIB,
        deadRows: (slot % 2) * 5000,
        changes: true,
      },
    ],
    logBytes: ANSWERS * 400,
  };
}

function findings(note: (slot: number) => Note, more: Partial<SoakFindings> = {}): SoakFindings {
  const notes = Array.from({ length: 60 }, (_, slot) => note(slot));
  return { kinds: [], notes, audit: AUDIT, failures: [], ...more };
}

test("a gateway that only goes up and down is well, with what stays for each request told", () => {
  const { wrong, rows, answers, warmUpNotes } = concludeSoak(findings(healthy));
  assert.deepEqual(wrong, []);
  assert.deepEqual([answers, warmUpNotes], [60 * ANSWERS, 12]);
  const end = (name: string) => rows.find((row) => row.name === name)?.end;
  assert.deepEqual(
    [end("growingTables"), end("growingIndexes"), end("logBytes"), end("changingTables")],
    [700, 300, 400, 4],
  );
});

test("what grows at the beginning alone is none, and what goes on growing is named", () => {
  const settled = (slot: number) => Math.min(slot, 10) * 100;
  const leaks = (slot: number) => slot * 20;
  const withSockets = (sockets: (slot: number) => number) => (slot: number) => {
    const note = healthy(slot);
    return { ...note, handles: { ...note.handles, sockets: sockets(slot) } };
  };
  assert.deepEqual(concludeSoak(findings(withSockets(settled))).wrong, []);
  assert.deepEqual(concludeSoak(findings(withSockets(leaks))).wrong, [
    "sockets among them: it grew",
  ]);
});

test("a table that changes and is never given back is found, by its bytes and by its dead rows", () => {
  const bloated = findings((slot) => {
    const note = healthy(slot);
    const [grows, changes] = note.tables;
    assert.ok(grows !== undefined && changes !== undefined);
    return {
      ...note,
      tables: [grows, { ...changes, tableBytes: slot * 2 * MIB, deadRows: slot * 3000 }],
    };
  });
  assert.deepEqual(concludeSoak(bloated).wrong, [
    "tables whose rows change: it grew",
    "dead rows, for each request of a second: it grew",
  ]);
});

test("refusals, a failure, books that do not agree or were not looked at are each enough", () => {
  const refused = findings((slot) => ({ ...healthy(slot), refused: 100 }));
  assert.match(concludeSoak(refused).wrong.join(), /6000 of 186000 were refused/);
  assert.deepEqual(concludeSoak(findings(healthy, { failures: ["cut"] })).wrong, ["cut"]);
  assert.match(concludeSoak(findings(healthy, { audit: null })).wrong.join(), /not verified/);
  const audit = { ...AUDIT, charges: AUDIT.charges + 1 };
  assert.match(concludeSoak(findings(healthy, { audit })).wrong.join(), /180001 charges/);
  assert.deepEqual(concludeSoak({ ...findings(healthy), notes: [] }).wrong, [
    "there are too few notes to tell what grew",
  ]);
});
