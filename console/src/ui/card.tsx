import type { ReactNode } from 'react';
import { Missing } from './status';

export function Card({
  title,
  aside,
  actions,
  children,
  flush = false,
}: {
  readonly title?: ReactNode;
  readonly aside?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  /** No padding: the content has its own (tables, row lists). */
  readonly flush?: boolean;
}) {
  return (
    <section className="pt-card">
      {title !== undefined && (
        <header className="flex min-h-10 flex-wrap items-center gap-2 border-b border-line px-3.5 py-1.5">
          <h2 className="text-lead">{title}</h2>
          <span className="grow text-meta text-ink-3">{aside}</span>
          {actions}
        </header>
      )}
      <div className={flush ? '' : 'p-3.5'}>{children}</div>
    </section>
  );
}

export interface Definition {
  readonly label: string;
  readonly value: ReactNode;
}

/** Names and values in two columns, rows of 32 px. */
export function Definitions({ items }: { readonly items: readonly Definition[] }) {
  return (
    <dl className="grid gap-x-7 px-3.5 pb-1 lg:grid-cols-2">
      {items.map(({ label, value }) => (
        <div
          key={label}
          className="grid min-h-8 grid-cols-[112px_minmax(0,1fr)] items-baseline gap-2 border-b border-line last:border-b-transparent lg:[&:nth-last-child(2):nth-child(odd)]:border-b-transparent"
        >
          <dt className="py-1.5 text-ink-3">{label}</dt>
          <dd className="py-1.5 [overflow-wrap:anywhere]">
            {value === null || value === undefined || value === '' ? <Missing /> : value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
