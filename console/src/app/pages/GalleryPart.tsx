import type { ReactNode } from 'react';

export const nothing = () => {};

/** One group of components in the gallery. */
export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="grid min-w-0 grid-cols-1 content-start gap-2">
      <h2 className="text-meta text-ink-3">{title}</h2>
      {children}
    </section>
  );
}
