import { http } from '#/lib/http/client';

/** What the form of a new host holds. The account is an existing system user, or a new one with its secret. */
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

/** A new system user as the form describes it. */
export function accountOf(host: NewHost): object {
  const username = host.username.trim();
  return {
    name: host.accountName.trim() || username,
    username,
    protocol: 'ssh',
    // An empty secret is sent: the server refuses an account that could sign in nowhere.
    password: host.password,
    ...(host.secretKind === 'key' ? { private_key: host.privateKey } : {}),
  };
}

/** The body of `POST perms/new-hosts/`. Names that were left empty follow from address and username. */
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

type FieldName = keyof NewHost;

function empty(host: NewHost, wanted: readonly FieldName[]): readonly FieldName[] {
  return wanted.filter((name) => String(host[name]).trim() === '');
}

/** Fields of a new account that must be filled in before it is worth asking the server. */
export function missingInAccount(host: NewHost): readonly FieldName[] {
  return empty(host, ['username', host.secretKind === 'key' ? 'privateKey' : 'password']);
}

/** The same for the whole host. */
export function missingIn(host: NewHost): readonly FieldName[] {
  const account = host.accountKind === 'existing' ? empty(host, ['systemUser']) : missingInAccount(host);
  return [...empty(host, ['address', 'port']), ...account];
}

/** Where the server's errors belong: path in its answer → field of the form. */
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

/** An error map of the server as field → message; what belongs to no field stands under an empty name. */
export function errorsOf(fields: object): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const walk = (value: unknown, path: string): void => {
    const place = PLACES[path];
    if (typeof value === 'string') {
      const name = place ?? '';
      found[name] = found[name] === undefined ? value : `${found[name]}; ${value}`;
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value))
        walk(inner, place === undefined ? (path === '' ? key : `${path}.${key}`) : path);
    }
  };
  walk(fields, '');
  return found;
}
