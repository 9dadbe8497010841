import { type ReactNode, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { TimeCell } from '#/resource/format';
import { Button } from '#/ui/button';
import { toast } from '#/ui/toast';

/** One delivery of a message: what was sent to whom, how it went, and another try if there may be one. */
export function DeliveryRow({
  delivery,
  retry,
  onRetried,
  children,
}: {
  readonly delivery: { readonly reason: string; readonly tries: number; readonly date_updated: string };
  /** Undefined for a delivery that has not failed. */
  readonly retry: (() => Promise<unknown>) | undefined;
  readonly onRetried: () => void;
  /** What was sent to whom. */
  readonly children: ReactNode;
}) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const tryAgain = async () => {
    setBusy(true);
    try {
      await retry?.();
      toast({ tone: 'ok', text: t('settings:deliveries.retried') });
      onRetried();
    } catch (error) {
      toast({ tone: 'error', text: explain(error) });
    } finally {
      setBusy(false);
    }
  };
  return (
    <li className="settings-kind">
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <p className="flex flex-wrap items-center gap-x-2">{children}</p>
        {delivery.reason !== '' && <p className="text-meta text-danger">{delivery.reason}</p>}
        <p className="text-meta text-ink-3">
          {t('settings:deliveries.tries', { count: delivery.tries })} ·{' '}
          <TimeCell value={delivery.date_updated} />
        </p>
      </div>
      {retry && (
        <Button size="sm" busy={busy} onClick={() => void tryAgain()}>
          {t('settings:deliveries.retry')}
        </Button>
      )}
    </li>
  );
}
