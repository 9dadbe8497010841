import type { Column } from '#/resource/define';
import { ChipsCell, TimeCell } from '#/resource/format';
import { Everybody, GrantPeople, GrantState } from './cells';
import type { GrantNames, GrantTerms } from './grant-row';

/** What the lists of permissions on the pages of objects have in common, of assets as of applications. */

type Row = GrantNames & GrantTerms & { readonly id: string };

export const people: Column<Row, 'people'> = {
  key: 'people',
  label: 'grants:who',
  sortable: false,
  cell: (row) => <GrantPeople row={row} />,
};

/** `list`: the permissions of this kind. */
export function everybody(list: string): Column<Row, 'everybody'> {
  return {
    key: 'everybody',
    label: 'grants:everybody',
    sortable: false,
    cell: (row) => <Everybody list={list} row={row} />,
  };
}

export const accounts: Column<Row, 'system_users_display'> = {
  key: 'system_users_display',
  label: 'grants:as_whom',
  sortable: false,
  cell: (row) => <ChipsCell values={row.system_users_display} />,
};

export const until: Column<Row, 'date_expired'> = {
  key: 'date_expired',
  label: 'grants:until',
  cell: (row) => <TimeCell value={row.date_expired} />,
};

export const state: Column<Row, 'state'> = {
  key: 'state',
  label: 'grants:state.label',
  sortable: false,
  cell: (row) => <GrantState row={row} />,
};

const YES_NO = [
  { value: '1', label: 'resource:yes' },
  { value: '0', label: 'resource:no' },
] as const;

// i18n: grants:filter.*
export const PEOPLE_FILTERS = [
  { key: 'name', label: 'grants:filter.name' },
  { key: 'is_valid', label: 'grants:filter.is_valid', choices: YES_NO },
  { key: 'username', label: 'grants:filter.username' },
  { key: 'user_group', label: 'grants:filter.user_group' },
] as const;
