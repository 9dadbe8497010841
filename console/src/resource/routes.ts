import { type ComponentType, createElement } from 'react';
import type { Permission } from '#/lib/permissions';
import type { Finder, RouteRecord } from '#/lib/routes';

type Screen = 'list' | 'create' | 'update' | 'detail';

/** Names, addresses and titles of a resource's screens. All declared, nothing computed from a name. */
export interface ResourceRoutes {
  readonly names: { readonly list: string } & Partial<Readonly<Record<Screen, string>>>;
  readonly paths: { readonly list: string } & Partial<Readonly<Record<Screen, string>>>;
  readonly titles: { readonly list: string } & Partial<Readonly<Record<Screen, string>>>;
}

export type ScreenLoaders = Partial<Readonly<Record<Screen, () => Promise<ComponentType>>>> & {
  /** Asks for what the list at this address will show. */
  readonly prepare?: (address: Readonly<Record<string, string>>) => Promise<void>;
};

export interface ResourceScreens extends ResourceRoutes {
  readonly permission?: Permission;
  /** Only with a valid licence. */
  readonly licence?: boolean;
  readonly texts: readonly string[];
  /** How the command palette finds objects by name; without it they are not found. */
  readonly find?: Omit<Finder, 'path'>;
  /** Loads the feature's definitions; each screen then loads what it alone needs. */
  readonly load: () => Promise<ScreenLoaders>;
}

const SCREENS: readonly Screen[] = ['list', 'create', 'update', 'detail'];

function Absent() {
  return createElement('div');
}

/** Route records of a resource: the list in the menu, the others hidden below it. */
export function resourceRecords(screens: ResourceScreens): RouteRecord[] {
  let loaded: ScreenLoaders | undefined;
  const load = async () => (loaded = await screens.load());
  // Not even a settled promise is waited for: the screen would be drawn, and ask, first.
  const prepare: RouteRecord['prepare'] = (address) =>
    loaded
      ? (loaded.prepare?.(address) ?? Promise.resolve())
      : load().then((them) => them.prepare?.(address));
  return SCREENS.flatMap((screen) => {
    const name = screens.names[screen];
    const path = screens.paths[screen];
    const title = screens.titles[screen];
    if (name === undefined || path === undefined || title === undefined) return [];
    return [
      {
        name,
        path,
        title,
        permission: screens.permission,
        licence: screens.licence,
        hidden: screen !== 'list',
        ...(screen === 'list' && screens.find && screens.paths.detail !== undefined
          ? { find: { ...screens.find, path: screens.paths.detail } }
          : {}),
        parent: screen === 'list' ? undefined : screens.names.list,
        texts: ['resource', ...screens.texts],
        load: async () => (await (await load())[screen]?.()) ?? Absent,
        ...(screen === 'list' ? { prepare } : {}),
      },
    ];
  });
}

/** Address of a screen of one object. */
export function objectPath(pattern: string | undefined, id: string | number): string {
  return (pattern ?? '/404').replace('$id', encodeURIComponent(String(id)));
}
