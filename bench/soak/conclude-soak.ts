/** What the notes of a soak come to: begin, middle and end of each figure, and whether it grew. */
import { judgeAudits } from "../judge-audits.ts";
import { judgeGrowth, type Growth } from "./judge-growth.ts";
import type { Note, SoakFindings } from "./soak.ts";
import { SOAK_FIGURES, type SoakFigureName, type SoakFigures } from "./soak-figures.ts";

export interface SoakRow {
  readonly name: SoakFigureName;
  readonly begin: number;
  readonly middle: number;
  readonly end: number;
  readonly growth: Growth;
}

export interface SoakConclusion {
  readonly rows: readonly SoakRow[];
  /** So many notes at the beginning count for nothing: what grows as far as it has to grows there. */
  readonly warmUpNotes: number;
  readonly answers: number;
  readonly refused: number;
  /** What is wrong, a sentence each; none when all is well. */
  readonly wrong: readonly string[];
}

const WARM_UP_PART = 0.2;
const LEAST_WARM_UP_NOTES = 2;
const LEAST_LOOKS = 3;
/** At half of what it can a gateway refuses no caller; a busy machine may stop it for a moment. */
const MOST_REFUSED_PART = 0.01;

export function concludeSoak(found: SoakFindings): SoakConclusion {
  const { notes } = found;
  const warmUpNotes = Math.max(LEAST_WARM_UP_NOTES, Math.ceil(notes.length * WARM_UP_PART));
  const looks = notes
    .map((note, index) => ({ seconds: note.seconds, values: figuresOf(notes, index) }))
    .slice(warmUpNotes);
  const names = Object.keys(SOAK_FIGURES) as SoakFigureName[];
  const judged = looks.length < LEAST_LOOKS ? [] : names;
  const rows = judged.map((name): SoakRow => {
    const series = looks.map(({ seconds, values }) => ({ seconds, value: values[name] }));
    const at = (part: number): number =>
      series[Math.round((series.length - 1) * part)]?.value ?? Number.NaN;
    return {
      name,
      begin: at(0),
      middle: at(0.5),
      end: at(1),
      growth: judgeGrowth(series, SOAK_FIGURES[name].limit),
    };
  });
  const answers = sumOf(notes, (note) => note.answers);
  const refused = sumOf(notes, (note) => note.refused);
  const grown = rows
    .filter(({ growth }) => !growth.holds)
    .map(
      ({ name, growth }) =>
        `${SOAK_FIGURES[name].title}: ${Number.isFinite(growth.grown) ? "it grew" : "it was not seen"}`,
    );
  const crowded =
    refused > answers * MOST_REFUSED_PART
      ? [`${refused} of ${refused + answers} were refused`]
      : [];
  const unread = found.audit === null ? ["the ledger was not verified"] : [];
  return {
    rows,
    warmUpNotes,
    answers,
    refused,
    wrong: [
      ...found.failures,
      ...(rows.length === 0 ? ["there are too few notes to tell what grew"] : []),
      ...grown,
      ...crowded,
      ...unread,
      ...judgeAudits(found.audit === null ? [] : [found.audit]),
    ],
  };
}

const MIB = 2 ** 20;

/** What stays for each request is told by how much there is more than at the note before. */
function figuresOf(notes: readonly Note[], index: number): SoakFigures {
  const note = notes[index];
  if (note === undefined) throw new Error(`there is no note ${index}`);
  // Which tables change is known best at the end.
  const changing = new Set(
    notes.at(-1)?.tables.flatMap(({ name, changes }) => (changes ? [name] : [])) ?? [],
  );
  const bytes = (of: Note, changes: boolean, part: "tableBytes" | "indexBytes"): number =>
    sumOf(
      of.tables.filter(({ name }) => changing.has(name) === changes),
      (table) => table[part],
    );
  const before = notes[index - 1];
  const grownBytes = (part: "tableBytes" | "indexBytes"): number =>
    before === undefined
      ? Number.NaN
      : (bytes(note, false, part) - bytes(before, false, part)) / note.answers;
  return {
    memory: note.memory.pss / MIB,
    heap: note.heap / MIB,
    ...note.handles,
    databaseMemory: note.databaseMemory / MIB,
    databaseConnections: note.connections,
    temporaryFiles: note.temporaryFiles,
    changingTables: bytes(note, true, "tableBytes") / MIB,
    changingIndexes: bytes(note, true, "indexBytes") / MIB,
    deadRows: sumOf(note.tables, ({ deadRows }) => deadRows) / (note.answers / note.slotSeconds),
    growingTables: grownBytes("tableBytes"),
    growingIndexes: grownBytes("indexBytes"),
    logBytes: note.logBytes / note.answers,
  };
}

function sumOf<T>(all: readonly T[], value: (each: T) => number): number {
  return all.reduce((sum, each) => sum + value(each), 0);
}
