const DAY_MS = 86_400_000;
/** A licence with fewer days left gives a warning (specification, section 9). */
export const LICENCE_WARNING_DAYS = 7;
/** A password with this many days left or fewer gives a warning. */
export const PASSWORD_WARNING_DAYS = 5;
/** A password age limit of this many days or more means "never expires". */
export const NEVER_DAYS = 9_999;

export type Expiry = 'expired' | 'soon' | null;

/** Days until `date`, with fractions; negative when the date is in the past. */
function daysUntil(date: Date, now: Date): number {
  return (date.getTime() - now.getTime()) / DAY_MS;
}

/** Calendar days from today to the last day of a licence, `2027-01-31`. The licence is still valid on that day. */
export function licenceDaysLeft(lastDay: string, today: Date): number {
  const [year = 0, month = 1, day = 1] = lastDay.split('-').map(Number);
  const midnight = Date.UTC(today.getFullYear(), today.getMonth(), today.getDate());
  return Math.round((Date.UTC(year, month - 1, day) - midnight) / DAY_MS);
}

/** Expired when the days left are below 0, soon under 7. */
export function licenceExpiry(daysLeft: number): Expiry {
  if (daysLeft < 0) return 'expired';
  return daysLeft < LICENCE_WARNING_DAYS ? 'soon' : null;
}

/** The instant at which a password reaches its age limit; null when it never expires. */
export function passwordEnd(lastUpdated: Date | null, limitDays: number | undefined): Date | null {
  if (lastUpdated === null || limitDays === undefined || limitDays >= NEVER_DAYS) return null;
  return new Date(lastUpdated.getTime() + limitDays * DAY_MS);
}

/** Expired when the days since the last update reach the limit, soon when 5 or fewer whole days remain. */
export function passwordExpiry(end: Date, now: Date): Expiry {
  const left = daysUntil(end, now);
  if (left <= 0) return 'expired';
  return Math.floor(left) <= PASSWORD_WARNING_DAYS ? 'soon' : null;
}
