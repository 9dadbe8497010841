import { groupOptions, userOptions } from '#/domain/remotes';
import { serverNow } from '#/lib/server-clock';
import type { FieldSpec, FormValues } from '#/resource/define';
import { daysFrom } from '#/ui/dates/shortcuts';
import { fieldValue, instantOf, readTyped, written } from '#/ui/dates/typed';

/** What the forms of all permissions have in common: people, accounts and dates. */

/** Default lifetime of a new permission, in days (contract). */
const DEFAULT_DAYS = 36_500;
const noEnd = (): string => fieldValue(daysFrom(serverNow(), DEFAULT_DAYS), 'datetime');

/** Query parameters of the form: other pages link here with an asset, a person or an account prefilled. */
export function prefilled(query: Readonly<Record<string, string>>, key: string): readonly string[] {
  return query[key] ? [query[key]] : [];
}

/** A permission cannot end before it begins. */
function startOf(values: FormValues): Date | undefined {
  const start = values['date_start'];
  if (typeof start !== 'string') return undefined;
  const typed = readTyped(written(start));
  return 'value' in typed ? instantOf(typed.value) : undefined;
}

/** People and accounts from the address. */
export function prefilledPeople(query: Readonly<Record<string, string>>): FormValues {
  return {
    users: prefilled(query, 'user'),
    user_groups: prefilled(query, 'user_group'),
    system_users: prefilled(query, 'system_user'),
  };
}

/** A new permission applies at once and without an end. */
export function freshTerms(): FormValues {
  return { is_active: true, date_start: fieldValue(serverNow(), 'datetime'), date_expired: noEnd() };
}

export const PEOPLE_FIELDS = {
  users: { remote: userOptions, multiple: true },
  user_groups: { remote: groupOptions, multiple: true, help: 'perms:form.people_help' },
} as const satisfies Readonly<Record<string, FieldSpec>>;

export const TERMS_FIELDS: { readonly is_active: FieldSpec; readonly date_expired: FieldSpec } = {
  is_active: { control: 'switch' },
  date_expired: { noEnd, bounds: ({ values }) => ({ min: startOf(values) }) },
};

const YES_NO = [
  { value: '1', label: 'resource:yes' },
  { value: '0', label: 'resource:no' },
] as const;

export const PEOPLE_FILTERS = [
  { key: 'name', label: 'perms:filter.name' },
  { key: 'is_valid', label: 'perms:filter.is_valid', choices: YES_NO },
  { key: 'is_effective', label: 'perms:filter.is_effective', choices: YES_NO },
  { key: 'username', label: 'perms:filter.username' },
  { key: 'user_group', label: 'perms:filter.user_group' },
] as const;

export const INHERITED_FILTER = {
  key: 'all',
  label: 'perms:filter.all',
  choices: [
    { value: '1', label: 'perms:filter.all_yes' },
    { value: '0', label: 'perms:filter.all_no' },
  ],
} as const;
