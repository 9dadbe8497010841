import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Expiry } from './expiry';

/** A strip under the top bar. It stays as long as its reason does. */
export function Banner({
  tone,
  children,
  action,
}: {
  readonly tone: Exclude<Expiry, null>;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}) {
  const look =
    tone === 'expired'
      ? 'border-danger-line bg-danger-soft text-danger'
      : 'border-warn-line bg-warn-soft text-warn';
  return (
    <div className={`flex flex-wrap items-center gap-x-2 gap-y-1 border-b px-4 py-1 ${look}`}>
      <TriangleAlert aria-hidden />
      <p className="min-w-0">{children}</p>
      {action}
    </div>
  );
}
