import { History } from 'lucide-react';
import { freshMfa } from '#/domain/mfa/fresh-mfa';
import { http } from '#/lib/http/client';
import { translate, useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';
import { accountName, type AccountRow } from '../accounts/account-row';

interface Restored {
  readonly account: Pick<AccountRow, 'id' | 'username' | 'hostname'>;
  readonly number: number;
  /** The version that the person sees as the current version: the server refuses if another version is current. */
  readonly current: number;
  readonly onDone: () => void;
}

async function restore({ account, number, current, onDone }: Restored): Promise<void> {
  if (!(await freshMfa.ask())) return;
  const name = accountName(account);
  const done = await confirm({
    title: translate('account-changes:restore.question', { number, name }),
    effect: translate('account-changes:restore.effect'),
    confirmLabel: translate('account-changes:restore.action'),
    run: () =>
      http.post(`assets/accounts/${account.id}/versions/${number}/restore/`, { current }, { quiet: true }),
  });
  // After a refusal, too: the secret may have been changed meanwhile.
  onDone();
  if (done) toast({ tone: 'ok', text: translate('account-changes:restore.done', { number, name }) });
}

/** Makes the secret of an earlier version the current secret again, after a code and a question. */
export function RestoreButton(props: Restored) {
  const t = useT();
  return (
    <span className="block pt-1">
      <Button
        size="sm"
        icon={History}
        aria-label={t('account-changes:restore.this', { number: props.number })}
        onClick={() => void restore(props)}
      >
        {t('account-changes:restore.action')}
      </Button>
    </span>
  );
}
