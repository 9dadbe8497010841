import { queryOptions } from '@tanstack/react-query';
import { http } from '#/lib/http/client';
import { ValidationError } from '#/lib/http/errors';

/** Values of the form for a new host. The account is an existing system user, or a new one with its secret. */
export interface NewHost {
  readonly address: string;
  readonly hostname: string;
  readonly port: string;
  readonly platform: string;
  readonly nodes: readonly string[];
  readonly accountKind: 'new' | 'existing';
  readonly systemUser: string;
  readonly username: string;
  readonly accountName: string;
  readonly secretKind: 'password' | 'key';
  readonly password: string;
  readonly privateKey: string;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
}

export interface AddedHost {
  readonly asset: string;
  readonly system_user: string;
  readonly permission: string | null;
}

export const SSH_PORT = '22';

/** SSH accounts are the accounts that can sign in to the host of this form. */
export const SSH_ACCOUNTS = { protocol: 'ssh' } as const;

/** At most two existing accounts: enough to know whether there is none, one or a choice. */
export const existingAccountsQuery = queryOptions({
  queryKey: ['new-host', 'existing-accounts'],
  queryFn: () =>
    http.get<{ readonly results: readonly { readonly id: string }[] }>('assets/system-users/', {
      query: { ...SSH_ACCOUNTS, limit: '2', fields_size: 'mini' },
      quiet: true,
    }),
  staleTime: 0,
});

/** Errors without those of the named fields: a field that was changed may be valid now. */
export function without(
  errors: Readonly<Record<string, string>>,
  names: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(errors).filter(([name]) => !names.includes(name)));
}

/** Where accounts exist, the form offers them first; a single one is chosen. */
export function suggestedAccount(ids: readonly string[]): Partial<NewHost> {
  if (ids.length === 0) return {};
  return { accountKind: 'existing', systemUser: ids.length === 1 ? (ids[0] ?? '') : '' };
}

export const EMPTY_HOST: NewHost = {
  address: '',
  hostname: '',
  port: SSH_PORT,
  platform: 'Linux',
  nodes: [],
  accountKind: 'new',
  systemUser: '',
  username: '',
  accountName: '',
  secretKind: 'password',
  password: '',
  privateKey: '',
  users: [],
  userGroups: [],
};

/** A new system user with the values of the form. */
export function accountOf(host: NewHost): object {
  const username = host.username.trim();
  return {
    name: host.accountName.trim() || username,
    username,
    protocol: 'ssh',
    // An empty secret is sent as well: the server then refuses an account that could not sign in.
    password: host.password,
    ...(host.secretKind === 'key' ? { private_key: host.privateKey } : {}),
  };
}

/** The body of `POST perms/new-hosts/`. Empty names default to the address and the username. */
export function bodyOf(host: NewHost): object {
  return {
    asset: {
      hostname: host.hostname.trim() || host.address.trim(),
      ip: host.address.trim(),
      platform: host.platform,
      protocols: [`ssh/${host.port}`],
      ...(host.nodes.length > 0 ? { nodes: host.nodes } : {}),
    },
    ...(host.accountKind === 'existing' ? { system_user: host.systemUser } : { account: accountOf(host) }),
    users: host.users,
    user_groups: host.userGroups,
  };
}

export async function addHost(host: NewHost): Promise<AddedHost> {
  return http.post<AddedHost>('perms/new-hosts/', bodyOf(host), { quiet: true });
}

/** Values that can be corrected after a test has failed: the address, and the secret of a new account. */
function correctionOf(host: NewHost): { readonly asset: object; readonly account: object | null } {
  const asset = {
    hostname: host.hostname.trim() || host.address.trim(),
    ip: host.address.trim(),
    protocols: [`ssh/${host.port}`],
  };
  if (host.accountKind === 'existing') return { asset, account: null };
  const username = host.username.trim();
  const key = host.secretKind === 'key' ? { private_key: host.privateKey } : {};
  return {
    asset,
    account: { name: host.accountName.trim() || username, username, password: host.password, ...key },
  };
}

/** An error of one of the two requests of a correction, keyed like those of `addHost`. */
async function keyed<T>(part: 'asset' | 'account', request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ValidationError) throw new PartError({ [part]: error.fields });
    throw error;
  }
}

/** The server refused a part of a correction. */
export class PartError extends Error {
  readonly fields: object;

  constructor(fields: object) {
    super('a part of the host was refused');
    this.name = 'PartError';
    this.fields = fields;
  }
}

/** Saves corrected values of a host that was added, and of its new account. Values that did not change are not sent. */
export async function correctHost(made: AddedHost, before: NewHost, host: NewHost): Promise<void> {
  const [old, next] = [correctionOf(before), correctionOf(host)];
  const differs = (before: unknown, after: unknown) => JSON.stringify(before) !== JSON.stringify(after);
  if (differs(old.asset, next.asset))
    await keyed('asset', http.patch(`assets/assets/${made.asset}/`, next.asset, { quiet: true }));
  if (next.account && differs(old.account, next.account))
    await keyed(
      'account',
      http.patch(`assets/system-users/${made.system_user}/`, next.account, { quiet: true }),
    );
}

type FieldName = keyof NewHost;

function empty(host: NewHost, wanted: readonly FieldName[]): readonly FieldName[] {
  return wanted.filter((name) => String(host[name]).trim() === '');
}

/** Fields of a new account that must be filled in before the form is sent. */
export function missingInAccount(host: NewHost): readonly FieldName[] {
  return empty(host, ['username', host.secretKind === 'key' ? 'privateKey' : 'password']);
}

/** Fields of the whole form that must be filled in before it is sent. */
export function missingIn(host: NewHost): readonly FieldName[] {
  const account = host.accountKind === 'existing' ? empty(host, ['systemUser']) : missingInAccount(host);
  return [...empty(host, ['address', 'port']), ...account];
}

/** Maps a path in the server's error answer to a field of the form. */
const PLACES: Readonly<Record<string, keyof NewHost>> = {
  'asset.ip': 'address',
  'asset.hostname': 'hostname',
  'asset.protocols': 'port',
  'asset.platform': 'platform',
  'asset.nodes': 'nodes',
  'account.name': 'accountName',
  'account.username': 'username',
  'account.password': 'password',
  'account.private_key': 'privateKey',
  system_user: 'systemUser',
  users: 'users',
  user_groups: 'userGroups',
};

/** Converts the server's error map to field → message. Messages without a field use the empty name. */
export function errorsOf(fields: object): Readonly<Record<string, string>> {
  const messages: Record<string, string> = {};
  const walk = (value: unknown, path: string): void => {
    const field = PLACES[path];
    if (typeof value === 'string') {
      const name = field ?? '';
      messages[name] = messages[name] === undefined ? value : `${messages[name]}; ${value}`;
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value))
        walk(inner, field === undefined ? (path === '' ? key : `${path}.${key}`) : path);
    }
  };
  walk(fields, '');
  return messages;
}
