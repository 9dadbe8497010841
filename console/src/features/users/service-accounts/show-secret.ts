import { translate } from '#/lib/i18n';
import { copyText } from '#/ui/clipboard';
import { confirm } from '#/ui/confirm';

/** Shows a new access key. The server returns its secret only once. */
export async function showSecret(answer: object): Promise<void> {
  const { id, secret } = answer as { readonly id?: unknown; readonly secret?: unknown };
  if (typeof id !== 'string' || typeof secret !== 'string') return;
  await confirm({
    title: translate('users:key.made'),
    effect: translate('users:key.made_effect'),
    names: [`${translate('users:key.id')}: ${id}`, `${translate('users:key.secret')}: ${secret}`],
    confirmLabel: translate('users:key.copy'),
    cancelLabel: translate('ui:close'),
    failed: () => null, // copying says itself that it was refused
    run: async () => {
      await copyText(`POSTERN_ACCESS_KEY_ID=${id}\nPOSTERN_ACCESS_KEY_SECRET=${secret}\n`);
      // Without a secure context nothing was copied: the dialog stays open, so that the text can be selected.
      if (!window.isSecureContext) throw new Error('The clipboard is closed.');
    },
  });
}
