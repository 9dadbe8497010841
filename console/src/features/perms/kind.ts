import type { AccessChange } from '#/domain/access-preview/preview';
import type { ExplainProps } from '#/domain/explain-access/ExplainAccess';
import type { Api } from '#/lib/api-types';
import type {
  ActionTools,
  CreateEntry,
  ExtraFilter,
  FieldGroup,
  FormValues,
  Names,
  RemoteOptions,
  Specs,
} from '#/resource/define';
import type { ResourceRoutes } from '#/resource/routes';
import type { Icon } from '#/ui/icon';
import type { NamedObject } from './named';
import type { ValidityFacts } from './validity';

/** What the permissions of every kind have in common. Names are in the order of the ids. */
export type PermissionRow = Pick<
  Api<'ApplicationPermission'>,
  | 'id'
  | 'name'
  | 'is_active'
  | 'is_valid'
  | 'date_start'
  | 'date_expired'
  | 'users'
  | 'users_display'
  | 'user_groups'
  | 'user_groups_display'
  | 'system_users'
  | 'system_users_display'
  | 'users_amount'
  | 'user_groups_amount'
  | 'system_users_amount'
> &
  ValidityFacts;

/** Columns of the screens alone. */
export type OwnColumn = 'who' | 'what' | 'as_whom';

/** Where the links of a kind of permission are. `own` is the field of a link that names the permission. */
/** The name of permissions in a preview. */
export type PermissionObject = Extract<AccessChange['object'], `${string}_permission`>;

export interface PermissionLinks {
  readonly api: 'perms/asset-permissions' | 'perms/application-permissions';
  readonly own: string;
}

/** Objects of one kind that a permission names: they have a card of their own. */
export interface LinkedObjects {
  readonly title: string;
  readonly add: string;
  readonly remote: RemoteOptions;
  /** The word for them in the address of the links: `user-groups`. */
  readonly path: string;
  /** The field of a link that names the object. */
  readonly other: string;
  readonly linkTo: (id: string) => string;
}

/** Everything in which the screens of one kind of permission differ from those of another. */
export interface PermissionKind<Row extends PermissionRow, N extends Names = Names> {
  /** Name of the table's settings in local storage. */
  readonly name: string;
  readonly links: PermissionLinks;
  readonly object: PermissionObject;
  readonly routes: ResourceRoutes;
  readonly noun: { readonly one: string; readonly many: string; readonly what: string };
  /** Icon of what is granted. */
  readonly icon: Icon;
  /** What the permission grants. */
  readonly whatOf: (row: Row) => readonly NamedObject[];
  /** Key of a text, said when the permission grants nothing. */
  readonly nothing: string;
  /** Absent where a permission always grants all actions. */
  readonly actionsOf?: (row: Row) => readonly string[];
  readonly list: {
    /** Query parameters that choose a place in the tree. */
    readonly place: readonly string[];
    /** More columns, which are not shown at first. */
    readonly columns: readonly N['shown'][];
    /** Numbers of the objects that the permission grants. */
    readonly amounts: readonly (N['shown'] & keyof Row & string)[];
    readonly filters: readonly ExtraFilter<N['filter']>[];
    readonly untyped?: readonly (N['filter'] | N['shown'])[];
    readonly createMenu?: () => readonly CreateEntry[];
    /** A second line on phones before who reaches what. */
    readonly phone?: (row: Row) => string;
  };
  readonly form: {
    /** Fields after the name, of what is granted (without the system users), and a group after them. */
    readonly basic: readonly N['written'][];
    readonly targets: FieldGroup<N['written']>;
    readonly more: readonly FieldGroup<N['written']>[];
    readonly initial: (query: Readonly<Record<string, string>>) => FormValues;
    readonly fields: Specs<N['written']>;
    /** What of the form a preview depends on, besides people, system users, state and dates. */
    readonly lists: readonly N['written'][];
    readonly terms: (values: FormValues, mode: 'create' | 'update') => Readonly<Record<string, unknown>>;
    /** Key of a text: what is missing for a preview. */
    readonly incomplete: string;
    readonly explain: (values: FormValues) => ExplainProps;
  };
  readonly detail: {
    /** Facts between the name and the state. */
    readonly facts: readonly N['shown'][];
    readonly explain: (row: Row) => ExplainProps;
    /** Title of the tab of what is granted, and its cards. */
    readonly tab: string;
    readonly cards: (row: Row, tools: ActionTools) => readonly LinkedObjects[];
  };
}
