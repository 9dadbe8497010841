import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { currentLanguage, useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { StateView } from '#/ui/states';
import { LoadedTab } from '../LoadedTab';
import { fetchWebhooks, type Webhook } from './api';
import { NewSecret } from './NewSecret';
import { WebhookDeliveries } from './WebhookDeliveries';
import { WebhookDialog } from './WebhookDialog';
import { WebhookRow } from './WebhookRow';

const MASK = /^\*+$/;

/** What webhooks are for, and the first step. */
function NoWebhooks({ onAdd }: { readonly onAdd: () => void }) {
  const t = useT();
  const action = (
    <Button kind="primary" icon={Plus} onClick={onAdd}>
      {t('settings:webhooks.add')}
    </Button>
  );
  return (
    <StateView drawing="empty" title={t('settings:webhooks.none')} actions={action}>
      {t('settings:webhooks.none_why')}
    </StateView>
  );
}

function Webhooks({
  rows,
  onEdit,
  onChanged,
}: {
  readonly rows: readonly Webhook[];
  /** Null: a new one. */
  readonly onEdit: (webhook: Webhook | null) => void;
  readonly onChanged: (made?: Webhook) => Promise<unknown>;
}) {
  const t = useT();
  const add = () => onEdit(null);
  const button = (
    <Button size="sm" icon={Plus} onClick={add}>
      {t('settings:webhooks.add')}
    </Button>
  );
  return (
    <Card title={t('settings:webhooks.title')} aside={rows.length > 0 ? button : undefined} flush>
      {rows.length === 0 && <NoWebhooks onAdd={add} />}
      {rows.length > 0 && <p className="px-3.5 py-2.5 text-ink-2">{t('settings:webhooks.what')}</p>}
      <ul>
        {rows.map((webhook) => (
          <WebhookRow
            key={webhook.id}
            webhook={webhook}
            onEdit={() => onEdit(webhook)}
            onChanged={onChanged}
          />
        ))}
      </ul>
    </Card>
  );
}

/** Endpoints of other systems that get messages and audit events, and what was delivered to them. */
export function WebhooksTab() {
  const t = useT();
  const [edited, setEdited] = useState<Webhook | null | undefined>();
  const [made, setMade] = useState<Webhook | null>(null);
  const query = useQuery({
    queryKey: ['webhooks', currentLanguage()],
    queryFn: fetchWebhooks,
    staleTime: 0,
  });
  const changed = (webhook?: Webhook) => {
    if (webhook && !MASK.test(webhook.secret)) setMade(webhook);
    return query.refetch();
  };
  return (
    <LoadedTab query={query} failed={t('settings:webhooks.failed')}>
      {({ rows, offered }) => (
        <>
          {made && <NewSecret name={made.name} secret={made.secret} />}
          <Webhooks rows={rows} onEdit={setEdited} onChanged={changed} />
          {rows.length > 0 && <WebhookDeliveries />}
          {edited !== undefined && (
            <WebhookDialog
              webhook={edited}
              offered={offered}
              onClose={() => setEdited(undefined)}
              onSaved={changed}
            />
          )}
        </>
      )}
    </LoadedTab>
  );
}
