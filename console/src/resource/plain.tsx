import type { ApiLists } from '#/lib/api-types';
import type { Icon } from '#/ui/icon';
import { lazyPart } from './lazy-part';
import { type Column, defineResource, type NamesOf, type RemoteOptions, type Resource } from './define';
import { textOf, valueOf } from './format';
import type { PlainPlace, ScreenLoaders } from './routes';
import { resourceScreens } from './screens';

const RemoteNames = lazyPart(async () => (await import('./detail/RemoteNames')).RemoteNames);

function idsIn(row: object, key: string): readonly string[] {
  const value = valueOf(row, key);
  return Array.isArray(value) ? value.map(textOf) : [];
}

/** What is particular to a resource of columns and lists of other objects. */
interface PlainDefinition<Row extends Resource, Path extends keyof ApiLists> {
  readonly icon: Icon;
  readonly nameOf: (row: Row) => string;
  /** Columns of the list; date, comment and organization follow. */
  readonly columns: readonly (NamesOf<Path>['shown'] | Column<Row, NamesOf<Path>['shown']>)[];
  /** Fields of the form and the detail page; the comment follows. */
  readonly fields: readonly (NamesOf<Path>['written'] & NamesOf<Path>['shown'])[];
  /** Lists among the fields → the objects that the form offers. */
  readonly lists?: { readonly [Name in NamesOf<Path>['written']]?: RemoteOptions };
}

/** What every plain resource has besides its own fields. */
type Given = 'comment' | 'date_created' | 'org_name';

/**
 * The screens of a plain resource; `plainRecords` says where they are. `Path` is that of its list in the API's description. A
 * resource that needs more has a `defineResource`.
 */
export function definePlain<Row extends Resource, Path extends keyof ApiLists>(
  plain: Given extends NamesOf<Path>['shown'] ? PlainDefinition<Row, Path> : never,
): (place: PlainPlace) => Required<ScreenLoaders> {
  const { icon, nameOf, columns, fields, lists = {} }: PlainDefinition<Row, Path> = plain;
  const remotes = Object.entries<RemoteOptions | undefined>(lists);
  const specs = remotes.flatMap(([name, remote]) =>
    remote ? [[name, { remote, multiple: true }] as const] : [],
  );
  const shown = fields.map((key) => {
    const remote = remotes.find(([name]) => name === key)?.[1];
    return remote ? { key, value: (row: Row) => <RemoteNames remote={remote} ids={idsIn(row, key)} /> } : key;
  });
  return ({ name, api, routes, noun }) =>
    resourceScreens(
      defineResource<Row>({
        name: `${name}ListTable`,
        api,
        routes,
        icon,
        nameOf,
        noun,
        can: { delete: () => true },
        list: { columns: [...columns, 'date_created', 'comment', 'org_name'] },
        form: {
          groups: [{ title: 'resource:tab.basic', fields: [...fields, 'comment'] }],
          fields: Object.fromEntries(specs),
        },
        detail: {
          cards: [{ title: 'resource:tab.basic', fields: [...shown, 'date_created', 'comment'] }],
        },
      }),
    );
}
