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
 * Every fifth charge is booked again under another id, and taken again. Numbers, sums and totals
 * follow, so the books agree with themselves: only who knows what was asked can tell. When all else
 * of the transaction is booked, because losses are numbered behind the charges of their pages.
 */
export const SETTLE_TWICE: Plant = {
  name: "settle twice",
  statements: [
    "CREATE SEQUENCE ledger.planted",
    `CREATE FUNCTION ledger.plant() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF pg_trigger_depth() > 1 OR nextval('ledger.planted') % 5 <> 0 THEN RETURN NULL; END IF;
       UPDATE ledger.accounts SET charged_nano = charged_nano + NEW.amount_nano, entries = entries + 1 WHERE account_id = NEW.account_id
       RETURNING entries, credited_nano - charged_nano, entered_at INTO NEW.entry_no, NEW.balance_nano, NEW.at;
       UPDATE ledger.budgets SET charged_nano = charged_nano + NEW.amount_nano, period_charged_nano = period_charged_nano + NEW.amount_nano
       WHERE account_id = NEW.account_id AND budget_id IN (NEW.budget_id, NEW.budget2_id, NEW.budget3_id);
       UPDATE usage.hourly SET ended = ended + 1, charged_nano = charged_nano + NEW.amount_nano, cost_nano = cost_nano + coalesce(NEW.cost_nano, 0),
         unknown_requests = unknown_requests + CASE WHEN NEW.cost_nano IS NULL THEN 1 ELSE 0 END,
         unknown_charged_nano = unknown_charged_nano + CASE WHEN NEW.cost_nano IS NULL THEN NEW.amount_nano ELSE 0 END,
         input_tokens = input_tokens + coalesce(NEW.input_tokens, 0), cached_tokens = cached_tokens + coalesce(NEW.cached_tokens, 0),
         output_tokens = output_tokens + coalesce(NEW.output_tokens, 0), duration_ms = duration_ms + coalesce(NEW.duration_ms, 0),
         first_ms = first_ms + coalesce(NEW.first_ms, 0), firsts = firsts + CASE WHEN NEW.first_ms IS NULL THEN 0 ELSE 1 END
       WHERE account_id = NEW.account_id AND hour = date_trunc('hour', NEW.at, 'UTC') AND (key_id, member_id, group_id, model, state, upstream)
         IS NOT DISTINCT FROM (NEW.budget_id, NEW.budget2_id, NEW.budget3_id, coalesce(NEW.model, ''), coalesce(NEW.state, ''), coalesce(NEW.upstream, ''));
       NEW.reference := coalesce(NEW.reference, 'request:req_' || replace(NEW.entry_id::text, '-', ''));
       NEW.entry_id := (left(NEW.entry_id::text, 14) || right(gen_random_uuid()::text, 22))::uuid;
       INSERT INTO ledger.entries SELECT NEW.*;
       RETURN NULL;
     EXCEPTION WHEN check_violation THEN RETURN NULL; -- an account or key that has no more
     END $$`,
    `CREATE CONSTRAINT TRIGGER plant AFTER INSERT ON ledger.entries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.kind = 'charge')
     EXECUTE FUNCTION ledger.plant()`,
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
