/** All measures, in the order in which they run. */
import { bigBodies } from "./big-bodies.ts";
import { bigLedger } from "./big-ledger.ts";
import { disk } from "./disk.ts";
import { firstToken, latency } from "./latency.ts";
import { longPrompts } from "./long-prompts.ts";
import type { Measure } from "./measure.ts";
import { openPassed, openStreams, openTranslated } from "./open-streams.ts";
import { overload } from "./overload.ts";
import { streams } from "./streams.ts";
import { throughput } from "./throughput.ts";
import { wholeAnswers } from "./whole-answers.ts";

export const MEASURES: readonly Measure[] = [
  openStreams,
  openPassed,
  openTranslated,
  wholeAnswers,
  disk,
  streams,
  latency,
  firstToken,
  bigBodies,
  longPrompts,
  throughput,
  overload,
  bigLedger,
];
