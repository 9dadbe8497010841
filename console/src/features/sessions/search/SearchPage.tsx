import { useInfiniteQuery } from '@tanstack/react-query';
import { CalendarRange } from 'lucide-react';
import { bySession } from '#/domain/recording-hits/group';
import {
  type Hit,
  hitsQuery,
  type IndexCounts,
  isSearchOff,
  NOTHING_MISSING,
  textProblem,
} from '#/domain/recording-hits/hits';
import { IndexState } from '#/domain/recording-hits/IndexState';
import { searchFailure } from '#/domain/recording-hits/failure';
import { useT } from '#/lib/i18n';
import { requestIdOf } from '#/lib/http/catalogue';
import { useMay, useSession } from '#/lib/session';
import { Button } from '#/ui/button';
import { LinkButton } from '#/ui/link';
import { PageHeader } from '#/ui/page';
import { Skeleton } from '#/ui/skeleton';
import { FailedState, StateView } from '#/ui/states';
import { HitList } from './HitList';
import { SearchForm } from './SearchForm';
import { type SearchAddress, useSearchAddress } from './use-search-address';

function Off() {
  const t = useT();
  const maySwitch = useMay('super');
  return (
    <StateView
      drawing="empty"
      title={t('recording-hits:off')}
      actions={
        maySwitch && (
          <LinkButton to="/settings?activeTab=terminal">{t('recording-hits:off_settings')}</LinkButton>
        )
      }
    >
      {t('recording-hits:off_why')}
    </StateView>
  );
}

function Loading() {
  const t = useT();
  return (
    <div role="status" aria-label={t('recording-hits:searching')} className="grid gap-3">
      {[0, 1, 2].map((place) => (
        <div key={place} className="pt-card grid gap-3 p-3.5">
          <Skeleton className="w-2/5" />
          <Skeleton className="w-3/5" />
        </div>
      ))}
    </div>
  );
}

function NoHits({ address }: { readonly address: SearchAddress }) {
  const t = useT();
  const { dates } = address;
  const lookBack = (): void => {
    const from = new Date(dates.from);
    from.setFullYear(from.getFullYear() - 1);
    dates.change(from, dates.to);
  };
  return (
    <StateView
      drawing="no-match"
      title={t('recording-hits:none')}
      actions={
        <Button icon={CalendarRange} onClick={lookBack}>
          {t('recording-hits:look_back')}
        </Button>
      }
    >
      {t('recording-hits:none_why')}
    </StateView>
  );
}

/** How many hits are shown, and what the search could not look into. */
function Summary({
  hits,
  hasMore,
  counts,
}: {
  readonly hits: readonly Hit[];
  readonly hasMore: boolean;
  readonly counts: IndexCounts;
}) {
  const t = useT();
  const count = hits.length;
  const sessions = t('recording-hits:in_sessions', { count: bySession(hits).length });
  const total = hasMore
    ? t('recording-hits:first_hits', { count, sessions })
    : t('recording-hits:all_hits', { count, sessions });
  const none = hasMore ? t('recording-hits:none_so_far') : t('recording-hits:no_hits');
  const summary = count === 0 ? none : total;
  return (
    <p role="status" className="flex flex-wrap gap-x-3 gap-y-0.5 text-meta text-ink-3">
      <span className="font-medium text-ink-1">{summary}</span>
      <IndexState counts={counts} />
    </p>
  );
}

type Hits = ReturnType<typeof useHits>;

function useHits(address: SearchAddress) {
  const { organization, settings } = useSession();
  const isOn = settings.TERMINAL_SEARCH_RECORDINGS !== false;
  const query = useInfiniteQuery(hitsQuery(address.conditions, organization.id, isOn));
  return { query, isOff: !isOn || isSearchOff(query.error) };
}

function Results({
  address,
  hits: { query, isOff },
}: {
  readonly address: SearchAddress;
  readonly hits: Hits;
}) {
  const t = useT();
  const { text } = address.conditions;
  if (isOff) return <Off />;
  if (text === '')
    return (
      <StateView drawing="no-match" title={t('recording-hits:start')}>
        {t('recording-hits:start_why')}
      </StateView>
    );
  const problem = textProblem(text);
  if (problem !== null)
    return (
      <StateView drawing="no-match" title={t('recording-hits:cannot_search')}>
        {problem === 'short' ? t('recording-hits:too_short') : t('recording-hits:too_long')}
      </StateView>
    );
  if (query.isPending) return <Loading />;
  if (!query.data)
    return (
      <FailedState
        title={t('recording-hits:not_searched')}
        message={searchFailure(query.error)}
        requestId={requestIdOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  const { pages } = query.data;
  const hits = pages.flatMap((page) => page.results);
  return (
    <>
      <Summary hits={hits} hasMore={query.hasNextPage} counts={pages.at(-1) ?? NOTHING_MISSING} />
      {hits.length === 0 && !query.hasNextPage && <NoHits address={address} />}
      {(hits.length > 0 || query.hasNextPage) && (
        <HitList
          hits={hits}
          more={{
            isThere: query.hasNextPage,
            isLoading: query.isFetchingNextPage,
            failure: query.isFetchNextPageError ? searchFailure(query.error) : null,
            load: () => query.fetchNextPage(),
          }}
        />
      )}
    </>
  );
}

/** Searches in what was on the screen, commands and file names of all recordings that the person may see. */
export function SearchPage() {
  const t = useT();
  const address = useSearchAddress();
  const hits = useHits(address);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <PageHeader
        title={t('nav:search_recordings')}
        aside={<span className="text-ink-3">{t('recording-hits:what')}</span>}
      />
      {!hits.isOff && (
        <SearchForm
          address={address}
          busy={hits.query.isFetching && !hits.query.isFetchingNextPage}
          onAgain={() => void hits.query.refetch()}
        />
      )}
      <Results address={address} hits={hits} />
    </div>
  );
}
