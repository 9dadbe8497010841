/** Mark: a P whose counter is an arched door. Word: monoline lower case. */
const DOOR = 'M4 2h9.5a7 7 0 0 1 0 14H10v6H4zM10 12.6h5.4V9.9a2.7 2.7 0 0 0-5.4 0z';

export function Mark({ className = 'size-6 text-accent' }: { readonly className?: string }) {
  return (
    <svg viewBox="0 0 24 24" className={`fill-current ${className}`} aria-hidden>
      <path fillRule="evenodd" d={DOOR} />
    </svg>
  );
}

export function Logo({
  markClass = 'text-accent',
  wordClass = 'text-ink-1',
  size = 'h-[22px] w-[93.5px]',
}: {
  readonly markClass?: string;
  readonly wordClass?: string;
  /** Height and width in px, 24 to 102. */
  readonly size?: string;
}) {
  return (
    <svg viewBox="0 0 102 24" className={size} role="img" aria-label="Postern">
      <path className={`fill-current ${markClass}`} fillRule="evenodd" d={DOOR} />
      <g transform="translate(28 0)" className={`fill-none stroke-current ${wordClass}`} strokeWidth="2.05">
        <path d="M2 8v14" />
        <circle cx="6" cy="13" r="4" />
        <circle cx="17.3" cy="13" r="4" />
        <path d="M30 10.7C29.5 9.6 28.4 9 27.05 9 25.4 9 24.3 9.8 24.3 11c0 2.9 6.05 1.15 6.05 4.05 0 1.25-1.25 1.95-3 1.95-1.6 0-2.8-.65-3.3-1.85" />
        <path d="M35 5v9.3A2.7 2.7 0 0 0 37.7 17h1.3M32.6 9H39" />
        <path d="M42.1 13.2h8a4 4 0 1 0-1.3 2.8" />
        <path d="M55 8v10M55 13a4 4 0 0 1 4-4h.9" />
        <path d="M63.2 8v10M63.2 13a4 4 0 0 1 8 0v5" />
      </g>
    </svg>
  );
}
