import { Folder, IdCard, Server, User, Users } from 'lucide-react';
import { CATEGORY_ICONS } from '#/domain/application-kinds/icons';
import { type ApplicationCategory, applicationPath } from '#/domain/application-kinds/kinds';
import { paths } from '#/lib/paths';
import type { Icon } from '#/ui/icon';

/** Ids of objects and, in the same order, their names. */
type Named<List extends string> = {
  readonly [Key in List | `${List}_display`]: readonly string[];
};

/** An object that a permission names, with the address of its page. */
export interface NamedObject {
  readonly id: string;
  readonly name: string;
  /** Distinguishes objects of the same name: user name, address, path. */
  readonly detail: string;
  readonly to: string;
  readonly icon: Icon;
}

/** Splits `name(key)`, the server's form for people and hosts. */
const NAME_AND_KEY = /^(?<name>.+)\((?<key>[^()]*)\)$/;

export function named(text: string): Pick<NamedObject, 'name' | 'detail'> {
  const groups = NAME_AND_KEY.exec(text)?.groups;
  return groups ? { name: groups['name'] ?? text, detail: groups['key'] ?? '' } : { name: text, detail: '' };
}

/** `/Default/web/front` has the name `front`; the path is the detail. */
function placed(path: string): Pick<NamedObject, 'name' | 'detail'> {
  return { name: path.slice(path.lastIndexOf('/') + 1) || path, detail: path };
}

function objects(
  ids: readonly string[],
  names: readonly string[],
  icon: Icon,
  to: (id: string) => string,
  split = named,
): readonly NamedObject[] {
  return ids.map((id, index) => ({ id, ...split(names[index] ?? id), icon, to: to(id) }));
}

/** Groups come first, because they contain more people. */
export function whoOf(row: Named<'users' | 'user_groups'>): readonly NamedObject[] {
  return [
    ...objects(row.user_groups, row.user_groups_display, Users, paths.userGroup),
    ...objects(row.users, row.users_display, User, paths.user),
  ];
}

/** Nodes come first, because they contain more assets. */
export function assetsOf(row: Named<'assets' | 'nodes'>): readonly NamedObject[] {
  return [
    ...objects(row.nodes, row.nodes_display, Folder, paths.assetsOfNode, placed),
    ...objects(row.assets, row.assets_display, Server, paths.asset),
  ];
}

/** The detail of an application is its type. Its name may end in parentheses, so nothing is split off. */
export function applicationsIn(
  row: Named<'applications'> & { readonly category: ApplicationCategory; readonly type_display: string },
): readonly NamedObject[] {
  const to = (id: string) => applicationPath({ id, category: row.category });
  return objects(row.applications, row.applications_display, CATEGORY_ICONS[row.category], to, (name) => ({
    name,
    detail: row.type_display,
  }));
}

export function accountsOf(row: Named<'system_users'>): readonly NamedObject[] {
  return objects(row.system_users, row.system_users_display, IdCard, paths.systemUser);
}
