/** The command palette, in English. */
import type { PaletteTexts } from "./palette.ru.ts";

export const paletteEn: PaletteTexts = {
  title: "Search or jump to",
  hints: {
    account: "A page, a key, a model or a request id",
    gateway: "A page, an account, an e-mail or a request id",
  },
  found: "Results",
  pages: "Pages",
  keys: "Keys",
  models: "Models",
  accounts: "Accounts",
  actions: "Actions",
  topUpBy: (amount) => `Top up ${amount}`,
  byNumber: "By id",
  request: "Open the request",
  task: "Open the task",
  nothing: "Nothing found",
  choose: "select",
  open: "open",
  close: "close",
};
