/**
 * Bugs of the kind that the torture is there to find, planted from outside into the gateways of its
 * own tests: two as triggers of the test's database, which work whatever code books the money, one
 * as a module that is loaded before the gateway's. Nothing of them is in src.
 */
import { join } from "node:path";

export interface Plant {
  readonly name: string;
  /** Run on the migrated database. */
  readonly statements: readonly string[];
  /** Loaded into each gateway. */
  readonly imports: readonly string[];
}

/**
 * Every fifth charge is booked again under another name, and taken again. Totals follow, so the
 * books agree with themselves: only who knows what was asked can tell.
 */
export const SETTLE_TWICE: Plant = {
  name: "settle twice",
  statements: [
    "CREATE SEQUENCE ledger.planted",
    `CREATE FUNCTION ledger.plant() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF pg_trigger_depth() > 1 OR nextval('ledger.planted') % 5 <> 0 THEN RETURN NULL; END IF;
       INSERT INTO ledger.entries OVERRIDING USER VALUE
       SELECT (jsonb_populate_record(NEW, jsonb_build_object('entry_id', gen_random_uuid()))).*;
       UPDATE ledger.accounts SET charged_nano = charged_nano + NEW.amount_nano WHERE account_id = NEW.account_id;
       UPDATE ledger.budgets SET charged_nano = charged_nano + NEW.amount_nano, period_charged_nano = period_charged_nano + NEW.amount_nano
       WHERE budget_id = NEW.budget_id;
       RETURN NULL;
     EXCEPTION WHEN check_violation THEN RETURN NULL; -- an account or key that has no more
     END $$`,
    `CREATE TRIGGER plant AFTER INSERT ON ledger.entries FOR EACH ROW WHEN (NEW.kind = 'charge') EXECUTE FUNCTION ledger.plant()`,
  ],
  imports: [],
};

/**
 * A process that writes back the total it remembers loses what others took meanwhile: every seventh
 * charge leaves the account's total as it was.
 */
export const TOTAL_IN_MEMORY: Plant = {
  name: "a total kept in memory",
  statements: [
    "CREATE SEQUENCE ledger.planted",
    `CREATE FUNCTION ledger.plant() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF nextval('ledger.planted') % 7 = 0 THEN NEW.charged_nano := OLD.charged_nano; END IF;
       RETURN NEW;
     END $$`,
    `CREATE TRIGGER plant BEFORE UPDATE ON ledger.accounts FOR EACH ROW
     WHEN (NEW.charged_nano > OLD.charged_nano) EXECUTE FUNCTION ledger.plant()`,
  ],
  imports: [],
};

/** Who goes away gets all of the money back, whatever was delivered. */
export const RELEASE_ON_DISCONNECT: Plant = {
  name: "release on disconnect",
  statements: [],
  imports: [join(import.meta.dirname, "plant-release.ts")],
};
