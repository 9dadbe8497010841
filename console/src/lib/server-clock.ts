/** How far the clock of this device may be off before that of the server is used, in ms. */
const TOLERATED_MS = 60_000;

let aheadMs = 0;

/** Notes the time of an answer (`Date`, RFC 9110 section 6.6.1). */
export function noteServerTime(answer: Response): void {
  const time = Date.parse(answer.headers.get('Date') ?? '');
  if (!Number.isNaN(time)) aheadMs = Date.now() - time;
}

/** Now, by the server's clock if that of this device is wrong. What is stored must not begin or end at another time. */
export function serverNow(): Date {
  return new Date(Date.now() - (Math.abs(aheadMs) > TOLERATED_MS ? aheadMs : 0));
}
