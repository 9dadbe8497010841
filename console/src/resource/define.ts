import type { ReactNode } from 'react';
import type { Permission } from '#/lib/permissions';
import type { QueryValues } from '#/lib/http/query-string';
import type { DateBounds } from '#/ui/dates/typed';
import type { Icon } from '#/ui/icon';
import type { PickerOption } from '#/ui/picker';
import type { ApiLists } from '#/lib/api-types';
import type { ResourceRoutes } from './routes';

/** A row or object of the API. Each resource narrows it to the fields that its definition uses. */
export interface Resource {
  readonly id: string | number;
}

/** Names that a definition may use: of columns, of form fields, of filters. */
export interface Names {
  readonly shown: string;
  readonly written: string;
  readonly filter: string;
}

/** Fields of an object, and `object.field` for those of the objects in it. */
type FieldPaths<Shape> = {
  [Key in keyof Shape & string]:
    | Key
    | (NonNullable<Shape[Key]> extends readonly unknown[]
        ? never
        : NonNullable<Shape[Key]> extends object
          ? `${Key}.${keyof NonNullable<Shape[Key]> & string}`
          : never);
}[keyof Shape & string];

/** What the API says about the list at this path. `Own` are names of the screen alone: fields that are never sent, columns of buttons. */
export type NamesOf<Path extends keyof ApiLists, Own extends string = never> = {
  readonly shown: FieldPaths<ApiLists[Path]['row']> | Own;
  readonly written: (keyof ApiLists[Path]['request'] & string) | Own;
  readonly filter: ApiLists[Path]['filter'];
};

export interface Column<Row, Name extends string = string> {
  readonly key: Name;
  /** Key of a text; default: the label in the metadata. */
  readonly label?: string;
  /** Default: by the metadata's type (choice → display, boolean, date, list …). */
  readonly cell?: (row: Row) => ReactNode;
  /** Default: true for the name, choices and fields that the metadata marks as orderable. */
  readonly sortable?: boolean;
  readonly align?: 'right' | 'center';
}

/** A condition of the search field that the metadata does not offer. */
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
  /** Place among the others: update 10, delete 20, clone 30. */
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
  /** Whether the action stands in the bar at all, e.g. only inside a node. */
  readonly isOffered?: (tools: BulkTools) => boolean;
  readonly run: (ids: readonly string[], tools: BulkTools) => void | Promise<void>;
}

export interface ActionTools {
  /** Fetches the list or object again. */
  readonly refresh: () => void;
  readonly navigate: (to: string) => void;
  /** The object with this id is no longer there: it must not stay among the chosen rows. */
  readonly gone?: (id: string) => void;
}

/** A proof that the server asks for before it hands something out. */
export interface Verification {
  /** True once it is given, at once while an earlier one holds; false when the person gives up. */
  readonly ask: () => Promise<boolean>;
  /** Whether the server refused because the proof is missing or has run out. */
  readonly isMissing: (error: unknown) => boolean;
}

/** Export to and import from csv and xlsx files. */
export interface ExchangeDefinition {
  /** Default true; offered where the server renders files. */
  readonly export?: boolean;
  /** Default true; offered where the server reads files and the person may create. */
  readonly import?: boolean;
  /** What the person must prove before the export dialog opens. */
  readonly verification?: Verification;
  /** List that is exported instead of the one shown, e.g. the rows with their secrets. */
  readonly exportApi?: string;
}

/** Fields that can be given one value for all selected rows at once. */
/** By name, or by path for fields of nested objects. */
export type Specs<Name extends string = string> = string extends Name
  ? Readonly<Record<string, FieldSpec>>
  : { readonly [Key in Name | `${Name}.${string}`]?: FieldSpec };

export interface BulkUpdateDefinition<Name extends string = string> {
  readonly fields: readonly Name[];
  /** Above what the form says about the same fields. */
  readonly specs?: Specs<Name>;
}

/** What a bulk action gets besides the chosen ids. */
export interface BulkTools extends ActionTools {
  /** Conditions that the place of the list sets (node, user …). */
  readonly query: QueryValues;
  /** Names of the chosen rows, for questions. */
  readonly names: readonly string[];
  /** Takes the marks off, when the chosen rows are no longer there. */
  readonly clear: () => void;
}

/** A way on from an empty list. */
export interface NextStep {
  /** Key of a text. */
  readonly label: string;
  /** Path of the console. */
  readonly to: string;
  /** Who may go there; default: everybody. */
  readonly permission?: Permission;
}

export interface ListDefinition<Row, N extends Names = Names> {
  readonly columns: readonly (N['shown'] | Column<Row, N['shown']>)[];
  /** Columns shown until the person chooses others; default: all. */
  readonly shown?: readonly N['shown'][];
  readonly filters?: readonly ExtraFilter<N['filter']>[];
  /** Filterable fields of the metadata that nobody can type: ids, or what the place of the list has set. */
  readonly untyped?: readonly (N['filter'] | N['shown'])[];
  readonly rowActions?: readonly ObjectAction<Row>[];
  readonly bulkActions?: readonly BulkAction[];
  readonly bulkUpdate?: BulkUpdateDefinition<N['written']>;
  readonly exchange?: ExchangeDefinition;
  /** Further parts of the heading, before the button that creates. */
  readonly header?: (tools: ActionTools) => ReactNode;
  /** What a row shows below itself when it is opened. */
  readonly details?: (row: Row) => ReactNode;
  readonly isInactive?: (row: Row) => boolean;
  /** Several ways to create, e.g. by protocol. Targets are paths of the console. */
  readonly createMenu?: readonly { readonly id: string; readonly label: string; readonly to: string }[];
  /** Where rows come from, when the list is empty and nothing is made here. */
  readonly next?: NextStep;
  /** Days that the date range goes back by default; absent: no date range. */
  readonly dateRangeDays?: number;
  readonly order?: string;
  /** Keys of the address that say where the list is (a folder, a parent), not which rows match. */
  readonly place?: readonly string[];
  /** Second line and status of a row on phones; default: the second and third column. */
  readonly phone?: {
    readonly meta: (row: Row) => ReactNode;
    /** A line below them that is never cut: what an auditor must be able to read in full. */
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
  readonly option: (row: Record<string, unknown>) => PickerOption;
  readonly icon?: Icon;
}

export interface FieldContext {
  readonly mode: FormMode;
  readonly values: FormValues;
}

export type FieldRule = 'port' | 'crontab';

/** What a field of a form needs beyond its metadata. */
export interface FieldSpec {
  readonly label?: string;
  /** Key of a text; default: the metadata's help. */
  readonly help?: string | ((context: FieldContext) => string);
  readonly required?: boolean;
  /** Choice among rows of another endpoint. `multiple`: default true for lists of keys. */
  readonly remote?: RemoteOptions;
  readonly multiple?: boolean;
  readonly control?:
    | 'input'
    | 'password'
    | 'textarea'
    | 'checkbox'
    | 'switch'
    | 'select'
    | 'radio'
    /** Several of a few choices, as check boxes; the default for lists of choices. */
    | 'choices'
    | 'key'
    | 'number'
    | 'json'
    | 'date'
    | 'datetime';
  /** What a value looks like, in the empty field. */
  readonly placeholder?: string;
  /** A rule above those of the metadata; `port` and `crontab` go with fields whose names end so anyway. */
  readonly rule?: FieldRule;
  /** A control of the feature's own. */
  readonly render?: (input: CustomInput) => ReactNode;
  /** A date at which something ends: the calendar offers 30 days, 90 days, a year, and this value for “no end”. */
  readonly noEnd?: (context: FieldContext) => string;
  /** Earliest and latest date; what lies beyond is refused before it is sent. */
  readonly bounds?: (context: FieldContext) => DateBounds;
  readonly isHidden?: (context: FieldContext) => boolean;
  readonly isDisabled?: (context: FieldContext) => boolean;
  /** Field of the screen only: never sent. */
  readonly local?: boolean;
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
  /** Values of a new object, above the metadata's defaults. Gets the address's query. */
  readonly initial?: (query: Readonly<Record<string, string>>) => FormValues;
  /** Last change of what is sent (drop what the person did not fill in, join dates …). */
  readonly toPayload?: (values: FormValues, context: FieldContext) => FormValues;
  /** How an existing object is written, and which metadata the form is built from; default: `put`. */
  readonly method?: 'put' | 'patch';
  /** Query of OPTIONS and of the write, e.g. `protocol`. */
  readonly query?: (values: FormValues) => QueryValues;
  /** Something to tell about what the server answered, before the form is left (a one-time link). */
  readonly saved?: (answer: object, context: FieldContext) => void | Promise<void>;
  /** Beside the form: preview, explanation. */
  readonly aside?: (context: FieldContext & { readonly id: string | undefined }) => ReactNode;
  /** Saving in this mode leads to the object's own page; otherwise it leads back to the list. */
  readonly opensDetail?: FormMode;
}

export interface DetailField<Row, Name extends string = string> {
  readonly key: Name;
  readonly label?: string;
  readonly value?: (row: Row) => ReactNode;
}

export interface DetailTab<Row> {
  readonly id: string;
  readonly label: string;
  readonly count?: (row: Row) => number;
  readonly content: (row: Row, tools: ActionTools) => ReactNode;
}

export interface QuickAction<Row> {
  readonly id: string;
  readonly label: string;
  readonly icon: Icon;
  /** One line of state. */
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
  readonly status?: (row: Row) => ReactNode;
  readonly cards: readonly {
    readonly title: string;
    readonly fields: readonly (Name | DetailField<Row, Name>)[];
    /** At the right end of the card's head. */
    readonly actions?: (row: Row) => ReactNode;
  }[];
  /** Above the cards, over the whole width: the object in one glance. */
  readonly lead?: (row: Row) => ReactNode;
  readonly quick?: readonly QuickAction<Row>[];
  /** Relation cards below the quick actions. */
  readonly side?: (row: Row, tools: ActionTools) => ReactNode;
  /** Further tabs after “Basic”. */
  readonly tabs?: readonly DetailTab<Row>[];
  readonly actions?: (row: Row) => ReactNode;
}

/** One typed definition of everything that list, form and detail screens of a resource share. */
export interface ResourceDefinition<Row extends Resource, N extends Names = Names> {
  /** Name of the table's settings in local storage. */
  readonly name: string;
  readonly api: string;
  readonly routes: ResourceRoutes;
  readonly nameOf: (row: Row) => string;
  readonly icon: Icon;
  /** Keys of texts: “asset”, “assets”, and one sentence what it is. */
  readonly noun: { readonly one: string; readonly many: string; readonly what: string };
  readonly list: ListDefinition<Row, N>;
  readonly form?: FormDefinition<N['written']>;
  readonly detail?: DetailDefinition<Row, N['shown']>;
  /** An object is gone: what is shown outside of its list follows. */
  readonly deleted?: (row: Row) => void | Promise<void>;
  readonly can?: {
    readonly create?: boolean;
    readonly clone?: boolean;
    readonly update?: (row: Row) => boolean;
    readonly delete?: (row: Row) => boolean;
    /** Why a row that `delete` spares is kept; default: not permitted. */
    readonly kept?: (row: Row) => string;
    /** Whether deleting is offered to this person at all (row, selection, detail); default: to whoever may write. */
    readonly mayDelete?: () => boolean;
    readonly deleteMany?: boolean;
  };
}

/** The form alone, for a resource that takes the rest from another one. */
export function defineForm<Path extends keyof ApiLists, Own extends string = never>(
  form: FormDefinition<NamesOf<Path, Own>['written']>,
): FormDefinition;
export function defineForm(form: FormDefinition): FormDefinition {
  return form;
}

/**
 * A resource over the list at `Path`: names that the API does not have there are type errors. Without a path (the kit's own tests)
 * every name is taken.
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
