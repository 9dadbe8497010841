import type { ReactNode } from 'react';
import type { Icon } from './icon';

export type StatusTone = 'ok' | 'danger' | 'warn' | 'unknown';
export type BadgeTone = 'neutral' | 'ok' | 'warn' | 'danger' | 'info';

const SHAPE: Record<StatusTone, ReactNode> = {
  ok: <circle cx="5" cy="5" r="4" className="fill-ok-dot" />,
  danger: <path d="M5 .5 9.5 5 5 9.5.5 5z" className="fill-danger-dot" />,
  warn: <path d="M5 1 9.6 9H.4z" className="fill-warn-dot" />,
  unknown: <circle cx="5" cy="5" r="3" className="fill-transparent stroke-ink-3" strokeWidth="1.6" />,
};

/** State as shape, word and colour; never a dot alone. */
export function Status({ tone, children }: { readonly tone: StatusTone; readonly children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <svg viewBox="0 0 10 10" className="size-[9px] flex-none" aria-hidden>
        {SHAPE[tone]}
      </svg>
      {children}
    </span>
  );
}

export function Badge({
  tone = 'neutral',
  icon: IconOf,
  children,
  title,
}: {
  readonly tone?: BadgeTone;
  readonly icon?: Icon;
  readonly children: ReactNode;
  readonly title?: string;
}) {
  return (
    <span className="pt-badge" data-tone={tone} title={title}>
      {IconOf && <IconOf aria-hidden />}
      {children}
    </span>
  );
}

export function Chip({
  children,
  mono = false,
  tone,
  title,
}: {
  readonly children: ReactNode;
  readonly mono?: boolean;
  readonly tone?: 'accent' | 'warn';
  readonly title?: string;
}) {
  return (
    <span className="pt-chip" data-mono={mono || undefined} data-tone={tone} title={title}>
      {children}
    </span>
  );
}

/** Number beside a title or tab. */
export function Count({ children }: { readonly children: ReactNode }) {
  return <span className="rounded-1 bg-surface-3 px-1.5 text-meta tabular-nums text-ink-2">{children}</span>;
}

/** Placeholder for a missing value. */
export function Missing() {
  return <span className="text-ink-3">—</span>;
}
