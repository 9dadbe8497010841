import { useT } from '#/lib/i18n';
import { RemoteSelect } from '#/resource/form/RemoteSelect';
import type { RemoteOptions } from '#/resource/define';
import { systemUserOptions } from '#/domain/remotes';
import { RadioGroup } from '#/ui/choice';
import { Field } from '#/ui/field';
import { SSH_ACCOUNTS } from './api';
import { type FormPart, Text } from './fields';

const sshAccounts: RemoteOptions = { ...systemUserOptions, query: SSH_ACCOUNTS };

function Existing({ host, errors, set }: FormPart) {
  const t = useT();
  const label = t('new-host:field.systemUser');
  return (
    <Field label={label} error={errors['systemUser']} layout="above" required>
      {(control) => (
        <RemoteSelect
          control={control}
          label={label}
          remote={sshAccounts}
          multiple={false}
          value={host.systemUser === '' ? [] : [host.systemUser]}
          onChange={(ids) => set({ systemUser: ids[0] ?? '' })}
        />
      )}
    </Field>
  );
}

/** A new account: username and secret. */
export function NewAccount(part: FormPart) {
  const t = useT();
  const { host, set } = part;
  const byKey = host.secretKind === 'key';
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Text {...part} name="username" required />
      <Text {...part} name="accountName" placeholder={host.username} />
      <div
        role="radiogroup"
        aria-label={t('new-host:secret.label')}
        className="flex flex-wrap gap-x-4 sm:col-span-2"
      >
        <RadioGroup
          name="new-host-secret"
          value={host.secretKind}
          onChange={(kind) => set({ secretKind: kind === 'key' ? 'key' : 'password' })}
          options={[
            { value: 'password', label: t('new-host:secret.password') },
            { value: 'key', label: t('new-host:secret.key') },
          ]}
        />
      </div>
      {byKey && (
        <div className="sm:col-span-2">
          <Text {...part} name="privateKey" kind="area" required />
        </div>
      )}
      <Text {...part} name="password" kind="password" required={!byKey} />
      <p className="text-meta text-ink-3 sm:col-span-2">{t('new-host:sealed')}</p>
    </div>
  );
}

/** The account with which people work on the host: a new one, or one that other hosts already use. */
export function AccountFields(part: FormPart) {
  const t = useT();
  const { host, set } = part;
  return (
    <fieldset className="grid min-w-0 grid-cols-1 gap-3">
      <legend className="mb-2 text-lead">{t('new-host:group.account')}</legend>
      <div role="radiogroup" aria-label={t('new-host:group.account')} className="flex flex-wrap gap-x-4">
        <RadioGroup
          name="new-host-account"
          value={host.accountKind}
          onChange={(kind) => set({ accountKind: kind === 'existing' ? 'existing' : 'new' })}
          options={[
            { value: 'new', label: t('new-host:account.new') },
            { value: 'existing', label: t('new-host:account.existing') },
          ]}
        />
      </div>
      {host.accountKind === 'existing' ? <Existing {...part} /> : <NewAccount {...part} />}
    </fieldset>
  );
}
