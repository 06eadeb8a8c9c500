/**
 * Sends the browser to a payment page: to a web address and nothing else, whatever the provider
 * answered.
 */

export function goToPayment(redirectUrl: string): void {
  if (isWebAddress(redirectUrl)) location.assign(redirectUrl);
}

export function isWebAddress(address: string): boolean {
  return /^https?:\/\//i.test(address);
}
