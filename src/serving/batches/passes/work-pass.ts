/**
 * One step of a pass, from its state to the next (decision 30). What is certain stands in its row
 * before anything that may have been done without it.
 */
import {
  beginSubmission,
  isKnownRemote,
  passOverIn,
  passSubmitted,
  putBackPass,
  type PassRecord,
} from "../../../batches/passes.store.ts";
import type { Catalogue } from "../../../catalogue/catalogue.ts";
import type { UpstreamProtocol } from "../../../contract/enums/upstream-protocol.ts";
import type { Db } from "../../../db/database.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import type { BatchTarget, UpstreamBatches } from "../../../upstreams/batches/upstream-batches.ts";
import type { Intake } from "../../files/intake.ts";
import type { BatchPace } from "../batch-limits.ts";
import type { PassRoute } from "./assign-passes.ts";
import { collectResults } from "./collect-pass.ts";
import { composePass } from "./compose-pass.ts";
import { passTag } from "./pass-tag.ts";
import type { PassLines } from "./pass-lines.ts";

export interface PassDeps {
  readonly db: Db;
  readonly clock: Pick<Clock, "now">;
  readonly catalogue: { current(): { readonly catalogue: Catalogue } };
  /** For what is sent: no quota refuses it, and it is never stored. */
  readonly resultIntake: Intake;
  readonly pace: Pick<BatchPace, "pollMs" | "longestPollMs" | "unknownMs">;
  credential(name: string): string | undefined;
  /** Null for a protocol whose providers have none. */
  batchesOf(protocol: UpstreamProtocol): UpstreamBatches | null;
  /** Null: the prices of that version cannot be read now, or the route is there no more. */
  passLinesOf(priceVersion: number, route: PassRoute): Promise<PassLines | null>;
  onLine(outcome: string): void;
  onPass(outcome: string): void;
  /** Words of upstreams and what else an operator is to know. */
  onPassTrouble(pass: PassRecord, words: string): void;
}

/** After that long past its batch's day an upstream is given up. */
const GIVEN_UP_SECONDS = 24 * 3600;

interface Step {
  readonly deps: PassDeps;
  readonly pass: PassRecord;
  readonly leaseId: Uuid;
  readonly batches: UpstreamBatches;
  readonly target: BatchTarget & { readonly credentialName: string };
  readonly signal: AbortSignal;
}

/** Throws what no pass is to blame for; then it is tried again. */
export async function workPass(
  deps: PassDeps,
  pass: PassRecord,
  leaseId: Uuid,
  signal: AbortSignal,
): Promise<void> {
  const reach = reachOf(deps, pass);
  if (reach === null) {
    deps.onPassTrouble(pass, "its upstream is not there any more, or has no credential");
    // What was submitted is still there, and may be reached again while there is time.
    return pass.state === "waiting" || pass.overSeconds > 0
      ? over(deps, pass, leaseId, "unreached")
      : putBackPass(deps.db, pass, leaseId, deps.pace.longestPollMs);
  }
  const step = { deps, pass, leaseId, signal, ...reach };
  if (pass.state === "running") return follow(step);
  return pass.state === "submitting" ? lookForIt(step) : send(step);
}

function reachOf(
  { catalogue, credential, batchesOf }: PassDeps,
  pass: PassRecord,
): Pick<Step, "batches" | "target"> | null {
  const upstream = catalogue.current().catalogue.upstreams.get(pass.upstream);
  const batches = upstream === undefined ? null : batchesOf(upstream.protocol);
  if (upstream === undefined || batches === null) return null;
  // Another credential may be another account there.
  const names = pass.credential === null ? upstream.apiKeyEnv : [pass.credential];
  const name = names.find((one) => credential(one) !== undefined);
  const value = name === undefined ? undefined : credential(name);
  if (name === undefined || value === undefined) return null;
  const { baseUrl, timeoutsMs } = upstream;
  const { forward } = upstream.protocol === "anthropic" ? pass.passedOn : { forward: {} };
  const target = { baseUrl, timeoutsMs, credential: value, credentialName: name, forward };
  return { batches, target };
}

async function over(
  { db, onPass }: PassDeps,
  pass: PassRecord,
  leaseId: Uuid,
  outcome: string,
): Promise<void> {
  await db.transaction((tx) => passOverIn(tx, pass, leaseId));
  onPass(outcome);
}

/** Composed, uploaded, and only then submitted. */
async function send(step: Step): Promise<void> {
  const { deps, pass, leaseId, batches, target, signal } = step;
  const { db, pace } = deps;
  if (pass.stopped) return over(deps, pass, leaseId, "stopped");
  const lines = await deps.passLinesOf(pass.priceVersion, pass);
  if (lines === null) return over(deps, pass, leaseId, "unreached");
  const to = { batches, target, lines, signal };
  const composed = await composePass({ db, intake: deps.resultIntake }, pass, leaseId, to);
  if (composed === null) return over(deps, pass, leaseId, "empty");
  try {
    const upload = await batches.upload(target, composed.body);
    if (upload.kind !== "done") {
      deps.onPassTrouble(pass, upload.words);
      return upload.kind === "refused"
        ? await over(deps, pass, leaseId, "refused")
        : await putBackPass(db, pass, leaseId, pace.longestPollMs);
    }
    const { fileId } = upload;
    const sent = {
      credential: target.credentialName,
      remoteFile: fileId,
      lines: composed.lines,
    };
    if (!(await beginSubmission(db, pass, leaseId, sent))) return;
    const { body, path } = composed;
    const made = await batches.submit(target, { tag: passTag(pass), fileId, body, path });
    if (made.kind === "made") {
      await passSubmitted(db, pass, leaseId, made.id, pace.pollMs);
      return deps.onPass("submitted");
    }
    deps.onPassTrouble(pass, made.words);
    if (made.kind === "unknown") return await putBackPass(db, pass, leaseId, pace.pollMs);
    await over(deps, pass, leaseId, "refused");
    if (fileId !== null) await batches.tidy(target, [fileId]);
  } finally {
    await composed.discard();
  }
}

/** It was submitted, or was about to be. */
async function lookForIt(step: Step): Promise<void> {
  const { deps, pass, leaseId, batches, target } = step;
  const { db, clock, pace } = deps;
  const since = pass.submittedAt ?? clock.now();
  const wanted = { tag: passTag(pass), since, lines: pass.lines ?? 0 };
  const found = await batches.find(target, wanted);
  for (const id of found ?? [])
    if (!(await isKnownRemote(db, pass.upstream, id))) {
      await passSubmitted(db, pass, leaseId, id, pace.pollMs);
      return deps.onPass("found");
    }
  const waitedMs = clock.now().getTime() - since.getTime();
  if (found === null || waitedMs < pace.unknownMs)
    return pass.overSeconds > GIVEN_UP_SECONDS
      ? over(deps, pass, leaseId, "given_up")
      : putBackPass(db, pass, leaseId, pace.pollMs);
  return send(step);
}

async function follow(step: Step): Promise<void> {
  const { deps, pass, leaseId, batches, target } = step;
  const { db, pace } = deps;
  const id = pass.remoteId ?? "";
  const cancelSent = pass.cancelSent || (pass.stopped && (await batches.cancel(target, id)));
  const look = await batches.look(target, id);
  if (look.kind === "ended") return collect(step, look.results, cancelSent);
  if (look.kind === "later") deps.onPassTrouble(pass, look.words);
  if (look.kind === "gone" || pass.overSeconds > GIVEN_UP_SECONDS)
    return over(deps, pass, leaseId, look.kind === "gone" ? "gone" : "given_up");
  const ageMs = deps.clock.now().getTime() - (pass.submittedAt?.getTime() ?? 0);
  const afterMs = cancelSent
    ? pace.pollMs
    : Math.max(pace.pollMs, Math.min(pace.longestPollMs, ageMs / 10));
  return putBackPass(db, pass, leaseId, afterMs, cancelSent);
}

async function collect(step: Step, places: readonly string[], cancelSent: boolean): Promise<void> {
  const { deps, pass, leaseId, batches, target } = step;
  const { db, pace } = deps;
  const lines = await deps.passLinesOf(pass.priceVersion, pass);
  if (lines === null) return putBackPass(db, pass, leaseId, pace.longestPollMs, cancelSent);
  const { onLine } = deps;
  const collection = { db, lines, onLine, readResult: (line: Buffer) => batches.readResult(line) };
  for (const place of places) {
    const results = await batches.results(target, place);
    if (results === null) return putBackPass(db, pass, leaseId, pace.pollMs, cancelSent);
    await collectResults(collection, pass, leaseId, results);
  }
  await over(deps, pass, leaseId, "collected");
  const files = [pass.remoteFile, ...places].filter((file) => file !== null);
  if (pass.remoteFile !== null) await batches.tidy(target, files);
}
