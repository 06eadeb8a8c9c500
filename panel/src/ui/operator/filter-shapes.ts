/** What filters must look like before the API takes them. */

export const ACCOUNT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const KEY_HASH = /^[0-9a-f]{64}$/;
