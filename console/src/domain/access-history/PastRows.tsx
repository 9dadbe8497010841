import { AppWindow, Folder, KeyRound, Server, User, Users } from 'lucide-react';
import type { ReactNode } from 'react';
import { applicationPath, categoryOf } from '#/domain/application-kinds/kinds';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import type { Icon } from '#/ui/icon';
import { AppLink } from '#/ui/link';
import { Badge, type BadgeTone } from '#/ui/status';
import { visible } from '#/ui/visible-text';
import type { PastRow, Way } from './past-access';

const TONE: Record<'gained' | 'lost' | 'changed', BadgeTone> = {
  gained: 'ok',
  lost: 'danger',
  changed: 'warn',
};
/** Names that include several other actions. */
const COMBINED = new Set(['all', 'updownload', 'clipboard_copy_paste']);

function Part({ icon: Mark, children }: { readonly icon: Icon; readonly children: ReactNode }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5 [overflow-wrap:anywhere]">
      <Mark className="size-3.5! flex-none text-ink-3" aria-hidden />
      {children}
    </span>
  );
}

const names = (parts: readonly { readonly name: string }[]): string =>
  parts.map((part) => visible(part.name)).join(', ');

/** A permission: who it named, what it named, as whom, and with which actions. Those of applications have none. */
function WayLine({ way, areAssets }: { readonly way: Way; readonly areAssets: boolean }) {
  const t = useT();
  // i18n: access-history:action.*
  const shown = way.actions.includes('all')
    ? way.actions.filter((name) => name === 'all' || name === 'forward')
    : way.actions.filter((name) => !COMBINED.has(name));
  const actions = shown.map((name) => t(`access-history:action.${name}`)).join(', ');
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-0.5 text-meta text-ink-2">
      <Part icon={KeyRound}>{visible(way.permission.name)}</Part>
      {way.names_user && <Part icon={User}>{t('access-history:named_user')}</Part>}
      {way.user_groups.length > 0 && <Part icon={Users}>{names(way.user_groups)}</Part>}
      {way.names_target && (
        <Part icon={areAssets ? Server : AppWindow}>{t('access-history:named_target')}</Part>
      )}
      {way.nodes.length > 0 && <Part icon={Folder}>{names(way.nodes)}</Part>}
      <span>
        {t('access-history:as_whom', {
          names: way.system_users.map((user) => `${visible(user.name)} (${user.protocol})`).join(', '),
        })}
      </span>
      {areAssets && <span>{actions}</span>}
    </div>
  );
}

function Ways({
  title,
  ways,
  areAssets,
}: {
  readonly title: string;
  readonly ways: readonly Way[];
  readonly areAssets: boolean;
}) {
  if (ways.length === 0) return null;
  return (
    <div className="mt-1 grid gap-1">
      {title !== '' && <span className="text-meta font-medium text-ink-3">{title}</span>}
      {ways.map((way) => (
        <WayLine key={way.permission.id} way={way} areAssets={areAssets} />
      ))}
    </div>
  );
}

/** The name with a link to the page of the object, which may no longer exist. The detail of an application is its type. */
function PastName({
  row,
  areUsers,
  areAssets,
}: {
  readonly row: PastRow;
  readonly areUsers: boolean;
  readonly areAssets: boolean;
}) {
  const category = categoryOf(row.detail);
  if (areUsers) return <AppLink to={paths.user(row.id)}>{visible(row.name)}</AppLink>;
  if (areAssets) return <AppLink to={paths.asset(row.id)}>{visible(row.name)}</AppLink>;
  if (category === undefined) return <span className="font-medium">{visible(row.name)}</span>;
  return <AppLink to={applicationPath({ id: row.id, category })}>{visible(row.name)}</AppLink>;
}

/** The people or targets of a page, each with the permissions that gave the access. */
export function PastRows({
  rows,
  areUsers,
  areAssets,
}: {
  readonly rows: readonly PastRow[];
  readonly areUsers: boolean;
  /** Whether the access is to assets; to applications otherwise. */
  readonly areAssets: boolean;
}) {
  const t = useT();
  // i18n: access-history:change.*
  // i18n: application-kinds:type.*
  return (
    <ul>
      {rows.map((row) => (
        <li key={row.id} className="border-b border-line px-3.5 py-2.5 last:border-b-transparent">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="min-w-0 [overflow-wrap:anywhere]">
              <PastName row={row} areUsers={areUsers} areAssets={areAssets} />
            </span>
            <span className="font-mono text-meta text-ink-3 [overflow-wrap:anywhere]">
              {areUsers || areAssets ? visible(row.detail) : t(`application-kinds:type.${row.detail}`)}
            </span>
            {row.change !== '' && (
              <Badge tone={TONE[row.change]}>{t(`access-history:change.${row.change}`)}</Badge>
            )}
          </div>
          <Ways
            title={row.change === 'changed' ? t('access-history:before') : ''}
            ways={row.ways_before}
            areAssets={areAssets}
          />
          <Ways
            title={row.change === 'changed' ? t('access-history:after') : ''}
            ways={row.ways}
            areAssets={areAssets}
          />
        </li>
      ))}
    </ul>
  );
}
