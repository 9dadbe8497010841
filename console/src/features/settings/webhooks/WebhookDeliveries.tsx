import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { Segmented } from '#/ui/choice';
import { Note } from '#/ui/note';
import { StateView } from '#/ui/states';
import { Status, type StatusTone } from '#/ui/status';
import { visible } from '#/ui/visible-text';
import { DeliveryRow } from '../DeliveryRow';
import { type DeliveryState, fetchDeliveries, retryDelivery } from './api';

/** The newest deliveries are shown; the number tells whether there are more. */
const SHOWN = 20;
const REFRESH_MS = 10_000;
const STATES = ['', 'waiting', 'failed', 'accepted'] as const;
const TONES: Record<DeliveryState, StatusTone> = { waiting: 'warn', failed: 'danger', accepted: 'ok' };

function NoDeliveries({ isFiltered, onAll }: { readonly isFiltered: boolean; readonly onAll: () => void }) {
  const t = useT();
  if (isFiltered) {
    return (
      <StateView
        drawing="no-match"
        title={t('settings:webhooks.none_in_state')}
        actions={<Button onClick={onAll}>{t('settings:webhooks.show_all')}</Button>}
      />
    );
  }
  return (
    <StateView drawing="empty" title={t('settings:webhooks.none_sent')}>
      {t('settings:webhooks.none_sent_why')}
    </StateView>
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
      {query.data?.count === 0 && <NoDeliveries isFiltered={state !== ''} onAll={() => setState('')} />}
      <ul>
        {query.data?.results.map((delivery) => (
          <DeliveryRow
            key={delivery.id}
            delivery={delivery}
            retry={delivery.state === 'failed' ? () => retryDelivery(delivery.id) : undefined}
            onRetried={() => void query.refetch()}
          >
            <span>
              {delivery.kind_display} → {visible(delivery.webhook_display)}
            </span>
            <Status tone={TONES[delivery.state]}>{delivery.state_display}</Status>
          </DeliveryRow>
        ))}
      </ul>
    </Card>
  );
}
