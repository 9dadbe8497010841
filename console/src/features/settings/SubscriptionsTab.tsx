import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { Checkbox } from '#/ui/choice';
import { toast } from '#/ui/toast';
import { visible } from '#/ui/visible-text';
import { FailedDeliveries } from './FailedDeliveries';
import { LoadedTab } from './LoadedTab';
import { type Backend, fetchSubscriptions, saveSubscription, type Subscription } from './messages-api';
import { ReceiversDialog } from './ReceiversDialog';

/** Names of a kind's receivers; without a choice these are the super administrators. */
function Receivers({ subscription }: { readonly subscription: Subscription }) {
  const t = useT();
  const { receivers, groups } = subscription;
  if (receivers.length === 0 && groups.length === 0) return t('settings:messages.nobody');
  return [
    ...receivers.map(({ name }) => visible(name)),
    ...(groups.length > 0 ? [t('settings:messages.groups', { count: groups.length })] : []),
  ].join(', ');
}

/** One kind of message: its receivers, and a box for each delivery method. */
function Kind({
  subscription,
  backends,
  onChanged,
}: {
  readonly subscription: Subscription;
  readonly backends: readonly Backend[];
  readonly onChanged: () => Promise<unknown>;
}) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const toggle = async (name: string, wanted: boolean) => {
    setBusy(true);
    const others = subscription.receive_backends.filter((one) => one !== name);
    try {
      await saveSubscription(subscription.message_type, {
        receive_backends: wanted ? [...others, name] : others,
      });
      await onChanged();
    } catch (error) {
      toast({ tone: 'error', text: explain(error) });
    } finally {
      setBusy(false);
    }
  };
  return (
    <li className="settings-kind" aria-busy={busy}>
      <div className="min-w-0">
        <p>{subscription.message_type_label}</p>
        <p className="text-meta text-ink-3 [overflow-wrap:anywhere]">
          <Receivers subscription={subscription} />
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        {backends.map(({ name, name_display: label }) => (
          <label key={name} className="inline-flex items-center gap-1">
            <Checkbox
              aria-label={t('settings:messages.by', { kind: subscription.message_type_label, way: label })}
              checked={subscription.receive_backends.includes(name)}
              disabled={busy}
              onChange={(event) => void toggle(name, event.target.checked)}
            />
            <span aria-hidden>{label}</span>
          </label>
        ))}
        <Button
          size="sm"
          aria-label={t('settings:messages.change_of', { kind: subscription.message_type_label })}
          onClick={() => setOpen(true)}
        >
          {t('settings:messages.change')}
        </Button>
      </div>
      {isOpen && (
        <ReceiversDialog subscription={subscription} onClose={() => setOpen(false)} onSaved={onChanged} />
      )}
    </li>
  );
}

/** Which system messages go to whom, by which methods, and what could not be delivered. */
export function SubscriptionsTab() {
  const t = useT();
  const query = useQuery({ queryKey: ['subscriptions'], queryFn: fetchSubscriptions, staleTime: 0 });
  return (
    <LoadedTab query={query} failed={t('settings:messages.failed')}>
      {({ backends, categories }) => (
        <>
          {categories.map((category) => (
            <Card key={category.category} title={category.category_label} flush>
              <ul>
                {category.children.map((subscription) => (
                  <Kind
                    key={subscription.message_type}
                    subscription={subscription}
                    backends={backends}
                    onChanged={() => query.refetch()}
                  />
                ))}
              </ul>
            </Card>
          ))}
          <FailedDeliveries />
        </>
      )}
    </LoadedTab>
  );
}
