/**
 * Memory and processor time of a running process, as Linux tells them; elsewhere nothing is known.
 */
import { readFileSync } from "node:fs";

export interface ProcessFigures {
  readonly residentBytes: number;
  /** Since it began. */
  readonly cpuMs: number;
}

/** A tick of the kernel's accounting, which it shows in hundredths of a second on every machine. */
const TICK_MS = 10;

/**
 * Null: there is no such process, or the system does not say. The two small files come from memory,
 * so reading them waits for nothing.
 */
export function readProcessFigures(pid: number): ProcessFigures | null {
  try {
    const resident = /^VmRSS:\s+(\d+) kB$/m.exec(
      readFileSync(`/proc/${pid}/status`, "latin1"),
    )?.[1];
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name, in brackets, may hold anything; the fields behind it are numbers. The 14th and 15th
    // of all are user and system time.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return {
      residentBytes: Number(resident ?? 0) * 1024,
      cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
    };
  } catch {
    return null;
  }
}
