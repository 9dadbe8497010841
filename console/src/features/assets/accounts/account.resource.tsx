import { History, KeyRound, KeySquare, PlugZap, RotateCcwKey, ScanEye } from 'lucide-react';
import { translate } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { currentSession } from '#/lib/session';
import { exactStamp, parseTime } from '#/lib/time';
import { freshMfa } from '#/domain/mfa/fresh-mfa';
import { type Column, defineResource, type NamesOf, type ResourceDefinition } from '#/resource/define';
import { MonoCell } from '#/resource/format';
import { CellLink } from '#/ui/link';
import { Missing, Status, type StatusTone } from '#/ui/status';
import { VisibleText } from '#/ui/visible-text';
import { openAccountDialog, removeOwnSecret, testAccount, testAccounts, viewSecret } from './account-actions';
import { accountName, type AccountRow } from './account-row';

/** The page around the table. Its own column is left out. */
export type AccountPlace = 'asset' | 'system_user' | 'all';

type Shown = NamesOf<'assets/accounts/'>['shown'];

const TONES: Record<AccountRow['connectivity'], StatusTone> = {
  ok: 'ok',
  failed: 'danger',
  unknown: 'unknown',
};

function isWithinOrganization(): boolean {
  return currentSession()?.organization.is_root === false;
}

// i18n: accounts:connectivity.*
/** Whether the last sign-in with the account worked; the tip says when. */
export function AccountState({ row }: { readonly row: AccountRow }) {
  const value = row.connectivity in TONES ? row.connectivity : 'unknown';
  const seen = parseTime(row.date_verified);
  return (
    <span title={seen ? exactStamp(seen) : undefined}>
      <Status tone={TONES[value]}>{translate(`accounts:connectivity.${value}`)}</Status>
    </span>
  );
}

/** The number of the secret, and whether it is the account's own. */
function Version({ row }: { readonly row: AccountRow }) {
  return (
    <span className="inline-flex items-center gap-1.5 tabular-nums">
      {row.version}
      {row.has_own_secret && (
        <span className="inline-flex" title={translate('accounts:own.tip')}>
          <KeySquare className="size-4 text-ink-3" aria-label={translate('accounts:own.tip')} />
        </span>
      )}
    </span>
  );
}

const hostname: Column<AccountRow, Shown> = {
  key: 'hostname',
  sortable: true,
  cell: (row) => (
    <CellLink to={paths.asset(row.asset)} className="pt-link font-medium">
      <VisibleText text={row.hostname} />
    </CellLink>
  ),
};
const ip: Column<AccountRow, Shown> = {
  key: 'ip',
  sortable: true,
  cell: (row) => <MonoCell value={row.ip} />,
};
const systemUser: Column<AccountRow, Shown> = {
  key: 'systemuser_display',
  label: 'accounts:system_user',
  sortable: true,
  cell: (row) =>
    row.systemuser === null ? (
      <Missing />
    ) : (
      <CellLink to={paths.systemUser(row.systemuser)} className="pt-link">
        <VisibleText text={row.systemuser_display} />
      </CellLink>
    ),
};
const username: Column<AccountRow, Shown> = {
  key: 'username',
  sortable: true,
  cell: (row) =>
    row.username === '' ? (
      <span className="text-ink-3">{translate('accounts:own_name')}</span>
    ) : (
      <MonoCell value={row.username} />
    ),
};

const OF_PLACE: Readonly<Record<AccountPlace, readonly Column<AccountRow, Shown>[]>> = {
  asset: [username, systemUser],
  system_user: [hostname, ip, username],
  all: [hostname, ip, username, systemUser],
};
const UNTYPED: Readonly<Record<AccountPlace, readonly Shown[]>> = {
  asset: ['id', 'asset', 'hostname', 'ip', 'systemuser'],
  system_user: ['id', 'asset', 'systemuser'],
  all: ['id', 'asset', 'systemuser'],
};

// i18n: accounts:none_*
/** The table of accounts, without a page of its own: for the tabs of assets and system users, and for lists of all. */
export function accountsSeenFrom(place: AccountPlace): ResourceDefinition<AccountRow> {
  return defineResource<AccountRow, 'assets/accounts/'>({
    name: `AccountsOf-${place}`,
    api: 'assets/accounts/',
    routes: {
      names: { list: 'AssetList' },
      paths: { list: '/assets/assets' },
      titles: { list: 'nav:asset_list' },
    },
    icon: KeyRound,
    nameOf: accountName,
    noun: { one: 'accounts:one', many: 'accounts:many', what: `accounts:none_${place}` },
    can: { create: false, clone: false, update: () => false, delete: () => true },
    list: {
      columns: [
        ...OF_PLACE[place],
        { key: 'version', align: 'right', sortable: true, cell: (row) => <Version row={row} /> },
        { key: 'connectivity', cell: (row) => <AccountState row={row} /> },
        { key: 'date_verified', sortable: true },
        'created_by',
        'date_created',
        'date_updated',
        'comment',
      ],
      shown: [...OF_PLACE[place].map((column) => column.key), 'version', 'connectivity', 'date_verified'],
      untyped: UNTYPED[place],
      exchange: { import: false, verification: freshMfa, exportApi: 'assets/account-secrets/' },
      phone: {
        icon: KeyRound,
        meta: (row) => (
          <span className="truncate">
            <span className="font-mono">{row.ip}</span>
            {row.systemuser_display !== '' && ` · ${row.systemuser_display}`}
          </span>
        ),
        status: (row) => <AccountState row={row} />,
      },
      rowActions: [
        {
          id: 'test',
          label: 'accounts:test',
          icon: PlugZap,
          order: 1,
          isOffered: isWithinOrganization,
          run: testAccount,
        },
        { id: 'view', label: 'accounts:secret.view', icon: ScanEye, order: 2, run: viewSecret },
        {
          id: 'secret',
          label: 'accounts:update.action',
          icon: KeyRound,
          order: 3,
          isOffered: isWithinOrganization,
          run: (row, tools) => openAccountDialog('update', row, tools),
        },
        {
          id: 'versions',
          label: 'accounts:versions.action',
          icon: History,
          order: 4,
          run: (row, tools) => openAccountDialog('versions', row, tools),
        },
        {
          id: 'own',
          label: 'accounts:own.remove',
          icon: RotateCcwKey,
          order: 15,
          isOffered: (row) => row.has_own_secret && isWithinOrganization(),
          run: removeOwnSecret,
        },
      ],
      bulkActions: [
        {
          id: 'test',
          label: 'accounts:test',
          icon: PlugZap,
          isOffered: isWithinOrganization,
          run: testAccounts,
        },
      ],
    },
  });
}
