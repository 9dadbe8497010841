import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { useSession } from '#/lib/session';
import { groupOptions, nodeOptions, userOptions } from '#/domain/remotes';
import { Button } from '#/ui/button';
import { Note } from '#/ui/note';
import { AccountFields } from './AccountFields';
import {
  addHost,
  type AddedHost,
  EMPTY_HOST,
  errorsOf,
  existingAccountsQuery,
  missingIn,
  type NewHost,
  without,
  suggestedAccount,
} from './api';
import { type FormPart, Named, Text } from './fields';

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-2 text-lead">{title}</legend>
      {children}
    </fieldset>
  );
}

function WhereAndWho(part: FormPart) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Named {...part} name="nodes" remote={nodeOptions} />
      <span className="max-sm:hidden" />
      <Named {...part} name="users" remote={userOptions} />
      <Named {...part} name="userGroups" remote={groupOptions} />
    </div>
  );
}

/** Fields of a new account: text in them is a choice for a new account, even before the list of accounts has arrived. */
const NEW_ACCOUNT_FIELDS: readonly (keyof NewHost)[] = ['username', 'accountName', 'password', 'privateKey'];

function withAccountKind(changes: Partial<NewHost>): Partial<NewHost> {
  return NEW_ACCOUNT_FIELDS.some((name) => name in changes) ? { accountKind: 'new', ...changes } : changes;
}

/** Moves the focus to the first invalid field; runs before the next paint. */
function focusFirst(form: HTMLFormElement): void {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}

function useNewHost(onAdded: (made: AddedHost, host: NewHost) => void) {
  const t = useT();
  const { profile } = useSession();
  const accounts = useQuery(existingAccountsQuery);
  const [entered, setEntered] = useState<Partial<NewHost>>({ users: [profile.id] });
  const suggested = suggestedAccount((accounts.data?.results ?? []).map((account) => account.id));
  const host: NewHost = { ...EMPTY_HOST, ...suggested, ...entered };
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const form = event.currentTarget;
    const missing = missingIn(host);
    setErrors(Object.fromEntries(missing.map((name) => [name, t('resource:form.required')])));
    if (missing.length > 0) {
      focusFirst(form);
      return;
    }
    setBusy(true);
    try {
      onAdded(await addHost(host), host);
    } catch (error) {
      setErrors(error instanceof ValidationError ? errorsOf(error.fields) : { '': explain(error) });
      setBusy(false);
      focusFirst(form);
    }
  };
  const part: FormPart = {
    host,
    errors,
    set: (changes) => {
      setEntered((old) => ({ ...old, ...withAccountKind(changes) }));
      setErrors((old) => without(old, Object.keys(changes)));
    },
  };
  return { part, busy, submit, failure: errors[''] };
}

/** Creates a host, its account and the permission of those who may connect, in one request: all of them or none. */
export function NewHostForm({
  onAdded,
  more,
}: {
  readonly onAdded: (made: AddedHost, host: NewHost) => void;
  /** Content beside the button: other ways to add hosts. */
  readonly more?: ReactNode;
}) {
  const t = useT();
  const { part, busy, submit, failure } = useNewHost(onAdded);
  return (
    <form
      className="grid max-w-(--form-max) gap-4"
      aria-label={t('new-host:title')}
      noValidate
      onSubmit={(event) => void submit(event)}
    >
      {failure !== undefined && (
        <Note tone="danger" announce>
          {failure}
        </Note>
      )}
      <Group title={t('new-host:group.host')}>
        <div className="grid gap-3 sm:grid-cols-2">
          <Text {...part} name="address" required mono />
          <Text {...part} name="port" required mono />
          <Text {...part} name="hostname" placeholder={part.host.address} />
        </div>
      </Group>
      <AccountFields {...part} />
      <Group title={t('new-host:group.who')}>
        <WhereAndWho {...part} />
      </Group>
      <div className="flex flex-wrap items-center gap-2">
        <Button kind="primary" type="submit" icon={Plus} busy={busy}>
          {t('new-host:add')}
        </Button>
        {more}
        <span className="text-meta text-ink-3 sm:ml-auto">{t('new-host:sealed')}</span>
      </div>
    </form>
  );
}
