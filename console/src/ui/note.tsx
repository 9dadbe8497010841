import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Icon } from './icon';

const LOOK: Record<NoteTone, { icon: Icon; className: string; mark: string }> = {
  info: { icon: Info, className: 'bg-accent-soft border-accent-line', mark: 'text-accent' },
  ok: { icon: CircleCheck, className: 'bg-ok-soft border-ok-line', mark: 'text-ok' },
  warn: { icon: TriangleAlert, className: 'bg-warn-soft border-warn-line', mark: 'text-warn' },
  danger: { icon: CircleAlert, className: 'bg-danger-soft border-danger-line', mark: 'text-danger' },
};

export type NoteTone = 'info' | 'ok' | 'warn' | 'danger';

/**
 * A strip that stays visible: consequence, warning, result of a step. With `announce` screen readers read it at once.
 */
export function Note({
  tone = 'info',
  children,
  announce = false,
  id,
}: {
  readonly tone?: NoteTone;
  readonly children: ReactNode;
  readonly announce?: boolean;
  readonly id?: string;
}) {
  const { icon: IconOf, className, mark } = LOOK[tone];
  return (
    <div
      id={id}
      role={announce ? 'alert' : undefined}
      className={`flex gap-2 rounded-2 border px-3 py-2 ${className}`}
    >
      <IconOf className={`mt-0.5 ${mark}`} aria-hidden />
      <div className="min-w-0 [overflow-wrap:anywhere]">{children}</div>
    </div>
  );
}
