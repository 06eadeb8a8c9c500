/** What a soak looks at, and by how much each may grow: what chance does to it, and a slope besides. */

export interface SoakFigure {
  readonly title: string;
  readonly unit: "MiB" | "B" | "";
  readonly limit: GrowthLimit;
}

/** In the figure's unit. */
export interface GrowthLimit {
  /** However long the soak is: two looks at something that does not grow differ by so much. */
  readonly noise: number;
  readonly perHour: number;
}

const flat = (noise: number): GrowthLimit => ({ noise, perHour: 0 });

/**
 * Between two collections of everything a heap of V8 may become three times what the last one left
 * (tools/run-program.mjs), so that two looks at it differ by tens of megabytes.
 */
const HEAP: GrowthLimit = { noise: 64, perHour: 32 };

export const SOAK_FIGURES = {
  memory: { title: "memory of the gateway (PSS)", unit: "MiB", limit: { noise: 96, perHour: 48 } },
  heap: { title: "its heap in use, the lowest of a slot", unit: "MiB", limit: HEAP },
  processes: { title: "its processes", unit: "", limit: flat(2) },
  descriptors: { title: "its open descriptors", unit: "", limit: flat(128) },
  sockets: { title: "sockets among them", unit: "", limit: flat(128) },
  threads: { title: "its threads", unit: "", limit: flat(4) },
  databaseMemory: {
    title: "memory of PostgreSQL, shared buffers apart",
    unit: "MiB",
    limit: { noise: 48, perHour: 32 },
  },
  databaseConnections: { title: "its connections", unit: "", limit: flat(8) },
  temporaryFiles: { title: "temporary files it has written", unit: "", limit: flat(50) },
  changingTables: {
    title: "tables whose rows change",
    unit: "MiB",
    limit: { noise: 16, perHour: 32 },
  },
  changingIndexes: { title: "their indexes", unit: "MiB", limit: { noise: 16, perHour: 32 } },
  // A table that is vacuumed once a minute has the dead rows of a minute, or of two.
  deadRows: { title: "dead rows, for each request of a second", unit: "", limit: flat(300) },
  growingTables: { title: "tables that only grow, for each request", unit: "B", limit: flat(300) },
  growingIndexes: { title: "their indexes, for each request", unit: "B", limit: flat(300) },
  logBytes: { title: "log, for each request", unit: "B", limit: flat(100) },
} as const satisfies Readonly<Record<string, SoakFigure>>;

export type SoakFigureName = keyof typeof SOAK_FIGURES;
/** One look at everything. */
export type SoakFigures = Readonly<Record<SoakFigureName, number>>;
