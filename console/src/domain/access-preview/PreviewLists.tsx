import { useInfiniteQuery } from '@tanstack/react-query';
import { applicationPath } from '#/domain/application-kinds/kinds';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { AppLink } from '#/ui/link';
import { Note } from '#/ui/note';
import { Badge, Count } from '#/ui/status';
import { VisibleText } from '#/ui/visible-text';
import { type Asked, type PersonRow, type Preview, previewAccess, type TargetRow } from './preview';

const PAGE = 100;

/** Changes of a person in signs: “+12 −3”. */
function signs(gained: number, lost: number): string {
  return [gained > 0 ? `+${gained}` : '', lost > 0 ? `−${lost}` : ''].filter(Boolean).join(' ') || '±0';
}

/** What does not exist yet has no page. */
function Name({ name, to }: { readonly name: string; readonly to: string | null }) {
  const t = useT();
  const shown = <VisibleText text={name} />;
  if (to !== null) return <AppLink to={to}>{shown}</AppLink>;
  return (
    <>
      {shown} <Badge tone="info">{t('access-preview:list.new')}</Badge>
    </>
  );
}

function People({ rows, count }: { readonly rows: readonly PersonRow[]; readonly count: number }) {
  const t = useT();
  return (
    <section>
      <h3 className="flex items-center gap-2 font-semibold">
        {t('access-preview:list.people')} <Count>{count}</Count>
      </h3>
      <ul className="mt-1">
        {rows.map((row) => (
          <li key={row.id ?? row.name} className="flex min-h-7 items-center gap-3">
            <span className="min-w-0 grow [overflow-wrap:anywhere]">
              <Name name={`${row.name} (${row.username})`} to={row.id && paths.user(row.id)} />
            </span>
            <span className="whitespace-nowrap tabular-nums text-ink-2">
              {signs(row.gained_assets + row.gained_applications, row.lost_assets + row.lost_applications)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Targets<Row extends TargetRow>({
  title,
  rows,
  count,
  to,
}: {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly count: number;
  readonly to: (row: Row) => string | null;
}) {
  const t = useT();
  if (count === 0) return null;
  return (
    <section>
      <h3 className="flex items-center gap-2 font-semibold">
        {title} <Count>{count}</Count>
      </h3>
      <ul className="mt-1">
        {rows.map((row) => (
          <li key={row.id ?? row.name} className="flex min-h-7 items-center gap-3">
            <span className="min-w-0 grow [overflow-wrap:anywhere]">
              <Name name={row.name} to={to(row)} />
            </span>
            <span className="whitespace-nowrap text-ink-2">
              {[
                row.gained ? t('access-preview:list.gained') : '',
                row.lost ? t('access-preview:list.lost') : '',
              ]
                .filter(Boolean)
                .join(' · ')}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The people, assets and applications for which something changes, page by page. */
export function PreviewLists({
  asked,
  first,
  onClose,
}: {
  readonly asked: Asked;
  readonly first: Preview;
  readonly onClose: () => void;
}) {
  const t = useT();
  const longest = Math.max(first.people.count, first.asset_list.count, first.application_list.count);
  const pages = useInfiniteQuery({
    queryKey: ['access-preview', 'lists', asked],
    queryFn: ({ pageParam, signal }) => previewAccess(asked, signal, { limit: PAGE, offset: pageParam }),
    initialPageParam: 0,
    getNextPageParam: (_last, loaded) => (loaded.length * PAGE < longest ? loaded.length * PAGE : undefined),
    gcTime: 0,
  });
  const loaded = pages.data?.pages ?? [first];
  return (
    <Dialog isOpen title={t('access-preview:list.title')} onClose={onClose}>
      <div className="grid gap-4">
        <People rows={loaded.flatMap((page) => page.people.results)} count={first.people.count} />
        <Targets
          title={t('access-preview:list.assets')}
          rows={loaded.flatMap((page) => page.asset_list.results)}
          count={first.asset_list.count}
          to={({ id }) => id && paths.asset(id)}
        />
        <Targets
          title={t('access-preview:list.applications')}
          rows={loaded.flatMap((page) => page.application_list.results)}
          count={first.application_list.count}
          to={({ id, category }) => id && applicationPath({ id, category })}
        />
      </div>
      {pages.error && <Note tone="danger">{explain(pages.error)}</Note>}
      {pages.hasNextPage && (
        <div className="mt-3">
          <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            {t('access-preview:list.more')}
          </Button>
        </div>
      )}
    </Dialog>
  );
}
