import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { TimeCell } from '#/resource/format';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { Note } from '#/ui/note';
import { toast } from '#/ui/toast';
import { visible } from '#/ui/visible-text';
import { type FailedDelivery, fetchFailedDeliveries, retryDelivery } from './messages-api';

/** The newest ones are shown; the number tells whether there are more. */
const SHOWN = 20;

function Row({ delivery, onRetried }: { readonly delivery: FailedDelivery; readonly onRetried: () => void }) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const retry = async () => {
    setBusy(true);
    try {
      await retryDelivery(delivery.id);
      toast({ tone: 'ok', text: t('settings:deliveries.retried') });
      onRetried();
    } catch (error) {
      toast({ tone: 'error', text: explain(error) });
      setBusy(false);
    }
  };
  return (
    <li className="settings-kind">
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <p>
          {visible(delivery.subject)} → {visible(delivery.user_display)}{' '}
          <span className="text-ink-3">
            {delivery.channel_display}
            {delivery.address === '' ? '' : `: ${visible(delivery.address)}`}
          </span>
        </p>
        <p className="text-meta text-danger">{delivery.reason}</p>
        <p className="text-meta text-ink-3">
          {t('settings:deliveries.tries', { count: delivery.tries })} ·{' '}
          <TimeCell value={delivery.date_updated} />
        </p>
      </div>
      <div>
        <Button size="sm" busy={busy} onClick={() => void retry()}>
          {t('settings:deliveries.retry')}
        </Button>
      </div>
    </li>
  );
}

/** Messages that could not be delivered, each with its reason and another try. Nothing when there are none. */
export function FailedDeliveries() {
  const t = useT();
  const query = useQuery({
    queryKey: ['failed-deliveries'],
    queryFn: () => fetchFailedDeliveries(SHOWN),
    staleTime: 0,
  });
  if (query.error) return <Note tone="danger">{explain(query.error)}</Note>;
  if (!query.data || query.data.count === 0) return null;
  return (
    <Card title={t('settings:deliveries.title')} aside={String(query.data.count)} flush>
      <ul>
        {query.data.results.map((delivery) => (
          <Row key={delivery.id} delivery={delivery} onRetried={() => void query.refetch()} />
        ))}
      </ul>
    </Card>
  );
}
