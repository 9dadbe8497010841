import type { ReactNode } from 'react';
import type { Permission } from '#/lib/permissions';
import type { QueryValues } from '#/lib/http/query-string';
import type { DateBounds } from '#/ui/dates/typed';
import type { Icon } from '#/ui/icon';
import type { PickerOption } from '#/ui/picker';
import type { ApiLists } from '#/lib/api-types';
import type { FieldMap } from './api';
import type { ResourceRoutes } from './routes';

/** An object of the API. Each resource narrows it to the fields that its definition uses. */
export interface Resource {
  readonly id: string | number;
}

/** Names that a definition may use, for columns, form fields and filters. */
export interface Names {
  readonly shown: string;
  readonly written: string;
  readonly filter: string;
}

/** Field names of an object, and `object.field` for the fields of nested objects. */
type FieldPaths<Shape> = {
  [Key in keyof Shape & string]:
    | Key
    | (NonNullable<Shape[Key]> extends readonly unknown[]
        ? never
        : NonNullable<Shape[Key]> extends object
          ? `${Key}.${keyof NonNullable<Shape[Key]> & string}`
          : never);
}[keyof Shape & string];

/**
 * Names that the API has for the list at this path. `Own` adds names of the screen alone: fields that are never sent,
 * columns of buttons.
 */
export type NamesOf<Path extends keyof ApiLists, Own extends string = never> = {
  readonly shown: FieldPaths<ApiLists[Path]['row']> | Own;
  readonly written: (keyof ApiLists[Path]['request'] & string) | Own;
  readonly filter: ApiLists[Path]['filter'];
};

export interface Column<Row, Name extends string = string> {
  readonly key: Name;
  /** Key of a text; default: the label from the metadata. */
  readonly label?: string;
  /** Default: a cell for the metadata's type (choice → display, boolean, date, list …). */
  readonly cell?: (row: Row) => ReactNode;
  /** Default: true for the name, for choices, and for fields that the metadata marks as orderable. */
  readonly sortable?: boolean;
  readonly align?: 'right' | 'center';
}

/** A condition of the search field that the metadata does not contain. */
export interface ExtraFilter<Name extends string = string> {
  readonly key: Name;
  readonly label: string;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
}

export interface ObjectAction<Row> {
  readonly id: string;
  /** Key of a text. */
  readonly label: string;
  readonly icon?: Icon;
  /** Sort order among the actions: update 10, delete 20, clone 30. */
  readonly order: number;
  readonly danger?: boolean;
  readonly isOffered?: (row: Row) => boolean;
  readonly disabledReason?: (row: Row) => string | undefined;
  readonly run: (row: Row, tools: ActionTools) => void | Promise<void>;
}

export interface BulkAction {
  readonly id: string;
  readonly label: string;
  readonly icon?: Icon;
  readonly danger?: boolean;
  /** Whether the action is in the bar at all, e.g. only inside a node. */
  readonly isOffered?: (tools: BulkTools) => boolean;
  readonly run: (ids: readonly string[], tools: BulkTools) => void | Promise<void>;
}

export interface ActionTools {
  /** Reloads the list or object. */
  readonly refresh: () => void;
  readonly navigate: (to: string) => void;
  /** Removes a deleted object from the selection. */
  readonly gone?: (id: string) => void;
}

/** A verification that the server requires before it returns secrets. */
export interface Verification {
  /**
   * Asks for the verification. True once it is given, immediately while an earlier one is valid; false when the person
   * cancels.
   */
  readonly ask: () => Promise<boolean>;
  /** Whether the server refused because the verification is missing or has expired. */
  readonly isMissing: (error: unknown) => boolean;
}

/** Export to and import from csv and xlsx files. */
export interface ExchangeDefinition {
  /** Default true; available where the server renders files. */
  readonly export?: boolean;
  /** Default true; available where the server reads files and the person may create objects. */
  readonly import?: boolean;
  /** Verification required before the export dialog opens. */
  readonly verification?: Verification;
  /** List that is exported instead of the displayed one, e.g. the rows with their secrets. */
  readonly exportApi?: string;
  /** What the import does beyond its rows, once all of them are checked; null for nothing. */
  readonly importEffect?: (rows: readonly CheckedImport[]) => ReactNode;
}

/** A row of an import that the server would accept. */
export interface CheckedImport {
  /** The object that is changed; null for a new object. */
  readonly id: string | null;
  /** The cells of the row, as its write takes them. */
  readonly values: FormValues;
  /** The values of an object that the row changes, before and after. */
  readonly changes: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
}

/** Field descriptions by name, or by path for fields of nested objects. */
export type Specs<Name extends string = string> = string extends Name
  ? Readonly<Record<string, FieldSpec>>
  : { readonly [Key in Name | `${Name}.${string}`]?: FieldSpec };

/** Fields that can be set to the same value for all selected rows. */
export interface BulkUpdateDefinition<Name extends string = string> {
  readonly fields: readonly Name[];
  /** Take precedence over the form's descriptions of the same fields. */
  readonly specs?: Specs<Name>;
  /** What the new values do to these objects, shown in the question before they are sent. */
  readonly effect?: (ids: readonly string[], values: FormValues) => ReactNode;
}

/** Arguments of a bulk action besides the selected ids. */
export interface BulkTools extends ActionTools {
  /** Fixed conditions of the list, from the page around it (node, user …). */
  readonly query: QueryValues;
  /** Names of the selected rows, for questions. */
  readonly names: readonly string[];
  /** Clears the selection, when the selected rows no longer exist. */
  readonly clear: () => void;
}

/** A link in an empty list. */
export interface NextStep {
  /** Key of a text. */
  readonly label: string;
  /** Path of the console. */
  readonly to: string;
  /** Permission needed to see the link; default: everybody. */
  readonly permission?: Permission;
}

/** A way to create an object. */
export interface CreateEntry {
  readonly id: string;
  /** Key of a text. */
  readonly label?: string;
  /** The text itself, for kinds that the server names. */
  readonly text?: string;
  readonly to: string;
  /** Heading above the first entry of a group. */
  readonly group?: string;
  /** Key of a text: why this cannot be created now. The entry stays visible. */
  readonly disabledReason?: string;
}

export interface ListDefinition<Row, N extends Names = Names> {
  readonly columns: readonly (N['shown'] | Column<Row, N['shown']>)[];
  /** Columns visible until the person chooses others; default: all. */
  readonly shown?: readonly N['shown'][];
  readonly filters?: readonly ExtraFilter<N['filter']>[];
  /**
   * Filterable fields of the metadata that the search field leaves out: ids that nobody can type, or fields that the
   * page sets.
   */
  readonly untyped?: readonly (N['filter'] | N['shown'])[];
  readonly rowActions?: readonly ObjectAction<Row>[];
  readonly bulkActions?: readonly BulkAction[];
  readonly bulkUpdate?: BulkUpdateDefinition<N['written']>;
  readonly exchange?: ExchangeDefinition;
  /** Further content of the heading, before the create button. */
  readonly header?: (tools: ActionTools) => ReactNode;
  /** Content below a row when it is expanded. */
  readonly details?: (row: Row) => ReactNode;
  readonly isInactive?: (row: Row) => boolean;
  /**
   * Several ways to create, e.g. by protocol, asked when the menu is rendered. Targets are paths of the console. Receives
   * the fields of a new object, once the metadata is loaded. Without an entry nothing can be created.
   */
  readonly createMenu?: (fields: FieldMap | undefined) => readonly CreateEntry[];
  /** For lists in which nothing is created: where the rows come from, shown when the list is empty. */
  readonly next?: NextStep;
  /** Further next steps of an empty list, which are not plain links. */
  readonly steps?: () => ReactNode;
  /** Default length of the date range, in days; absent: no date range. */
  readonly dateRangeDays?: number;
  readonly order?: string;
  /** Query parameters that say which place the list shows (a folder, a parent), not which rows match. */
  readonly place?: readonly string[];
  /** Second line and status of a row on phones; default: the second and third column. */
  readonly phone?: {
    readonly meta: (row: Row) => ReactNode;
    /** A line below that is never truncated, for text that an auditor must be able to read completely. */
    readonly note?: (row: Row) => ReactNode;
    readonly status?: (row: Row) => ReactNode;
    readonly icon: Icon;
  };
}

export type FormMode = 'create' | 'update';
export type FormValues = Record<string, unknown>;

export interface RemoteOptions {
  readonly api: string;
  readonly query?: QueryValues;
  /** Like `query`, but also when the names of chosen rows are read: which organizations the rows are of. */
  readonly scope?: QueryValues;
  readonly option: (row: Record<string, unknown>) => PickerOption;
  readonly icon?: Icon;
}

export interface FieldContext {
  readonly mode: FormMode;
  readonly values: FormValues;
  /** The object as it was loaded, with the fields that the form does not show. */
  readonly stored?: FormValues | undefined;
}

export type FieldRule = 'port' | 'crontab';

/** Description of a form field beyond its metadata. */
export interface FieldSpec {
  readonly label?: string;
  /** Key of a text; default: the help text from the metadata. */
  readonly help?: string | ((context: FieldContext) => string);
  /** Default: as the metadata says. A secret may be required for a new object only. */
  readonly required?: boolean | ((context: FieldContext) => boolean);
  /** Choice among rows of another endpoint, which may depend on other fields. */
  readonly remote?: RemoteOptions | ((context: FieldContext) => RemoteOptions);
  /** Several rows; default: true for lists of keys. */
  readonly multiple?: boolean;
  readonly control?:
    | 'input'
    | 'password'
    | 'textarea'
    | 'checkbox'
    | 'switch'
    | 'select'
    | 'radio'
    /** Several of a few choices, as checkboxes; the default for lists of choices. */
    | 'choices'
    | 'key'
    | 'number'
    | 'json'
    | 'date'
    | 'datetime';
  /** Example value, shown as the placeholder. */
  readonly placeholder?: string;
  /** A rule besides those of the metadata. `port` and `crontab` apply by default to fields whose names end so. */
  readonly rule?: FieldRule;
  /** A control that the feature provides. */
  readonly render?: (input: CustomInput, context: FieldContext) => ReactNode;
  /** A date at which something ends: the calendar offers 30 days, 90 days, a year, and this value for “no end”. */
  readonly noEnd?: (context: FieldContext) => string;
  /** Earliest and latest date; values beyond are rejected before they are sent. */
  readonly bounds?: (context: FieldContext) => DateBounds;
  readonly isHidden?: (context: FieldContext) => boolean;
  readonly isDisabled?: (context: FieldContext) => boolean;
  /** What the field of a new object holds as long as nobody types into it, e.g. a path with the username. */
  readonly follows?: (values: FormValues) => string;
  /** A stored secret can be replaced, but not removed. */
  readonly irremovable?: boolean;
  /** Field of the screen only; it is never sent. */
  readonly local?: boolean;
  /** For a nested object: its fields are among the others, without a heading and a line of their own. */
  readonly flat?: boolean;
}

export interface CustomInput {
  readonly id: string;
  readonly label: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly invalid: boolean;
  readonly describedBy: string | undefined;
  readonly disabled: boolean;
}

export interface FieldGroup<Name extends string = string> {
  /** Key of a text. */
  readonly title: string;
  readonly fields: readonly Name[];
}

export interface FormDefinition<Name extends string = string> {
  readonly groups: readonly FieldGroup<Name>[] | ((context: FieldContext) => readonly FieldGroup<Name>[]);
  readonly fields?: Specs<Name>;
  /** Values of a new object; they take precedence over the metadata's defaults. Receives the query of the address. */
  readonly initial?: (query: Readonly<Record<string, string>>) => FormValues;
  /** Final change of the request body (drop empty values, join dates …). */
  readonly toPayload?: (values: FormValues, context: FieldContext) => FormValues;
  /** Method that updates an existing object; the form uses its metadata. Default: `put`. */
  readonly method?: 'put' | 'patch';
  /** Query of OPTIONS and of the write, e.g. `protocol`. */
  readonly query?: (values: FormValues) => QueryValues;
  /**
   * Sends the object, and may send it again, e.g. after a verification that the server asked for. Resolves to null when
   * the person cancels; then the form stays open.
   */
  readonly around?: <Answer>(send: () => Promise<Answer>) => Promise<Answer | null>;
  /** Called with the server's answer before the form is left, e.g. to show a one-time link. */
  readonly saved?: (answer: object, context: FieldContext) => void | Promise<void>;
  /** Content beside the form: preview, explanation. */
  readonly aside?: (context: FieldContext & { readonly id: string | undefined }) => ReactNode;
  /** In these modes saving opens the object's own page; otherwise it returns to the list. */
  readonly opensDetail?: FormMode;
  /**
   * Where saving and cancelling lead instead of the list, for objects that are listed on the page of another object.
   * Receives the object, or for a new object the query of the address.
   */
  readonly backTo?: (source: FormValues) => string | undefined;
}

export interface DetailField<Row, Name extends string = string> {
  readonly key: Name;
  readonly label?: string;
  readonly value?: (row: Row) => ReactNode;
  /** Default: for every row. */
  readonly isShown?: (row: Row) => boolean;
}

export interface DetailTab<Row> {
  readonly id: string;
  readonly label: string;
  readonly count?: (row: Row) => number;
  /** Permission needed to see the tab; default: that of the page. */
  readonly permission?: Permission;
  readonly content: (row: Row, tools: ActionTools) => ReactNode;
}

export interface QuickAction<Row> {
  readonly id: string;
  readonly label: string;
  readonly icon: Icon;
  /** One line that describes the state. */
  readonly state?: (row: Row) => string;
  readonly isOffered?: (row: Row) => boolean;
  readonly disabledReason?: (row: Row) => string | undefined;
  /** A switch, or a button with this text. */
  readonly control:
    | {
        readonly kind: 'switch';
        readonly value: (row: Row) => boolean;
        readonly change: (row: Row, on: boolean) => Promise<unknown>;
      }
    | {
        readonly kind: 'button';
        readonly label: string;
        readonly run: (row: Row, tools: ActionTools) => Promise<unknown> | void;
      };
}

export interface DetailDefinition<Row, Name extends string = string> {
  readonly title?: (row: Row) => string;
  /** Where the way back leads instead of the list, for objects that are listed on the page of another object. */
  readonly backTo?: (row: Row) => string;
  readonly status?: (row: Row) => ReactNode;
  readonly cards: readonly {
    readonly title: string;
    readonly fields: readonly (Name | DetailField<Row, Name>)[];
    /** Content at the right of the card's heading. */
    readonly actions?: (row: Row) => ReactNode;
  }[];
  /** Above the cards, over the whole width: a summary of the object. */
  readonly lead?: (row: Row) => ReactNode;
  readonly quick?: readonly QuickAction<Row>[];
  /** Relation cards below the quick actions. */
  readonly side?: (row: Row, tools: ActionTools) => ReactNode;
  /** Further tabs after “Basic”. */
  readonly tabs?: readonly DetailTab<Row>[];
  readonly actions?: (row: Row) => ReactNode;
}

/** The typed definition that the list, form and detail screens of a resource share. */
export interface ResourceDefinition<Row extends Resource, N extends Names = Names> {
  /** Name of the table's settings in local storage. */
  readonly name: string;
  readonly api: string;
  readonly routes: ResourceRoutes;
  readonly nameOf: (row: Row) => string;
  readonly icon: Icon;
  /** Keys of texts: “asset”, “assets”, and one sentence that describes the resource. */
  readonly noun: { readonly one: string; readonly many: string; readonly what: string };
  readonly list: ListDefinition<Row, N>;
  readonly form?: FormDefinition<N['written']>;
  readonly detail?: DetailDefinition<Row, N['shown']>;
  /** Its objects belong to no organization; they are written in the root organization too. */
  readonly shared?: boolean;
  /** Called after an object was deleted, to update what is shown outside of its list. */
  readonly deleted?: (row: Row) => void | Promise<void>;
  /** What deleting these objects does, for the question before it. */
  readonly deleteEffect?: (ids: readonly string[]) => ReactNode;
  readonly can?: {
    readonly create?: boolean;
    readonly clone?: boolean;
    readonly update?: (row: Row) => boolean;
    /** Why a row for which `update` is false cannot be changed; default: not permitted. */
    readonly fixed?: (row: Row) => string;
    readonly delete?: (row: Row) => boolean;
    /** Why a row for which `delete` is false cannot be deleted; default: not permitted. */
    readonly kept?: (row: Row) => string;
    /** Whether this person may delete at all (row, selection, detail); default: everybody who may write. */
    readonly mayDelete?: () => boolean;
    readonly deleteMany?: boolean;
  };
}

/** The form alone, for a resource that takes the rest from another definition. */
export function defineForm<Path extends keyof ApiLists, Own extends string = never>(
  form: FormDefinition<NamesOf<Path, Own>['written']>,
): FormDefinition;
export function defineForm(form: FormDefinition): FormDefinition {
  return form;
}

/**
 * Defines a resource of the list at `Path`: names that the API does not have there are type errors. Without a path (the
 * kit's own tests) every name is accepted.
 */
export function defineResource<Row extends Resource, Path extends keyof ApiLists, Own extends string = never>(
  definition: ResourceDefinition<Row, NamesOf<Path, Own>>,
): ResourceDefinition<Row>;
export function defineResource<Row extends Resource>(
  definition: ResourceDefinition<Row>,
): ResourceDefinition<Row>;
export function defineResource<Row extends Resource>(
  definition: ResourceDefinition<Row>,
): ResourceDefinition<Row> {
  return definition;
}
