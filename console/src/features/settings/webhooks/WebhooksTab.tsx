import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { currentLanguage, useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { fetchWebhooks, type Webhook } from './api';
import { NewSecret } from './NewSecret';
import { WebhookDeliveries } from './WebhookDeliveries';
import { WebhookDialog } from './WebhookDialog';
import { WebhookRow } from './WebhookRow';

const MASK = /^\*+$/;

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
  if (query.error) {
    return (
      <FailedState
        title={t('settings:webhooks.failed')}
        message={explain(query.error)}
        requestId={requestIdOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  }
  if (!query.data) {
    return (
      <div className="pt-card" aria-busy="true">
        <SkeletonLines lines={6} />
      </div>
    );
  }
  const { rows, offered } = query.data;
  return (
    <div className="grid max-w-[960px] gap-3">
      {made && <NewSecret name={made.name} secret={made.secret} />}
      <Card
        title={t('settings:webhooks.title')}
        aside={
          <Button size="sm" icon={Plus} onClick={() => setEdited(null)}>
            {t('settings:webhooks.add')}
          </Button>
        }
        flush
      >
        <p className="px-3.5 py-2.5 text-ink-2">{t('settings:webhooks.what')}</p>
        <ul>
          {rows.map((webhook) => (
            <WebhookRow
              key={webhook.id}
              webhook={webhook}
              onEdit={() => setEdited(webhook)}
              onChanged={changed}
            />
          ))}
        </ul>
      </Card>
      <WebhookDeliveries />
      {edited !== undefined && (
        <WebhookDialog
          webhook={edited}
          offered={offered}
          onClose={() => setEdited(undefined)}
          onSaved={changed}
        />
      )}
    </div>
  );
}
