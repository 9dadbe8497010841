import { Folder, IdCard, Network, Server, ShieldHalf, Tag, User, Users } from 'lucide-react';
import type { RemoteOptions } from '#/resource/define';
import { textOf } from '#/resource/format';

/** Choices among objects that many forms refer to. They are shared here, because features do not import each other. */

const id = (row: Record<string, unknown>): string => textOf(row['id']);

export const userOptions: RemoteOptions = {
  api: 'users/users/',
  query: { fields_size: 'mini', order: 'name' },
  option: (row) => ({ id: id(row), label: textOf(row['name']), detail: textOf(row['username']) }),
  icon: User,
};

export const groupOptions: RemoteOptions = {
  api: 'users/groups/',
  option: (row) => ({ id: id(row), label: textOf(row['name']) }),
  icon: Users,
};

/** People of all organizations, for super administrators. */
export const everyUser: RemoteOptions = { ...userOptions, scope: { all: 1 } };

/** Groups of all organizations, for super administrators. */
export const everyGroup: RemoteOptions = {
  ...groupOptions,
  scope: { oid: 'root' },
  option: (row) => ({ ...groupOptions.option(row), detail: textOf(row['org_name']) }),
};

export const assetOptions: RemoteOptions = {
  api: 'assets/assets/',
  option: (row) => ({ id: id(row), label: textOf(row['hostname']), detail: textOf(row['ip']) }),
  icon: Server,
};

export const domainOptions: RemoteOptions = {
  api: 'assets/domains/',
  query: { fields_size: 'mini', order: 'name' },
  option: (row) => ({ id: id(row), label: textOf(row['name']) }),
  icon: Network,
};

export const nodeOptions: RemoteOptions = {
  api: 'assets/nodes/',
  option: (row) => ({ id: id(row), label: textOf(row['full_value'] ?? row['value']) }),
  icon: Folder,
};

/** System user names that have every right on a host. */
const RISKY = new Set(['root', 'administrator']);

export const systemUserOptions: RemoteOptions = {
  api: 'assets/system-users/',
  query: { protocol__in: 'rdp,ssh,vnc,telnet' },
  option: (row) => ({
    id: id(row),
    label: textOf(row['name']),
    detail: [textOf(row['username']), textOf(row['protocol'])].filter(Boolean).join(' · '),
    warn: RISKY.has(textOf(row['username']).toLowerCase()),
  }),
  icon: IdCard,
};

export const adminUserOptions: RemoteOptions = {
  ...systemUserOptions,
  query: { type: 'admin' },
};

export const commandFilterOptions: RemoteOptions = {
  api: 'assets/cmd-filters/',
  option: (row) => ({ id: id(row), label: textOf(row['name']) }),
  icon: ShieldHalf,
};

export const labelOptions: RemoteOptions = {
  api: 'assets/labels/',
  option: (row) => ({ id: id(row), label: `${textOf(row['name'])}: ${textOf(row['value'])}` }),
  icon: Tag,
};

/** The API refers to a platform by its name, not its id. */
export const platformOptions: RemoteOptions = {
  api: 'assets/platforms/',
  option: (row) => ({ id: textOf(row['name']), label: textOf(row['name']), detail: textOf(row['base']) }),
};
