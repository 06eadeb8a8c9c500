/**
 * What of an answer an operator who sees as a customer is not shown: contents, where to download
 * them, and addresses that are as good as a secret.
 */
import { createHash } from "node:crypto";
import type { AlertDeliveryList, AlertList, TelegramChat } from "../../contract/panel/alert.ts";
import type { PanelFileList } from "../../contract/panel/panel-file.ts";
import type { PanelTask, PanelTaskList } from "../../contract/panel/panel-task.ts";
import type { TopUp, TopUpList } from "../../contract/panel/top-up.ts";

/** Who knows a file's name on the server can download it: it is named by a digest of that. */
export function filesWithoutLinks(list: PanelFileList): PanelFileList {
  const data = list.data.map((file) => ({
    ...file,
    name: createHash("sha256").update(file.name).digest("hex"),
    url: "",
    preview: "none" as const,
  }));
  return { ...list, data };
}

export function tasksWithoutFiles(list: PanelTaskList): PanelTaskList {
  return { ...list, data: list.data.map((task) => ({ ...task, files: [] })) };
}

export function taskWithoutContents(task: PanelTask): PanelTask {
  return { ...task, input: {}, files: [], callbackUrl: null };
}

export function alertsWithoutPaths(list: AlertList): AlertList {
  const data = list.data.map((alert) => ({
    ...alert,
    webhookUrl: alert.webhookUrl === null ? null : hostOf(alert.webhookUrl),
  }));
  return { ...list, data };
}

export function deliveriesWithoutPaths(list: AlertDeliveryList): AlertDeliveryList {
  const data = list.data.map((delivery) =>
    delivery.channel === "webhook" ? { ...delivery, to: hostOf(delivery.to) } : delivery,
  );
  return { ...list, data };
}

/** The chat is the reader's: the operator's own. */
export function telegramWithoutChat(telegram: TelegramChat): TelegramChat {
  return { ...telegram, chat: null };
}

/** There one would pay for the customer. */
export function topUpWithoutPage(topUp: TopUp): TopUp {
  return { ...topUp, redirectUrl: null };
}

export function topUpsWithoutPages(list: TopUpList): TopUpList {
  return { ...list, data: list.data.map(topUpWithoutPage) };
}

/** As the account's log tells it: what receives webhooks is often let in by its path alone. */
function hostOf(url: string): string {
  return URL.parse(url)?.origin ?? "";
}
