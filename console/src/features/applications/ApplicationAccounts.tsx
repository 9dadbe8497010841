import { KeyRound, ScanEye, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { AccountSecret } from '#/domain/account-secret';
import { CredentialDialog } from '#/domain/credential-form/CredentialDialog';
import { CredentialPassword } from '#/domain/credential-form/fields';
import { problemsIn } from '#/domain/credential-form/problems';
import { freshMfa } from '#/domain/mfa/fresh-mfa';
import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';
import { translate, useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { currentSession } from '#/lib/session';
import { type ActionTools, defineResource, type ResourceDefinition } from '#/resource/define';
import { MonoCell } from '#/resource/format';
import { ResourceList } from '#/resource/list/ResourceList';
import { confirm } from '#/ui/confirm';
import { CellLink } from '#/ui/link';
import { Status } from '#/ui/status';
import { toast } from '#/ui/toast';
import { VisibleText } from '#/ui/visible-text';

type AccountRow = Pick<
  Api<'ApplicationAccount'>,
  'id' | 'username' | 'systemuser' | 'systemuser_display' | 'app_name' | 'has_own_secret' | 'is_granted'
>;

const FIELDS = ['password'] as const;

/** `root@orders`, for titles and questions. */
function nameOf(row: AccountRow): string {
  return `${row.username || '*'}@${row.app_name}`;
}

function isWithinOrganization(): boolean {
  return currentSession()?.organization.is_root === false;
}

/** Returns to the secret of the system user. */
async function removeOwnSecret(row: AccountRow, tools: ActionTools): Promise<void> {
  const name = nameOf(row);
  const isRemoved = await confirm({
    title: translate('applications:account.remove_question', { name }),
    effect: row.is_granted
      ? translate('applications:account.remove_effect', { name: row.systemuser_display })
      : translate('applications:account.remove_effect_last'),
    confirmLabel: translate('applications:account.remove'),
    danger: true,
    run: () => http.delete(`applications/accounts/${row.id}/own-secret/`, { quiet: true }),
  });
  if (!isRemoved) return;
  toast({ tone: 'ok', text: translate('applications:account.removed', { name }) });
  tools.refresh();
}

/** Which secret the account signs in with. */
function Origin({ row }: { readonly row: AccountRow }) {
  return row.has_own_secret ? (
    <span>{translate('applications:account.own')}</span>
  ) : (
    <span className="text-ink-2">{translate('applications:account.of_system_user')}</span>
  );
}

/** An account without a permission stays only because of its secret; nobody can use it. */
function Granted({ row }: { readonly row: AccountRow }) {
  return (
    <Status tone={row.is_granted ? 'ok' : 'unknown'}>
      {translate(row.is_granted ? 'applications:account.granted' : 'applications:account.not_granted')}
    </Status>
  );
}

interface Asked {
  readonly what: 'show' | 'change';
  readonly row: AccountRow;
  readonly done: () => void;
}

function accountsOf(ask: (asked: Asked) => void): ResourceDefinition<AccountRow> {
  return defineResource<AccountRow, 'applications/accounts/', 'origin' | 'granted'>({
    name: 'ApplicationAccountTable',
    api: 'applications/accounts/',
    routes: {
      names: { list: 'DatabaseAppList' },
      paths: { list: '/applications/databases' },
      titles: { list: 'nav:database_app_list' },
    },
    icon: KeyRound,
    nameOf,
    noun: {
      one: 'applications:account.one',
      many: 'applications:account.many',
      what: 'applications:account.what',
    },
    can: { create: false, clone: false, update: () => false, deleteMany: false },
    list: {
      columns: [
        { key: 'username', sortable: true, cell: (row) => <MonoCell value={row.username} /> },
        {
          key: 'systemuser_display',
          label: 'applications:account.system_user',
          sortable: true,
          cell: (row) => (
            <CellLink to={paths.systemUser(row.systemuser)} className="pt-link">
              <VisibleText text={row.systemuser_display} />
            </CellLink>
          ),
        },
        {
          key: 'origin',
          label: 'applications:account.secret',
          sortable: false,
          cell: (row) => <Origin row={row} />,
        },
        {
          key: 'granted',
          label: 'applications:account.permission',
          sortable: false,
          cell: (row) => <Granted row={row} />,
        },
        'date_created',
      ],
      untyped: ['app', 'app_name', 'category', 'type', 'systemuser'],
      exchange: { import: false, verification: freshMfa, exportApi: 'applications/account-secrets/' },
      isInactive: (row) => !row.is_granted,
      phone: {
        icon: KeyRound,
        meta: (row) => <VisibleText text={row.systemuser_display} />,
        note: (row) => <Origin row={row} />,
        status: (row) => <Granted row={row} />,
      },
      rowActions: [
        {
          id: 'view',
          label: 'applications:account.view',
          icon: ScanEye,
          order: 1,
          // A code is asked for first, if none was entered recently.
          run: async (row, tools) => {
            if (await freshMfa.ask()) ask({ what: 'show', row, done: tools.refresh });
          },
        },
        {
          id: 'secret',
          label: 'applications:account.set',
          icon: KeyRound,
          order: 2,
          isOffered: isWithinOrganization,
          run: (row, tools) => ask({ what: 'change', row, done: tools.refresh }),
        },
        {
          id: 'own',
          label: 'applications:account.remove',
          icon: Trash2,
          order: 3,
          isOffered: (row) => row.has_own_secret && isWithinOrganization(),
          run: removeOwnSecret,
        },
      ],
    },
  });
}

/** Gives the account a password of its own, which replaces that of the system user. */
function OwnSecretDialog({
  row,
  onDone,
  onClose,
}: {
  readonly row: AccountRow;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const t = useT();
  const [password, setPassword] = useState('');
  const name = nameOf(row);
  return (
    <CredentialDialog<(typeof FIELDS)[number]>
      title={t('applications:account.set_title', { name })}
      effect={t('applications:account.set_effect', { name: row.systemuser_display })}
      missing={() => (password === '' ? { password: t('applications:account.nothing') } : {})}
      save={() => http.patch(`applications/accounts/${row.id}/`, { password }, { quiet: true })}
      problemsOf={(error) => problemsIn(error, FIELDS)}
      done={t('applications:account.set_done', { name })}
      onDone={onDone}
      onClose={onClose}
    >
      {(problems) => (
        <CredentialPassword
          autoFocus
          label={t('applications:account.password')}
          help={t('applications:account.password_help')}
          value={password}
          error={problems.password}
          onChange={setPassword}
        />
      )}
    </CredentialDialog>
  );
}

/** The accounts of an application: the system users that permissions grant it with. */
export function ApplicationAccounts({ application }: { readonly application: string }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const resource = useMemo(() => accountsOf(setAsked), []);
  const query = useMemo(() => ({ app: application }), [application]);
  const close = () => setAsked(null);
  return (
    <>
      <ResourceList resource={resource} query={query} embedded />
      {asked?.what === 'show' && (
        <AccountSecret
          api="applications/account-secrets/"
          id={asked.row.id}
          name={nameOf(asked.row)}
          onClose={close}
        />
      )}
      {asked?.what === 'change' && <OwnSecretDialog row={asked.row} onDone={asked.done} onClose={close} />}
    </>
  );
}
