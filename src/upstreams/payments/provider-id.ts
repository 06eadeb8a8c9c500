/** What names a payment or a refund at a provider, and how much of its words is kept. */

export const PROVIDER_ID = /^[\w.-]{1,100}$/;
export const WORDS_LIMIT_CHARACTERS = 100;
