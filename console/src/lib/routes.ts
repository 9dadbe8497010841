import type { ComponentType } from 'react';
import type { QueryValues } from './http/query-string';
import type { Permission } from './permissions';
import type { PublicSettings } from './session';

/**
 * One record for each screen. Menu, guard, breadcrumb and document title are derived from it. A feature exports its
 * records from `routes.ts`; heavy code is loaded by `load`.
 */
export interface RouteRecord {
  /** Unique, `XList`, `XCreate`, `XUpdate`, `XDetail` for the screens of a resource. */
  readonly name: string;
  /** Path below `/ui`, parameters as `$id`. */
  readonly path: string;
  /** Address of a page outside the console, which the menu opens in a new tab; `load` is for those who come by `path`. */
  readonly external?: string;
  /** Key in the namespace `nav`. */
  readonly title: string;
  /** Default: `admin`. */
  readonly permission?: Permission;
  readonly hidden?: boolean;
  /** Available only with a valid licence. */
  readonly licence?: boolean;
  /** Available only when this public setting is on. */
  readonly setting?: keyof PublicSettings;
  /** Its tab is always open and survives a bulk close. */
  readonly affix?: boolean;
  /** How the command palette finds objects of this list by name. */
  readonly find?: Finder;
  /** Name of the record that the breadcrumb links back to. */
  readonly parent?: string;
  /** `bare`: a workspace without sidebar and top bar (web terminal). */
  readonly frame?: 'shell' | 'bare';
  /** Text namespaces that must be loaded before the screen is drawn. */
  readonly texts: readonly string[];
  readonly load: () => Promise<ComponentType>;
  /**
   * Prefetches the data of the screen at this address (its search values). Called once it is certain that the screen
   * opens.
   */
  readonly prepare?: (address: Readonly<Record<string, string>>) => Promise<void>;
}

/** A list endpoint that the command palette searches. */
export interface Finder {
  /** Path of the list, relative to the API root. */
  readonly api: string;
  /** Conditions of the list. */
  readonly query?: QueryValues;
  /** Field that names the object. */
  readonly name: string;
  /** Field shown beside the name, e.g. the address. */
  readonly detail?: string;
  /** Path of the object's screen, its id as `$id`. */
  readonly path: string;
  /** Field that must be true, where some objects of the list cannot be opened. */
  readonly opens?: string;
  /**
   * For lists whose objects can be opened in a session: the list of objects granted to the person, and the session's
   * path.
   */
  readonly connect?: { readonly api: string; readonly path: string };
}

export type SectionIcon =
  | 'dashboard'
  | 'users'
  | 'assets'
  | 'permissions'
  | 'sessions'
  | 'audits'
  | 'jobs'
  | 'extension'
  | 'applications'
  | 'my-assets'
  | 'files'
  | 'settings'
  | 'terminal'
  | 'messages'
  | 'help'
  | 'profile';

/** A parent route and its sidebar entry. With several visible routes it is a collapsible group. */
export interface Section {
  readonly id: string;
  /** Key in the namespace `nav`. */
  readonly title: string;
  readonly icon: SectionIcon;
  /** Address of the section itself; it redirects to the first screen that the person may open. */
  readonly path?: string;
  /** Show the screen below the section's title, with its own title, even when it is the only one. */
  readonly grouped?: boolean;
  /** Position in the menu, ascending. */
  readonly order: number;
  readonly routes: readonly RouteRecord[];
}
