/** What the number of a request, and that of a task, look like. */
export const REQUEST_ID = /^req_[0-9a-f]{32}$/i;
export const TASK_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
