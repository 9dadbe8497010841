import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';

/** Asks, and ends all keys and sessions of a service account that may be compromised. */
export async function endAccess(account: { readonly id: string; readonly name: string }): Promise<void> {
  const done = await confirm({
    title: translate('users:access.ask', { name: account.name }),
    effect: translate('users:service.end_effect'),
    confirmLabel: translate('users:quick.reset_access_do'),
    danger: true,
    run: () => http.post(`users/users/${account.id}/access/reset/`, undefined, { quiet: true }),
  });
  if (done) toast({ tone: 'ok', text: translate('users:access.done', { name: account.name }) });
}
