/** The books beside themselves, the tasks, the top-ups, and N roubles for N. */
import type { AuditSubject } from "./audit-subject.ts";
import type { EndingIndex } from "./endings-by-request.ts";
import { FIXED_NANO, PICTURE_NANO } from "./torture-catalogue.ts";
import type { Violation } from "./violation.ts";

export function auditBooks(subject: AuditSubject, index: EndingIndex): Violation[] {
  return [
    ...auditTotals(subject),
    ...auditReceipts(subject),
    ...auditTasks(subject, index),
    ...auditTopUps(subject),
    ...auditDry(subject),
  ].map(([what, why]) => ({ what, why, marker: null, chat: null }));
}

type Finding = readonly [what: string, why: string];

function auditTotals({ books }: AuditSubject): Finding[] {
  const byAccount = sums(
    books.endings.map(({ accountId, amountNano }) => [accountId, amountNano] as const),
  );
  const byBudget = sums([
    ...books.endings.map(({ keyId, amountNano }) => [keyId ?? "", amountNano] as const),
    ...books.endings.map(({ groupId, amountNano }) => [groupId ?? "", amountNano] as const),
  ]);
  return [
    ...books.accounts.flatMap(({ accountId, creditedNano, chargedNano, heldNano }) => [
      ...(chargedNano === (byAccount.get(accountId) ?? 0n)
        ? []
        : [total(`account ${accountId}`, chargedNano, byAccount.get(accountId) ?? 0n)]),
      ...(chargedNano + heldNano <= creditedNano
        ? []
        : [["overspent", `account ${accountId}: ${chargedNano} of ${creditedNano}`] as const]),
    ]),
    ...books.budgets.flatMap(({ budgetId, chargedNano }) =>
      chargedNano === (byBudget.get(budgetId) ?? 0n)
        ? []
        : [total(`key or group ${budgetId}`, chargedNano, byBudget.get(budgetId) ?? 0n)],
    ),
  ];
}

function total(of: string, totalNano: bigint, sumNano: bigint): Finding {
  return ["total is not its sum", `${of}: the total is ${totalNano}, its charges are ${sumNano}`];
}

function sums(amounts: readonly (readonly [name: string, nano: bigint])[]): Map<string, bigint> {
  const found = new Map<string, bigint>();
  for (const [name, nano] of amounts) found.set(name, (found.get(name) ?? 0n) + nano);
  return found;
}

function auditReceipts({ books }: AuditSubject): Finding[] {
  return [
    ...books.endings.flatMap(({ entryId, reference, amountNano, receiptNano }): Finding[] =>
      receiptNano === amountNano
        ? []
        : [
            [
              "receipt is not its entry",
              `${reference}, entry ${entryId}: ${amountNano} was taken, the receipt says ${receiptNano}`,
            ],
          ],
    ),
    ...(books.parkedReceipts === 0
      ? []
      : [["receipts parked", `${books.parkedReceipts} could not be written`] as const]),
  ];
}

/** A completed task is charged once, any other that has ended costs nothing; each is made once. */
function auditTasks({ trace, books, submissions }: AuditSubject, index: EndingIndex): Finding[] {
  const found: Finding[] = [];
  const states = new Map(books.tasks.map(({ taskId, state }) => [taskId, state]));
  for (const [taskId, state] of states) {
    const endings = index.ofTask(taskId);
    const chargedNano = endings.reduce((sum, { amountNano }) => sum + amountNano, 0n);
    const dueNano = state === "completed" ? PICTURE_NANO : 0n;
    if (chargedNano !== dueNano || endings.length > 1)
      found.push([
        "task and money differ",
        `task ${taskId} is ${state}; ${endings.length} endings, ${chargedNano} charged`,
      ]);
  }
  for (const { taskId, tag } of trace.tasks) {
    if (taskId !== null && !states.has(taskId))
      found.push(["task is gone", `task ${taskId} (${tag}) was taken, and is not there`]);
    const made = submissions.get(tag) ?? 0;
    if (made > 1) found.push(["task made twice", `${tag} was submitted ${made} times`]);
  }
  return found;
}

function auditTopUps({ trace, books }: AuditSubject): Finding[] {
  return trace.topUps.flatMap(({ accountId, reference, amountNano, known }): Finding[] => {
    const booked = books.topUps.filter(
      (entry) => entry.accountId === accountId && entry.reference === reference,
    );
    const good =
      booked.length === 1 ? booked[0]?.amountNano === amountNano : booked.length === 0 && !known;
    return good
      ? []
      : [["top-up is not once", `${reference}: ${booked.length} entries, answered: ${known}`]];
  });
}

/** What is worth N requests at one price pays for N: never for more, and for no less in the end. */
function auditDry({ trace, books }: AuditSubject): Finding[] {
  return trace.dry.flatMap(({ accountId, budgetId, worth, final }): Finding[] => {
    const charges = books.endings.filter(
      (ending) =>
        ending.kind === "charge" &&
        (budgetId === null
          ? ending.accountId === accountId
          : ending.keyId === budgetId || ending.groupId === budgetId),
    );
    const paidNano = charges.reduce((sum, { amountNano }) => sum + amountNano, 0n);
    const worthNano = BigInt(worth) * FIXED_NANO;
    const good = final ? paidNano === worthNano : paidNano <= worthNano;
    const of = budgetId === null ? `account ${accountId}` : `key or group ${budgetId}`;
    return good
      ? []
      : [
          [
            "N is not N",
            `${of} is worth ${worth} requests; ${charges.length} were charged, ${paidNano} in all`,
          ],
        ];
  });
}
