import type { Api } from '#/lib/api-types';
import { paths } from '#/lib/paths';
import { currentSession } from '#/lib/session';
import type { CreateEntry } from '#/resource/define';

export type ApplicationCategory = Api<'Application'>['category'];
export type ApplicationType = Api<'Application'>['type'];

/** The types of each category, in the order in which they are offered. */
export const CATEGORIES: Readonly<Record<ApplicationCategory, readonly ApplicationType[]>> = {
  remote_app: ['chrome', 'mysql_workbench', 'vmware_client', 'custom'],
  db: ['mysql', 'postgresql', 'mariadb', 'oracle'],
  cloud: ['k8s'],
};
const ORDER: readonly ApplicationCategory[] = ['remote_app', 'db', 'cloud'];

/** The category of a type; undefined for words that are no type. */
export function categoryOf(type: string | undefined): ApplicationCategory | undefined {
  return ORDER.find((category) => CATEGORIES[category].some((kind) => kind === type));
}

/** The protocol that system users for this type speak: remote apps run on a Windows host. */
export function protocolOf(type: string): string {
  return categoryOf(type) === 'remote_app' ? 'rdp' : type;
}

function isClosed(category: ApplicationCategory): boolean {
  return category === 'remote_app' && currentSession()?.settings.XPACK_LICENSE_IS_VALID !== true;
}

/** Address of the page of one application. */
export function applicationPath({
  id,
  category,
}: {
  readonly id: string;
  readonly category: ApplicationCategory;
}): string {
  return `${paths.applications[category]}/${id}`;
}

// i18n: application-kinds:type.*
// i18n: application-kinds:category.*
/**
 * One entry of a create menu for each type. The form's address gets category and type; `more` is added to it. With
 * several categories each has a heading. Types that need a licence say so while there is none.
 */
export function createEntries(
  path: string,
  categories: readonly ApplicationCategory[] = ORDER,
  more: Readonly<Record<string, string>> = {},
): readonly CreateEntry[] {
  return categories.flatMap((category) =>
    CATEGORIES[category].map((type, index): CreateEntry => {
      const query = new URLSearchParams({ category, type, ...more });
      return {
        id: type,
        label: `application-kinds:type.${type}`,
        to: `${path}?${query.toString()}`,
        ...(index === 0 && categories.length > 1 ? { group: `application-kinds:category.${category}` } : {}),
        ...(isClosed(category) ? { disabledReason: 'application-kinds:needs_licence' } : {}),
      };
    }),
  );
}
