import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { TimeCell } from '#/resource/format';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { Segmented } from '#/ui/choice';
import { Note } from '#/ui/note';
import { Status, type StatusTone } from '#/ui/status';
import { toast } from '#/ui/toast';
import { visible } from '#/ui/visible-text';
import { type DeliveryState, fetchDeliveries, retryDelivery, type WebhookDelivery } from './api';

/** The newest ones are shown; the number tells whether there are more. */
const SHOWN = 20;
const REFRESH_MS = 10_000;
const STATES = ['', 'waiting', 'failed', 'accepted'] as const;
const TONES: Record<DeliveryState, StatusTone> = { waiting: 'warn', failed: 'danger', accepted: 'ok' };

function Row({
  delivery,
  onRetried,
}: {
  readonly delivery: WebhookDelivery;
  readonly onRetried: () => void;
}) {
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
    }
    setBusy(false);
  };
  return (
    <li className="settings-kind">
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <p className="flex flex-wrap items-center gap-x-2">
          <span>
            {delivery.kind_display} → {visible(delivery.webhook_display)}
          </span>
          <Status tone={TONES[delivery.state]}>{delivery.state_display}</Status>
        </p>
        {delivery.reason !== '' && <p className="text-meta text-danger">{delivery.reason}</p>}
        <p className="text-meta text-ink-3">
          {t('settings:deliveries.tries', { count: delivery.tries })} ·{' '}
          <TimeCell value={delivery.date_updated} />
        </p>
      </div>
      {delivery.state === 'failed' && (
        <Button size="sm" busy={busy} onClick={() => void retry()}>
          {t('settings:deliveries.retry')}
        </Button>
      )}
    </li>
  );
}

/** The newest deliveries to webhooks, with another try for those that failed. */
export function WebhookDeliveries() {
  const t = useT();
  const [state, setState] = useState<DeliveryState | ''>('');
  const query = useQuery({
    queryKey: ['webhook-deliveries', state],
    queryFn: () => fetchDeliveries(state, SHOWN),
    staleTime: 0,
    refetchInterval: REFRESH_MS,
  });
  // i18n: settings:webhooks.state.*
  const options = STATES.map((one) => ({ value: one, label: t(`settings:webhooks.state.${one || 'all'}`) }));
  const choose = (value: string) => setState(STATES.find((one) => one === value) ?? '');
  return (
    <Card title={t('settings:webhooks.deliveries')} aside={String(query.data?.count ?? '')} flush>
      <div className="px-3.5 py-2.5">
        <Segmented label={t('settings:webhooks.states')} options={options} value={state} onChange={choose} />
      </div>
      {query.error && <Note tone="danger">{explain(query.error)}</Note>}
      {query.data?.count === 0 && (
        <p className="px-3.5 pb-3 text-ink-3">{t('settings:webhooks.none_sent')}</p>
      )}
      <ul>
        {query.data?.results.map((delivery) => (
          <Row key={delivery.id} delivery={delivery} onRetried={() => void query.refetch()} />
        ))}
      </ul>
    </Card>
  );
}
