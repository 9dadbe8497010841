import { useT } from '#/lib/i18n';
import { TimeCell } from '#/resource/format';
import { Button } from '#/ui/button';
import { confirm } from '#/ui/confirm';
import { Status } from '#/ui/status';
import { visible } from '#/ui/visible-text';
import { deleteWebhook, newSecret, type Webhook } from './api';

/** One webhook with what can be done with it. */
export function WebhookRow({
  webhook,
  onEdit,
  onChanged,
}: {
  readonly webhook: Webhook;
  readonly onEdit: () => void;
  /** `made`: the webhook with its new secret. */
  readonly onChanged: (made?: Webhook) => Promise<unknown>;
}) {
  const t = useT();
  const { name, message_types: messages, audit_categories: categories } = webhook;
  const replace = () =>
    confirm({
      title: t('settings:webhooks.replace_question', { name }),
      effect: t('settings:webhooks.replace_effect'),
      confirmLabel: t('settings:webhooks.replace'),
      run: async () => onChanged(await newSecret(webhook.id)),
    });
  const remove = () =>
    confirm({
      title: t('settings:webhooks.delete_question', { name }),
      effect: t('settings:webhooks.delete_effect'),
      confirmLabel: t('settings:webhooks.delete'),
      danger: true,
      run: async () => {
        await deleteWebhook(webhook.id);
        await onChanged();
      },
    });
  return (
    <li className="settings-kind">
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <p className="flex flex-wrap items-center gap-x-2">
          <span className="font-medium">{visible(name)}</span>
          <Status tone={webhook.is_active ? 'ok' : 'unknown'}>
            {t(webhook.is_active ? 'settings:webhooks.on' : 'settings:webhooks.off')}
          </Status>
        </p>
        <p className="text-ink-2">{visible(webhook.address)}</p>
        <p className="text-meta text-ink-3">
          {t('settings:webhooks.gets', { messages: messages.length, events: categories.length })}
        </p>
        {webhook.former_until !== null && (
          <p className="text-meta text-ink-3">
            {t('settings:webhooks.former')} <TimeCell value={webhook.former_until} exact />
          </p>
        )}
        {webhook.off_reason !== '' && <p className="text-meta text-danger">{webhook.off_reason}</p>}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" aria-label={t('settings:webhooks.edit_of', { name })} onClick={onEdit}>
          {t('settings:webhooks.change')}
        </Button>
        <Button
          size="sm"
          aria-label={t('settings:webhooks.replace_of', { name })}
          onClick={() => void replace()}
        >
          {t('settings:webhooks.replace')}
        </Button>
        <Button
          size="sm"
          kind="danger-text"
          aria-label={t('settings:webhooks.delete_of', { name })}
          onClick={() => void remove()}
        >
          {t('settings:webhooks.delete')}
        </Button>
      </div>
    </li>
  );
}
