import type { ReactNode } from 'react';
import type { MomentKind } from './moments';

/** Each kind has a shape of its own: colour is never alone. */
const SHAPE: Record<MomentKind, ReactNode> = {
  command: <rect x="3" width="2" height="8" className="fill-current" />,
  transfer: <rect x="1" y="1" width="6" height="6" className="fill-warn-dot" />,
  join: <circle cx="4" cy="4" r="3.5" className="fill-ok-dot" />,
  alert: <path d="M4 0 8 4 4 8 0 4z" className="fill-danger-dot" />,
};

export function MomentMark({ kind }: { readonly kind: MomentKind }) {
  return (
    <svg viewBox="0 0 8 8" className="size-2 text-ink-3" aria-hidden>
      {SHAPE[kind]}
    </svg>
  );
}
