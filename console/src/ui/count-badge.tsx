/** Larger numbers show as `99+` (specification, section 9). */
export const BADGE_MAX = 99;

export function badgeText(count: number): string {
  return count > BADGE_MAX ? `${BADGE_MAX}+` : String(count);
}

/** The number on the corner of an icon button. The button's name must contain the number in words. */
export function CountBadge({
  count,
  tone = 'danger',
}: {
  readonly count: number;
  readonly tone?: 'danger' | 'accent';
}) {
  if (count <= 0) return null;
  const look = tone === 'danger' ? 'bg-danger-solid text-on-danger' : 'bg-accent-solid text-on-accent';
  return (
    <span
      aria-hidden
      className={`pointer-events-none absolute -top-2 left-2.5 min-w-4 rounded-full px-1 text-center text-meta leading-4! font-medium tabular-nums ${look}`}
    >
      {badgeText(count)}
    </span>
  );
}
