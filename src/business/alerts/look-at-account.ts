/**
 * Looks at the money of accounts: counts what was charged since the last look, and fires the rules
 * that this takes past their thresholds.
 */
import {
  addSpend,
  insertLook,
  lockLooks,
  moveLooks,
  spentBy,
  type Look,
  type Spent,
} from "./looks.store.ts";
import {
  armRule,
  fireRule,
  insertRule,
  quietRule,
  rulesOf,
  rulesOfAll,
  type Rule,
} from "./rules.store.ts";
import type { Tx } from "../../db/database.ts";
import { assert } from "../../kernel/assert.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { ZERO_NANO } from "../../kernel/money.ts";
import { budgetState, type BudgetState } from "../../ledger/budgets.store.ts";
import { balances, type Balance } from "../../ledger/accounts.store.ts";
import { balanceIn } from "../../serving/money/read-balance.ts";
import type { AlertDeps } from "./alert-deps.ts";
import { defaultRules } from "./default-rules.ts";
import { judgeRule, type Measured } from "./judge-rule.ts";
import { lastEntryNo, movesAfter, spendBefore, type MoveSearch } from "./ledger-moves.store.ts";
import { sendAlert } from "./send-alert.ts";

const NOTHING: Spent = {
  dayNano: ZERO_NANO,
  monthNano: ZERO_NANO,
  hourNano: ZERO_NANO,
  weekNano: ZERO_NANO,
};

/**
 * One transaction under the accounts' looks: two processes never count the same entry, nor fire for
 * the same crossing. Some statements for all of them, whatever their number, and more only for
 * rules that change.
 */
export async function lookAtAccounts(deps: AlertDeps, accountIds: readonly Uuid[]): Promise<void> {
  const fired = await deps.db.transaction(async (tx) => {
    // At the others another process looks at this very moment.
    const looks = await lockLooks(tx, accountIds);
    if (looks.length === 0) return [];
    const ids = looks.map(({ accountId }) => accountId);
    const rules = await rulesOfAll(tx, ids);
    // First the totals: an entry that comes after them is counted, and shows as a movement once
    // more.
    const money = await balances(tx, ids);
    const moves = await movesAfter(tx, searchesOf(looks, rules));
    await addSpend(
      tx,
      moves.filter(({ chargedNano }) => chargedNano > 0n),
    );
    await moveLooks(
      tx,
      looks.map(({ accountId, throughNo }) => {
        const { creditedNano, chargedNano } = balanceOf(money, accountId);
        const seen = moves.filter((move) => move.subjectId === accountId);
        return {
          accountId,
          throughNo: seen.reduce(
            (last, { entryNo }) => (entryNo > last ? entryNo : last),
            throughNo,
          ),
          creditedNano,
          chargedNano,
        };
      }),
    );
    const watching = rules.filter((rule) => rule.enabled);
    const spent = await spentBy(tx, watching);
    const budgets = await budgetsOf(tx, watching);
    const done: Rule[] = [];
    for (const rule of watching) {
      const { balanceNano } = balanceOf(money, rule.accountId);
      if (
        await follow(deps, tx, rule, {
          balanceNano,
          spent: spent.get(rule.subjectId) ?? NOTHING,
          budget: budgets.get(rule.subjectId) ?? null,
        })
      )
        done.push(rule);
    }
    return done;
  });
  for (const rule of fired) deps.onFired(rule.kind);
}

/** Of those that rules about limits watch. */
async function budgetsOf(tx: Tx, rules: readonly Rule[]): Promise<Map<Uuid, BudgetState>> {
  const limited = rules.filter(({ kind }) => kind === "limit_used");
  if (limited.length === 0) return new Map();
  return budgetState(tx, [...new Set(limited.map(({ subjectId }) => subjectId))]);
}

/**
 * Each account itself, and every key that it has a rule about. What of a limit is used the ledger
 * knows by itself.
 */
function searchesOf(
  looks: readonly Pick<Look, "accountId" | "throughNo">[],
  rules: readonly Rule[],
): MoveSearch[] {
  const subjects = new Map(looks.map(({ accountId }) => [accountId, new Set([accountId])]));
  for (const rule of rules)
    if (rule.kind !== "limit_used") subjects.get(rule.accountId)?.add(rule.subjectId);
  return looks.flatMap(({ accountId, throughNo }) =>
    [...(subjects.get(accountId) ?? [])].map((subjectId) => ({
      accountId,
      subjectId,
      afterNo: throughNo,
    })),
  );
}

function balanceOf(money: ReadonlyMap<Uuid, Balance>, accountId: Uuid): Balance {
  const found = money.get(accountId);
  assert(found !== undefined, "an account that is looked at has its books");
  return found;
}

/** Whether it fired. */
async function follow(deps: AlertDeps, tx: Tx, rule: Rule, measured: Measured): Promise<boolean> {
  const { valueNano, thresholdNano, past, clear } = judgeRule(rule, measured);
  if (rule.quiet) {
    // A spike that is still seen stays the same one.
    if (past && rule.kind === "spend_spike") await quietRule(tx, rule);
    else if (clear) await armRule(tx, rule);
    return false;
  }
  if (!past || !(await fireRule(tx, rule))) return false;
  await sendAlert(deps, tx, rule, { valueNano, thresholdNano, test: false });
  return true;
}

/**
 * Begins to look at an account, with the rules that all have. Nothing is counted twice, whichever
 * process begins too.
 */
export async function beginLooking(tx: Tx, accountId: Uuid): Promise<void> {
  const { creditedNano, chargedNano } = await balanceIn(tx, accountId);
  const throughNo = await lastEntryNo(tx, accountId);
  if (!(await insertLook(tx, { accountId, throughNo, creditedNano, chargedNano }))) return;
  await addSpend(tx, await spendBefore(tx, accountId, throughNo, accountId));
  for (const rule of defaultRules(accountId)) {
    await insertRule(tx, rule);
    await armOrQuiet(tx, accountId, rule.ruleId);
  }
}

/**
 * For a rule that is new or changed: what is past its threshold already is no crossing, and says
 * nothing. Under the account's look.
 */
export async function armOrQuiet(tx: Tx, accountId: Uuid, ruleId: Uuid): Promise<void> {
  const { rule, measured } = await measureRule(tx, accountId, ruleId);
  if (judgeRule(rule, measured).past) await quietRule(tx, rule);
  else await armRule(tx, rule);
}

async function measureRule(
  tx: Tx,
  accountId: Uuid,
  ruleId: Uuid,
): Promise<{ readonly rule: Rule; readonly measured: Measured }> {
  const rule = (await rulesOf(tx, accountId)).find((one) => one.ruleId === ruleId);
  assert(rule !== undefined, "the rule was found in this transaction");
  const { balanceNano } = await balanceIn(tx, accountId);
  const spent = await spentBy(tx, [rule]);
  const budget = (await budgetsOf(tx, [rule])).get(rule.subjectId) ?? null;
  return { rule, measured: { balanceNano, spent: spent.get(rule.subjectId) ?? NOTHING, budget } };
}
