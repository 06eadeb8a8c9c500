/** Picks a model of the chat as a person does: by typing its id and taking what is found. */
import type { Page } from "playwright-core";

/** @param label of the field, in the language of the page. */
export async function chooseModel(page: Page, label: string, id: string): Promise<void> {
  await page.getByRole("combobox", { name: label, exact: true }).fill(id);
  await page.getByRole("option").first().click();
}
