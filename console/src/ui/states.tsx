import { Copy, RefreshCw } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from './button';
import { copyText } from './clipboard';

export type Drawing = 'empty' | 'no-match' | 'forbidden' | 'licence' | 'error';

const INSIDE: Record<Drawing, ReactNode> = {
  empty: (
    <>
      <path d="M27 62V36a9 9 0 0 1 18 0v26" strokeDasharray="3 3" className="stroke-line-2" />
      <path d="M36 42v12M30 48h12" className="stroke-accent" strokeWidth="2" />
    </>
  ),
  'no-match': (
    <g className="stroke-accent" strokeWidth="2">
      <circle cx="34.5" cy="40.5" r="7" />
      <path d="m40 46 5 5" />
    </g>
  ),
  forbidden: (
    <>
      <path d="M26 62V37a10 10 0 0 1 20 0v25z" className="fill-accent-soft-2 stroke-transparent" />
      <g className="stroke-accent" strokeWidth="2">
        <rect x="30" y="42" width="12" height="9" rx="2" />
        <path d="M32.5 42v-3a3.5 3.5 0 0 1 7 0v3" />
      </g>
    </>
  ),
  licence: (
    <path
      d="M28 62V31M33 62V28M39 62V28M44 62V31M22 38h28M22 46h28M22 54h28"
      className="stroke-control"
      strokeWidth="1"
    />
  ),
  error: (
    <>
      <path d="M26 62V37a10 10 0 0 1 20 0v25z" className="fill-danger-soft stroke-transparent" />
      <path d="M36 37v11M36 53v1" className="stroke-danger" strokeWidth="2.4" />
    </>
  ),
};

function Arch({ drawing }: { readonly drawing: Drawing }) {
  return (
    <svg viewBox="0 0 72 72" className="size-[72px] fill-none" strokeLinecap="round" aria-hidden>
      {INSIDE[drawing]}
      <path d="M22 62V36a14 14 0 0 1 28 0v26" className="stroke-ink-3" strokeWidth="1.5" />
      <path d="M10 62.5h52" className="stroke-line-2" strokeWidth="1.5" />
    </svg>
  );
}

/** An empty place: what it is, why it is empty, and the next step. */
export function StateView({
  drawing,
  title,
  children,
  actions,
  heading = 'h2',
}: {
  readonly drawing: Drawing;
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  readonly heading?: 'h1' | 'h2';
}) {
  const Heading = heading;
  const headingRef = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (heading === 'h1') headingRef.current?.focus({ preventScroll: true });
  }, [heading]);
  return (
    <div className="grid place-items-center gap-2 px-4 py-12 text-center">
      <Arch drawing={drawing} />
      <Heading
        ref={headingRef}
        className="text-lead text-balance"
        tabIndex={heading === 'h1' ? -1 : undefined}
      >
        {title}
      </Heading>
      {children !== undefined && <p className="max-w-[44ch] text-balance text-ink-2">{children}</p>}
      {actions !== undefined && <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}

/** A failed load: what failed, a retry button, and the request id for the operator. */
export function FailedState({
  title,
  message,
  requestId,
  onRetry,
  heading,
}: {
  readonly title: string;
  readonly message: string;
  readonly requestId?: string | null;
  readonly onRetry?: () => void;
  readonly heading?: 'h1' | 'h2';
}) {
  const t = useT();
  return (
    <StateView
      drawing="error"
      title={title}
      heading={heading}
      actions={
        <>
          {onRetry && (
            <Button kind="primary" icon={RefreshCw} onClick={onRetry}>
              {t('ui:retry')}
            </Button>
          )}
          {requestId && (
            <Button
              kind="text"
              icon={Copy}
              onClick={() => copyText(requestId)}
              title={t('ui:copy_request_id', { id: requestId })}
            >
              <span className="font-mono text-meta">req {requestId.slice(0, 13)}</span>
            </Button>
          )}
        </>
      }
    >
      {message}
    </StateView>
  );
}
