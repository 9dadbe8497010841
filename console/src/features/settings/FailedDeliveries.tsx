import { useQuery } from '@tanstack/react-query';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { Card } from '#/ui/card';
import { Note } from '#/ui/note';
import { visible } from '#/ui/visible-text';
import { DeliveryRow } from './DeliveryRow';
import { fetchFailedDeliveries, retryDelivery } from './messages-api';

/** The newest deliveries are shown; the number tells whether there are more. */
const SHOWN = 20;

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
          <DeliveryRow
            key={delivery.id}
            delivery={delivery}
            retry={() => retryDelivery(delivery.id)}
            onRetried={() => void query.refetch()}
          >
            <span>
              {visible(delivery.subject)} → {visible(delivery.user_display)}
            </span>
            <span className="text-ink-3">
              {delivery.channel_display}
              {delivery.address === '' ? '' : `: ${visible(delivery.address)}`}
            </span>
          </DeliveryRow>
        ))}
      </ul>
    </Card>
  );
}
