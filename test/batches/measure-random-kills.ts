/**
 * `node test/batches/measure-random-kills.ts [LINES] [SEED] [MS]`: a large batch with random kills, and
 * how long it took. MS: a process is killed so long after the one before, at most. Exits with 1 where a line was paid twice or lost.
 */
import { runRandomKills } from "./random-kills.ts";

const [, , lines = "10000", seed = "1", killWithinMs = "15000"] = process.argv;
const report = await runRandomKills({
  lines: Number(lines),
  processes: 2,
  seed: Number(seed),
  killWithinMs: Number(killWithinMs),
});
const { kills, askedAgain, ms } = report;
process.stdout.write(
  `${lines} lines, seed ${seed}: ${kills} kills, ${askedAgain} lines asked again, ${Math.round(ms / 1000)} s; each answered and charged once\n`,
);
