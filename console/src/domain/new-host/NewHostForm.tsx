import { useQuery } from '@tanstack/react-query';
import { PlugZap, Plus } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { useSession } from '#/lib/session';
import { groupOptions, nodeOptions, userOptions } from '#/domain/remotes';
import { Button } from '#/ui/button';
import { AppLink } from '#/ui/link';
import { Note } from '#/ui/note';
import { AccountFields, NewAccount } from './AccountFields';
import {
  addHost,
  type AddedHost,
  correctHost,
  EMPTY_HOST,
  errorsOf,
  existingAccountsQuery,
  missingIn,
  type NewHost,
  PartError,
  without,
  suggestedAccount,
} from './api';
import { type FormPart, Named, Text } from './fields';
import { useHostTest } from './host-test';
import { HostTest } from './HostTest';

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <fieldset className="grid min-w-0 grid-cols-1 gap-3">
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

/** A host that was added and is tested in place. */
interface Tested {
  readonly made: AddedHost;
  /** Values as they are stored. */
  readonly stored: NewHost;
}

function messagesOf(error: unknown): Readonly<Record<string, string>> {
  if (error instanceof ValidationError || error instanceof PartError) return errorsOf(error.fields);
  return { '': explain(error) };
}

interface Onward {
  readonly label: string;
  /** Label while the host has not passed its test. */
  readonly untested?: string;
  readonly run: (made: AddedHost) => void;
}

interface Handlers {
  readonly onAdded: (made: AddedHost, host: NewHost) => void;
  readonly onTesting: ((made: AddedHost, host: NewHost) => void) | undefined;
}

function useNewHost({ onAdded, onTesting }: Handlers) {
  const t = useT();
  const { profile } = useSession();
  const accounts = useQuery(existingAccountsQuery);
  const [entered, setEntered] = useState<Partial<NewHost>>({ users: [profile.id] });
  const suggested = suggestedAccount((accounts.data?.results ?? []).map((account) => account.id));
  const [tested, setTested] = useState<Tested | null>(null);
  // Once stored, the suggestion must not change the account.
  const host: NewHost = { ...EMPTY_HOST, ...(tested?.stored ?? suggested), ...entered };
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [busy, setBusy] = useState(false);
  const { test, start } = useHostTest();

  const save = async (withTest: boolean) => {
    if (tested) {
      await correctHost(tested.made, tested.stored, host);
      setTested({ ...tested, stored: host });
      start(tested.made);
      return;
    }
    const made = await addHost(host);
    if (!withTest) {
      onAdded(made, host);
      return;
    }
    setTested({ made, stored: host });
    start(made);
    onTesting?.(made, host);
  };
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy || test.phase === 'running') return;
    const form = event.currentTarget;
    const { submitter } = event.nativeEvent as SubmitEvent;
    const withTest = submitter?.getAttribute('name') !== WITHOUT_TEST;
    const missing = missingIn(host);
    setErrors(Object.fromEntries(missing.map((name) => [name, t('resource:form.required')])));
    if (missing.length > 0) {
      focusFirst(form);
      return;
    }
    setBusy(true);
    try {
      await save(withTest);
    } catch (error) {
      setErrors(messagesOf(error));
      focusFirst(form);
    } finally {
      setBusy(false);
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
  return { part, busy, submit, failure: errors[''], tested, test };
}

/** Name of the button that adds the host without a test. */
const WITHOUT_TEST = 'without-test';

function HostGroup({ part }: { readonly part: FormPart }) {
  const t = useT();
  return (
    <Group title={t('new-host:group.host')}>
      <div className="grid gap-3 sm:grid-cols-2">
        <Text {...part} name="address" required mono />
        <Text {...part} name="port" required mono />
        <Text {...part} name="hostname" placeholder={part.host.address} />
      </div>
    </Group>
  );
}

/** What can be corrected after a failed test. The values are those that were entered. */
function Correction({ part, made }: { readonly part: FormPart; readonly made: AddedHost }) {
  const t = useT();
  return (
    <>
      <HostGroup part={part} />
      {part.host.accountKind === 'new' ? (
        <Group title={t('new-host:group.account')}>
          <NewAccount {...part} />
        </Group>
      ) : (
        <p>
          <AppLink to={paths.systemUser(made.system_user)} className="pt-link">
            {t('new-host:test.account_page')}
          </AppLink>
        </p>
      )}
    </>
  );
}

/**
 * Creates a host, its account and the permission of those who may connect, in one request: all of them or none. With
 * “Add and test” the host is tested in place; the values stay in the form until the test succeeds.
 */
export function NewHostForm({
  onAdded,
  onTesting,
  more,
  onward,
}: {
  /** The host was added without a test. */
  readonly onAdded: (made: AddedHost, host: NewHost) => void;
  /** The host was added and is being tested. */
  readonly onTesting?: (made: AddedHost, host: NewHost) => void;
  /** Content beside the button: other ways to add hosts. */
  readonly more?: ReactNode;
  /** How to go on with a host that was tested. */
  readonly onward: Onward;
}) {
  const t = useT();
  const { part, busy, submit, failure, tested, test } = useNewHost({ onAdded, onTesting });
  const name = part.host.hostname.trim() || part.host.address.trim();
  return (
    <form
      className="grid max-w-(--form-max) grid-cols-1 gap-4"
      aria-label={t('new-host:title')}
      noValidate
      onSubmit={(event) => void submit(event)}
    >
      {failure !== undefined && (
        <Note tone="danger" announce>
          {failure}
        </Note>
      )}
      {tested ? (
        <>
          <HostTest name={name} asset={tested.made.asset} test={test} />
          {test.phase === 'failed' && <Correction part={part} made={tested.made} />}
          <div className="flex flex-wrap items-center gap-2">
            {test.phase === 'failed' && (
              <Button kind="primary" type="submit" icon={PlugZap} busy={busy}>
                {t('new-host:test.again')}
              </Button>
            )}
            <Button
              kind={test.phase === 'passed' ? 'primary' : 'text'}
              onClick={() => onward.run(tested.made)}
            >
              {test.phase === 'passed' ? onward.label : (onward.untested ?? onward.label)}
            </Button>
          </div>
        </>
      ) : (
        <>
          <HostGroup part={part} />
          <AccountFields {...part} />
          <Group title={t('new-host:group.who')}>
            <WhereAndWho {...part} />
          </Group>
          <div className="flex flex-wrap items-center gap-2">
            <Button kind="primary" type="submit" icon={PlugZap} busy={busy}>
              {t('new-host:test.add')}
            </Button>
            <Button type="submit" name={WITHOUT_TEST} icon={Plus} disabled={busy}>
              {t('new-host:add')}
            </Button>
            {more}
          </div>
        </>
      )}
    </form>
  );
}
