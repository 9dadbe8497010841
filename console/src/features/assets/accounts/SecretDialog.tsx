import { Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Api } from '#/lib/api-types';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { freshMfa } from '#/domain/mfa/fresh-mfa';
import { Button, IconButton } from '#/ui/button';
import { copyText } from '#/ui/clipboard';
import { Dialog } from '#/ui/dialog';
import { Field, PasswordInput, TextArea, TextInput } from '#/ui/field';
import { Note } from '#/ui/note';
import { SkeletonLines } from '#/ui/skeleton';
import { accountName, type AccountRow } from './account-row';

type Secret = Pick<
  Api<'AccountSecret'>,
  'username' | 'password' | 'private_key' | 'secret_source' | 'systemuser_display' | 'systemuser_is_manual'
>;

/** Asks once more for a code if it has expired since the dialog was asked for. */
async function load(id: string): Promise<Secret> {
  const fetch = () => http.get<Secret>(`assets/account-secrets/${id}/`, { quiet: true });
  try {
    return await fetch();
  } catch (error) {
    if (!freshMfa.isMissing(error) || !(await freshMfa.ask())) throw error;
    return fetch();
  }
}

function Copyable({ label, text }: { readonly label: string; readonly text: string }) {
  const t = useT();
  return (
    <IconButton
      icon={Copy}
      label={t('accounts:secret.copy', { what: label })}
      onClick={() => void copyText(text)}
    />
  );
}

// i18n: accounts:secret.from_*
function Shown({ secret }: { readonly secret: Secret }) {
  const t = useT();
  if (secret.secret_source === 'unreadable') {
    return <Note tone="danger">{t('accounts:secret.from_unreadable')}</Note>;
  }
  if (secret.secret_source === 'none') {
    return (
      <Note>
        {secret.systemuser_is_manual
          ? t('accounts:secret.manual', { name: secret.systemuser_display })
          : t('accounts:secret.from_none')}
      </Note>
    );
  }
  return (
    <div className="grid gap-3">
      <p className="text-ink-2">
        {secret.secret_source === 'account'
          ? t('accounts:secret.from_account')
          : t('accounts:secret.from_system_user', { name: secret.systemuser_display })}
      </p>
      {secret.username !== '' && (
        <Field label={t('accounts:secret.username')} layout="above">
          {(control) => (
            <span className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-1.5">
              <TextInput {...control} readOnly className="font-mono" value={secret.username} />
              <Copyable label={t('accounts:secret.username')} text={secret.username} />
            </span>
          )}
        </Field>
      )}
      {secret.password !== '' && (
        <Field label={t('accounts:secret.password')} layout="above">
          {(control) => (
            <span className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-1.5">
              <PasswordInput
                {...control}
                readOnly
                autoComplete="off"
                className="font-mono"
                value={secret.password}
              />
              <Copyable label={t('accounts:secret.password')} text={secret.password} />
            </span>
          )}
        </Field>
      )}
      {secret.private_key !== '' && (
        <Field label={t('accounts:secret.private_key')} layout="above">
          {(control) => (
            <span className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-1.5">
              <TextArea
                {...control}
                readOnly
                rows={6}
                className="font-mono text-meta"
                value={secret.private_key}
              />
              <Copyable label={t('accounts:secret.private_key')} text={secret.private_key} />
            </span>
          )}
        </Field>
      )}
    </div>
  );
}

/** The secret that an account signs in with. It is fetched for this dialog and stored nowhere. */
export function SecretDialog({ row, onClose }: { readonly row: AccountRow; readonly onClose: () => void }) {
  const t = useT();
  const [secret, setSecret] = useState<Secret | null>(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let isOpen = true;
    load(row.id).then(
      (answer) => {
        if (isOpen) setSecret(answer);
      },
      (error: unknown) => {
        if (isOpen) setProblem(explain(error));
      },
    );
    return () => {
      isOpen = false;
    };
  }, [row.id]);
  return (
    <Dialog
      isOpen
      title={t('accounts:secret.title', { name: accountName(row) })}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('ui:close')}</Button>}
    >
      {problem !== '' && <Note tone="danger">{problem}</Note>}
      {problem === '' && (secret === null ? <SkeletonLines lines={4} /> : <Shown secret={secret} />)}
      <p className="mt-3 text-meta text-ink-3">{t('accounts:secret.on_record')}</p>
    </Dialog>
  );
}
