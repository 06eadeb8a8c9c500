/**
 * Examines an installation: every check by itself, each within its deadline, and no secret in what
 * is said.
 */
import { credentialNames } from "../../catalogue/catalogue.ts";
import type { Db } from "../../db/database.ts";
import { abortable, startCall } from "../../net/bounded-call.ts";
import { credentialForms } from "../../protocol/credential-forms.ts";
import { checkBackups } from "./check-backups.ts";
import { checkBooks } from "./check-books.ts";
import { checkCatalogue, findCatalogue } from "./check-catalogue.ts";
import { checkCertificates } from "./check-certificates.ts";
import { checkCollector } from "./check-collector.ts";
import {
  checkClock,
  checkDatabase,
  checkMigrations,
  unmade,
  unreachable,
} from "./check-database.ts";
import { checkDisk } from "./check-disk.ts";
import { checkDistribution } from "./check-distribution.ts";
import { checkGateway } from "./check-gateway.ts";
import { checkMail } from "./check-mail.ts";
import { checkPayments } from "./check-payments.ts";
import { checkProxy } from "./check-proxy.ts";
import { checkReplica } from "./check-replica.ts";
import { checkSecrets } from "./check-secrets.ts";
import { checkStorage } from "./check-storage.ts";
import { checkTelegram } from "./check-telegram.ts";
import { checkUpstreams } from "./check-upstreams.ts";
import type { Check, DoctorDeps, Installation, Scene } from "./doctor-deps.ts";
import { CHECK_NAMES, warning, type Finding, type Remark } from "./finding.ts";

const CHECKS: readonly Check[] = [
  checkGateway,
  checkDatabase,
  checkReplica,
  checkDistribution,
  checkMigrations,
  checkClock,
  checkBooks,
  checkStorage,
  checkDisk,
  checkMail,
  checkTelegram,
  checkPayments,
  checkCollector,
  checkCatalogue,
  checkUpstreams,
  checkCertificates,
  checkProxy,
  checkSecrets,
  checkBackups,
];

/** An embedded server may have to start, and after a crash to recover. */
const OPEN_MS = 60_000;

/** In the order of the checks. Never rejects for what it finds. */
export async function examine(deps: DoctorDeps): Promise<Finding[]> {
  const opened = await open(deps);
  const catalogue = await findCatalogue(opened.db, deps);
  const scene: Scene = { ...deps, db: opened.db, catalogue };
  const found = await Promise.all(
    CHECKS.map(async (check) => (await runCheck(check, scene)).map(named(check.name))),
  );
  const all = [...opened.remarks.map(named("database")), ...found.flat()];
  const secrets = secretsOf(scene);
  return all
    .toSorted((a, b) => CHECK_NAMES.indexOf(a.check) - CHECK_NAMES.indexOf(b.check))
    .map((finding) => withoutSecrets(finding, secrets));
}

const named =
  (check: Finding["check"]) =>
  (remark: Remark): Finding => ({ check, ...remark });

async function open(
  deps: DoctorDeps,
): Promise<{ readonly db: Db | null; readonly remarks: readonly Remark[] }> {
  try {
    const db = await within(OPEN_MS, () => deps.openDatabase());
    return { db, remarks: db === null ? [unmade(deps.installation.dataDir)] : [] };
  } catch (error) {
    return { db: null, remarks: [unreachable(wordsOf(error))] };
  }
}

async function runCheck(check: Check, scene: Scene): Promise<readonly Remark[]> {
  try {
    return await within(scene.deadlineMs, (signal) => check.run(scene, signal));
  } catch (error) {
    const words = wordsOf(error);
    return [
      warning(
        { en: `it could not be looked into: ${words}`, ru: `осмотреть не удалось: ${words}` },
        {
          en: "What this check would have found is not known.",
          ru: "Что нашла бы эта проверка, неизвестно.",
        },
        {
          en: "Mend what else is found and ask again.",
          ru: "Устраните остальное и спросите ещё раз.",
        },
      ),
    ];
  }
}

async function within<T>(
  deadlineMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = (): Error => new Error(`it did not end within ${deadlineMs / 1000} s`);
  const call = startCall(deadlineMs, late, undefined);
  try {
    return await abortable(work(call.signal), call.signal);
  } finally {
    call.end();
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Shorter ones are no secrets: that of the sandbox is a word, which stands in addresses. */
const SHORTEST_SECRET = 8;

function secretsOf({ installation, env, catalogue }: Scene): string[] {
  const variables = [...(catalogue?.upstreams.values() ?? [])].flatMap(credentialNames);
  return [...ownSecrets(installation), ...variables.map((variable) => env[variable] ?? "")]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .flatMap(credentialForms);
}

function ownSecrets(installation: Installation): string[] {
  const { databaseUrl, databaseReplicaUrl, storageUrl, smtpUrl, telegram } = installation;
  const { payments, sessionSecret, otlpEndpoint, otlpHeaders } = installation;
  const botUrl = telegram?.apiUrl ?? null;
  const addresses = [databaseUrl, databaseReplicaUrl, storageUrl, smtpUrl, botUrl, otlpEndpoint];
  const passwords = addresses.flatMap((address) => {
    const written = URL.parse(address ?? "")?.password ?? "";
    try {
      return [written, decodeURIComponent(written)];
    } catch {
      return [written];
    }
  });
  return [
    ...passwords,
    payments?.secretKey ?? "",
    // Together, as the header has them that a provider may repeat.
    payments === null ? "" : `${payments.shopId}:${payments.secretKey}`,
    telegram?.botToken ?? "",
    sessionSecret ?? "",
    ...Object.values(otlpHeaders),
  ];
}

/** In what was found alone: the rest is in our own words, and a poor password may be one of them. */
function withoutSecrets(finding: Finding, secrets: readonly string[]): Finding {
  const hide = (text: string): string =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, "••••••"), text);
  const { en, ru } = finding.found;
  return { ...finding, found: { en: hide(en), ru: hide(ru) } };
}
