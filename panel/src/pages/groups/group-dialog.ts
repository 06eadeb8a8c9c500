/** What about a group is asked in a window before it is done. */
export type GroupDialog = "edit" | "switch-off" | "delete";
