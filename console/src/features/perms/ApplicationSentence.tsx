import { useQueries } from '@tanstack/react-query';
import { AppWindow, IdCard, User, Users } from 'lucide-react';
import { applicationPath } from '#/domain/application-kinds/kinds';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { fetchPage } from '#/resource/api';
import { textOf } from '#/resource/format';
import type { Icon } from '#/ui/icon';
import type { ApplicationPermissionRow } from './application-permission-row';
import { named, type NamedObject } from './named';
import { type Part, SentenceCard } from './Sentence';

/** Names loaded of each kind; of the others their number is shown. */
const LOADED = 100;
/** `orders(MySQL)[Database]`: type and category are those of the permission. */
const DESCRIBED = /^(?<name>.+)\([^()]*\)\[[^[\]]*\]$/s;

interface Links {
  readonly path: string;
  /** The field of a link that names the object. */
  readonly field: string;
  readonly icon: Icon;
  readonly to: (id: string) => string;
  readonly split?: (text: string) => Pick<NamedObject, 'name' | 'detail'>;
}

/** The name of an application, without what the permission says anyway. */
export function applicationName(text: string): Pick<NamedObject, 'name' | 'detail'> {
  return { name: DESCRIBED.exec(text)?.groups?.['name'] ?? text, detail: '' };
}

function joined(...parts: readonly (Part | undefined)[]): Part | undefined {
  const loaded = parts.filter((part) => part !== undefined);
  if (loaded.length < parts.length) return undefined;
  return {
    objects: loaded.flatMap((part) => part.objects),
    total: loaded.reduce((sum, part) => sum + (part.total ?? part.objects.length), 0),
  };
}

function linksOf(row: ApplicationPermissionRow): readonly Links[] {
  return [
    { path: 'user-groups', field: 'usergroup', icon: Users, to: paths.userGroup },
    { path: 'users', field: 'user', icon: User, to: paths.user },
    {
      path: 'applications',
      field: 'application',
      icon: AppWindow,
      to: (id) => applicationPath({ id, category: row.category }),
      split: applicationName,
    },
    { path: 'system-users', field: 'systemuser', icon: IdCard, to: paths.systemUser },
  ];
}

/** An application permission as one sentence. Its answer has ids only, so the names are read from its links. */
export function ApplicationSentence({ row }: { readonly row: ApplicationPermissionRow }) {
  const t = useT();
  const parts = useQueries({
    queries: linksOf(row).map(({ path, field, icon, to, split = named }) => {
      const api = `perms/application-permissions-${path}-relations/`;
      return {
        queryKey: ['relation', api, row.id, 'names', row.date_expired],
        queryFn: async (): Promise<Part> => {
          const page = await fetchPage<Readonly<Record<string, unknown>>>(api, {
            applicationpermission: row.id,
            limit: LOADED,
            offset: 0,
          });
          const objects = page.results.map((link): NamedObject => {
            const id = textOf(link[field]);
            return { id, ...split(textOf(link[`${field}_display`])), icon, to: to(id) };
          });
          return { objects, total: page.count };
        },
        staleTime: 0,
      };
    }),
  });
  const [groups, users, applications, systemUsers] = parts.map(({ data }) => data);
  return (
    <SentenceCard
      who={joined(groups, users)}
      what={applications}
      asWhom={systemUsers}
      icon={AppWindow}
      nothing={t('perms:state.no_application')}
      dates={row}
    />
  );
}
