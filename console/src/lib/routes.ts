import type { ComponentType } from 'react';
import type { Permission } from './permissions';
import type { PublicSettings } from './session';

/**
 * One record per screen. Menu, guard, breadcrumb and document title are all derived from it.
 * A feature exports its records from `routes.ts`; heavy code stays behind `load`.
 */
export interface RouteRecord {
  /** Unique, `XList`, `XCreate`, `XUpdate`, `XDetail` for the screens of a resource. */
  readonly name: string;
  /** Path below `/ui`, parameters as `$id`. */
  readonly path: string;
  /** Key in the namespace `nav`. */
  readonly title: string;
  /** Default: `admin`. */
  readonly permission?: Permission;
  readonly hidden?: boolean;
  /** Only with a valid licence. */
  readonly licence?: boolean;
  /** Only when this public setting is on. */
  readonly setting?: keyof PublicSettings;
  /** Its tab is always there and survives a bulk close. */
  readonly affix?: boolean;
  /** How the command palette finds objects of this list by name. */
  readonly find?: Finder;
  /** Name of the record that the breadcrumb goes back to. */
  readonly parent?: string;
  /** `bare`: a workspace of its own without sidebar and top bar (web terminal). */
  readonly frame?: 'shell' | 'bare';
  /** Text namespaces that must be there before the screen is drawn. */
  readonly texts: readonly string[];
  readonly load: () => Promise<ComponentType>;
  /** Asks the server for what the screen at this address (its search values) will show, once it is certain that it is opened. */
  readonly prepare?: (address: Readonly<Record<string, string>>) => Promise<void>;
}

/** A list endpoint that the command palette searches. */
export interface Finder {
  /** Path of the list, relative to the API root. */
  readonly api: string;
  /** Field that names the object. */
  readonly name: string;
  /** Field shown beside the name, e.g. its address. */
  readonly detail?: string;
  /** Path of the object's screen, its id as `$id`. */
  readonly path: string;
  /** Field that must be true, where not every object of the list can be opened. */
  readonly opens?: string;
  /** A session with the object: the list of those with which this person may have one, and its path. */
  readonly connect?: { readonly api: string; readonly path: string };
}

export type SectionIcon =
  | 'dashboard'
  | 'users'
  | 'assets'
  | 'permissions'
  | 'sessions'
  | 'audits'
  | 'extension'
  | 'my-assets'
  | 'settings'
  | 'messages'
  | 'help'
  | 'profile';

/** A parent route and its entry in the sidebar; with several visible routes it opens and closes. */
export interface Section {
  readonly id: string;
  /** Key in the namespace `nav`. */
  readonly title: string;
  readonly icon: SectionIcon;
  /** Address of the section itself; it leads to the first screen that the person may open. */
  readonly path?: string;
  /** A single screen, too, stands in the menu below the section's title, with its own. */
  readonly grouped?: boolean;
  /** Place in the menu, small first. */
  readonly order: number;
  readonly routes: readonly RouteRecord[];
}
