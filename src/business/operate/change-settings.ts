/** An operator decides anew about the installation, with a row in the audit log. */
import { isDeepStrictEqual } from "node:util";
import type { Consent } from "../../contract/panel/installation.ts";
import type {
  ConsentWish,
  InstallationSettings,
  Settings,
  SettingsBody,
  SettingsWish,
} from "../../contract/panel/operator-settings.ts";
import { sayFieldRefusal, sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { Db, Tx } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import { newUuid } from "../../kernel/ids.ts";
import { formatRoubles, parseRoubles, ZERO_NANO } from "../../kernel/money.ts";
import { imageSizes } from "../settings/images.store.ts";
import { settingsOf, settingsView } from "../settings/read-settings.ts";
import { appendSettings, lockSettings, newestSettings } from "../settings/settings.store.ts";
import { recordAction } from "./audit.store.ts";
import { actorOf, type Actor, type Operator } from "./operator.ts";

/** As the panel's page sends it. Throws Fault: `conflict` when another version came between. */
export function changeSettingsFromPanel(
  db: Db,
  operator: Operator,
  { expectedVersion, settings }: SettingsBody,
): Promise<InstallationSettings> {
  return changeSettings(db, actorOf(operator), (_, version) => {
    if (version !== expectedVersion)
      throw new Fault(
        "conflict",
        sayRefusal("version_in_force", { now: version, expected: expectedVersion }),
      );
    return settings;
  });
}

/**
 * What is decided already changes nothing, and leaves no row. Throws Fault("invalid_request") with
 * the fields that are wrong.
 */
export function changeSettings(
  db: Db,
  actor: Actor,
  decide: (before: Settings, version: number) => SettingsWish,
): Promise<InstallationSettings> {
  return db.transaction(async (tx) => {
    await lockSettings(tx);
    const stored = await newestSettings(tx);
    const before = settingsOf(stored);
    const after = await checked(tx, before, decide(before, stored?.version ?? 0));
    // By what it says: the database keeps a document in an order of its own.
    if (isDeepStrictEqual(after, before)) return settingsView(stored);
    const version = await appendSettings(tx, after, actor.actor);
    await recordAction(tx, {
      ...actor,
      action: "settings.change",
      accountId: null,
      subject: String(version.version),
      reason: null,
      ...changesOf(before, after),
    });
    return settingsView(version);
  });
}

async function checked(tx: Tx, before: Settings, wished: SettingsWish): Promise<Settings> {
  const { brand, signUp, announcement } = wished;
  const mistakes: ReturnType<typeof sayFieldRefusal>[] = [];
  for (const field of ["name", "mailSender"] as const) {
    const text = brand[field];
    if (text !== null && (text.trim() === "" || /\p{Cc}/u.test(text)))
      mistakes.push(
        sayFieldRefusal(`settings.brand.${field}`, "name_expected", {
          limit: field === "name" ? 60 : 100,
        }),
      );
  }
  const named = [brand.logo, brand.favicon].filter((digest) => digest !== null);
  const kept = await imageSizes(tx, named);
  for (const field of ["logo", "favicon"] as const) {
    const digest = brand[field];
    if (digest !== null && !kept.has(digest))
      mistakes.push(sayFieldRefusal(`settings.brand.${field}`, "picture_gone"));
  }
  if (signUp.mode === "domains" && signUp.domains.length === 0)
    mistakes.push(sayFieldRefusal("settings.signUp.domains", "domains_needed"));
  if (signUp.mode === "open" && !signUp.captcha && parseRoubles(signUp.trial) !== 0n)
    mistakes.push(sayFieldRefusal("settings.signUp.trial", "trial_needs_captcha"));
  if (!isAnnounceable(announcement))
    mistakes.push(sayFieldRefusal("settings.announcement.until", "announcement_whole"));
  const [first] = mistakes;
  if (first !== undefined)
    throw new Fault("invalid_request", {
      message: first.message,
      errors: mistakes.map((mistake) => ({ ...mistake, code: "rule" })),
    });
  return {
    brand: {
      name: brand.name.trim(),
      logo: brand.logo,
      favicon: brand.favicon,
      colour: brand.colour?.toLowerCase() ?? null,
      support: brand.support,
      terms: brand.terms,
      privacy: brand.privacy,
      mailSender: brand.mailSender?.trim() ?? null,
    },
    signUp: {
      mode: signUp.mode,
      domains: [...new Set(signUp.domains.map((domain) => domain.toLowerCase()))],
      captcha: signUp.captcha,
      trial: formatRoubles(parseRoubles(signUp.trial) ?? ZERO_NANO),
      consents: signUp.consents.map((wish) => consentOf(wish, before.signUp.consents)),
    },
    announcement: {
      ru: announcement.ru.trim(),
      en: announcement.en.trim(),
      until: announcement.until === null ? null : new Date(announcement.until).toISOString(),
    },
  };
}

/** Nothing at all, or both languages and a moment that there is. */
function isAnnounceable({ ru, en, until }: Settings["announcement"]): boolean {
  const parts = [ru.trim() !== "", en.trim() !== "", until !== null];
  if (until !== null && Number.isNaN(Date.parse(until))) return false;
  return parts.every(Boolean) || !parts.some(Boolean);
}

/** Another wording of one is its next version; what is not known here is a new one. */
function consentOf(
  { consentId, required, ru, en }: ConsentWish,
  before: readonly Consent[],
): Consent {
  const known = before.find((consent) => consent.consentId === consentId);
  const wording = { required, ru: ru.trim(), en: en.trim() };
  if (known === undefined) return { consentId: newUuid(), version: 1, ...wording };
  const same = known.ru === wording.ru && known.en === wording.en;
  return { consentId: known.consentId, version: known.version + (same ? 0 : 1), ...wording };
}

/** What the audit log tells: the parts that were changed, before and after. */
function changesOf(before: Settings, after: Settings): { before: unknown; after: unknown } {
  const parts = (Object.keys(after) as (keyof Settings)[]).flatMap((part) => {
    const fields = Object.keys(after[part]) as (keyof Settings[typeof part])[];
    return fields
      .filter((field) => !isDeepStrictEqual(before[part][field], after[part][field]))
      .map(
        (field) => [`${part}.${String(field)}`, before[part][field], after[part][field]] as const,
      );
  });
  return {
    before: Object.fromEntries(parts.map(([name, was]) => [name, was])),
    after: Object.fromEntries(parts.map(([name, , is]) => [name, is])),
  };
}
