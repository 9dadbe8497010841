import { type ComponentType, createElement } from 'react';
import type { Permission } from '#/lib/permissions';
import type { Finder, RouteRecord } from '#/lib/routes';

type Screen = 'list' | 'create' | 'update' | 'detail';

const SCREENS: readonly Screen[] = ['list', 'create', 'update', 'detail'];
const BELOW_THE_LIST: Readonly<Record<Screen, string>> = {
  list: '',
  create: '/create',
  update: '/$id/update',
  detail: '/$id',
};

/** Names, addresses and titles of a resource's screens. */
export interface ResourceRoutes {
  readonly names: { readonly list: string } & Partial<Readonly<Record<Screen, string>>>;
  readonly paths: { readonly list: string } & Partial<Readonly<Record<Screen, string>>>;
  readonly titles: { readonly list: string } & Partial<Readonly<Record<Screen, string>>>;
}

/** Names of a resource whose screens follow the usual pattern. */
interface UsualScreens {
  /** `Label`: the screens are LabelList, LabelCreate, LabelUpdate, LabelDetail. */
  readonly name: string;
  /** Address of the list; the addresses of the other screens start with it. */
  readonly path: string;
  /**
   * Keys of the titles, `nav:label_*` for label_list, label_create … (`*` marks them as used for the check of texts).
   */
  readonly titles: `nav:${string}*`;
  /** Default: all four. */
  readonly screens?: readonly Screen[];
}

/** Names, addresses and titles of the usual screens of a resource. Other screens are declared one by one. */
export function usualRoutes({ name, path, titles, screens = SCREENS }: UsualScreens): ResourceRoutes {
  const of = (make: (screen: Screen) => string): ResourceRoutes['names'] => ({
    list: make('list'),
    ...Object.fromEntries(screens.map((screen) => [screen, make(screen)])),
  });
  return {
    names: of((screen) => `${name}${screen.charAt(0).toUpperCase()}${screen.slice(1)}`),
    paths: of((screen) => `${path}${BELOW_THE_LIST[screen]}`),
    titles: of((screen) => titles.replace('*', screen)),
  };
}

export type ScreenLoaders = Partial<Readonly<Record<Screen, () => Promise<ComponentType>>>> & {
  /** Prefetches the data of the list at this address. */
  readonly prepare?: (address: Readonly<Record<string, string>>) => Promise<void>;
};

export interface ResourceScreens extends ResourceRoutes {
  readonly permission?: Permission;
  /** Available only with a valid licence. */
  readonly licence?: boolean;
  readonly texts: readonly string[];
  /** How the command palette finds objects by name; without it the palette does not list them. */
  readonly find?: Omit<Finder, 'path'>;
  /** Loads the feature's definitions; each screen loads its own further code. */
  readonly load: () => Promise<ScreenLoaders>;
}

function Absent() {
  return createElement('div');
}

/** Route records of a resource: the list in the menu, the other screens hidden below it. */
export function resourceRecords(screens: ResourceScreens): RouteRecord[] {
  let loaded: ScreenLoaders | undefined;
  const load = async () => (loaded = await screens.load());
  // No await, even for a settled promise: the screen would be rendered, and send its requests, first.
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

/** A plain resource: its screens follow the usual pattern, and its noun in `nav` gives their titles. */
interface PlainRecords {
  /** `Site`: the screens are SiteList, SiteCreate, SiteUpdate, SiteDetail. */
  readonly name: string;
  /** Path of its list, in the API below `/api/v1/` and in the console: `assets/sites`. */
  readonly path: string;
  /** Key of its noun in `nav`; `*` marks all of its words as used for the check of texts. */
  readonly noun: `nav:${string}.*`;
  /** Field that names an object: the command palette finds objects by it. */
  readonly named: string;
  readonly load: () => Promise<(place: PlainPlace) => ScreenLoaders>;
}

/** Where a plain resource is, and what it is called. */
export interface PlainPlace {
  readonly name: string;
  readonly api: string;
  readonly routes: ResourceRoutes;
  readonly noun: { readonly one: string; readonly many: string; readonly what: string };
}

/** Route records of a plain resource. */
export function plainRecords({ name, path, noun, named, load }: PlainRecords): RouteRecord[] {
  const routes = usualRoutes({ name, path: `/${path}`, titles: noun });
  const key = (word: string) => noun.replace('*', word);
  const api = `${path}/`;
  const words = { one: key('one'), many: key('many'), what: key('what') };
  return resourceRecords({
    ...routes,
    texts: [],
    find: { api, name: named },
    load: async () => (await load())({ name, api, routes, noun: words }),
  });
}

/** Address of the screen of one object. */
export function objectPath(pattern: string | undefined, id: string | number): string {
  return (pattern ?? '/404').replace('$id', encodeURIComponent(String(id)));
}
