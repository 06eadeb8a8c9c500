/**
 * The tasks of an account as its members see them: listed, read, and their webhooks sent once more.
 */
import type { PanelListedTask, PanelTask } from "../../../contract/panel/panel-task.ts";
import type { Db } from "../../../db/database.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { findKeyLabels } from "../../../keys/labels.store.ts";
import type { TaskEventKind } from "../../../contract/enums/task-event.ts";
import { eventsAfter, findTask } from "../../../tasks/tasks.store.ts";
import { rearmWebhooks } from "../../../tasks/webhooks.store.ts";
import type { Page } from "../../../serving/read-page.ts";
import type { TaskQuery } from "../../../serving/tasks/list-tasks.ts";
import { listAnyTasks } from "../../../serving/tasks/operate-task.ts";
import { panelListedTask, panelTask } from "./panel-task-view.ts";

export interface PanelTasksDeps {
  readonly db: Db;
  staticUrl(): string;
}

export interface PanelTasks {
  /** Newest first. */
  list(accountId: Uuid, query: TaskQuery): Promise<Page<PanelListedTask>>;
  /** Null: the account has no such task; so with the other one. */
  read(accountId: Uuid, taskId: string): Promise<PanelTask | null>;
  /** Sends at once what was not delivered; gives how many that are. */
  resend(accountId: Uuid, taskId: string): Promise<number | null>;
}

/**
 * What its owner may hear of: the others are an operator's, and nothing but their kind and time is
 * used of the details of these.
 */
const KINDS: readonly TaskEventKind[] = [
  "created",
  "submitting",
  "not_taken",
  "submit_unknown",
  "started",
  "cancel_requested",
  "cancel_refused",
  "completed",
  "failed",
];
const MOST_EVENTS = 1_000;

export function createPanelTasks({ db, staticUrl }: PanelTasksDeps): PanelTasks {
  return {
    async list(accountId, query) {
      const { rows, next } = await listAnyTasks(db, { ...query, accountId });
      const labels = await findKeyLabels(
        db,
        rows.flatMap(({ keyId }) => keyId ?? []),
      );
      const base = staticUrl();
      return {
        rows: rows.map((task) =>
          panelListedTask(task, { key: labels.get(task.keyId ?? "") ?? null, staticUrl: base }),
        ),
        next,
      };
    },

    async read(accountId, taskId) {
      const task = await findTask(db, accountId, taskId);
      if (task === null) return null;
      const { keyId } = task;
      const [events, labels] = await Promise.all([
        eventsAfter(db, {
          accountId,
          taskId: task.taskId,
          seq: 0n,
          kinds: KINDS,
          limit: MOST_EVENTS,
        }),
        findKeyLabels(db, keyId === null ? [] : [keyId]),
      ]);
      return panelTask(task, events, {
        key: labels.get(keyId ?? "") ?? null,
        staticUrl: staticUrl(),
      });
    },

    async resend(accountId, taskId) {
      const task = await findTask(db, accountId, taskId);
      return task === null ? null : rearmWebhooks(db, task);
    },
  };
}
