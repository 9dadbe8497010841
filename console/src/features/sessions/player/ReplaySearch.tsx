import { useInfiniteQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { searchFailure } from '#/domain/recording-hits/failure';
import { MarkedLine } from '#/domain/recording-hits/HitExcerpt';
import { type Hit, hitsQuery, isSearchOff, MOST_TYPED, textProblem } from '#/domain/recording-hits/hits';
import { beginningNearMatch } from '#/domain/recording-hits/marked';
import { clockText } from '#/lib/clock-text';
import { useT } from '#/lib/i18n';
import { useSession } from '#/lib/session';
import { Button, IconButton } from '#/ui/button';
import { TextInput } from '#/ui/field';

type Seek = (ms: number) => void;

/** The hits of this recording; a click jumps to the hit. */
function Hits({ hits, onSeek }: { readonly hits: readonly Hit[]; readonly onSeek: Seek }) {
  return (
    <ol>
      {hits.map((hit) => (
        <li key={hit.id}>
          <button
            type="button"
            className="flex min-h-8 w-full items-center gap-3 border-b border-line px-3 text-left hover:bg-hover"
            onClick={() => onSeek(hit.offset_ms)}
          >
            <span className="flex-none font-mono text-meta text-ink-3 tabular-nums">
              {clockText(hit.offset_ms)}
            </span>
            <code className="min-w-0 grow truncate font-mono text-meta">
              <MarkedLine hit={beginningNearMatch(hit)} />
            </code>
          </button>
        </li>
      ))}
    </ol>
  );
}

/** What came of the search, in words, until there are hits. */
function useOutcome(text: string, query: ReturnType<typeof useHits>): string | null {
  const t = useT();
  if (text === '') return null;
  if (query.isPending) return t('recording-hits:searching');
  if (!query.data || query.isFetchNextPageError) return searchFailure(query.error);
  const [first] = query.data.pages;
  if (query.data.pages.some((page) => page.results.length > 0)) return null;
  if (query.hasNextPage) return t('recording-hits:none_so_far');
  if (first && first.waiting > 0) return t('recording-hits:none_yet');
  return first && first.failed > 0 ? t('recording-hits:none_failed') : t('recording-hits:none');
}

function useHits(sessionId: string, text: string) {
  const { organization, settings } = useSession();
  const isOn = settings.TERMINAL_SEARCH_RECORDINGS !== false;
  return useInfiniteQuery(hitsQuery({ text, session_id: sessionId }, organization.id, isOn));
}

/** Search inside the open recording. Absent where searching is switched off. */
export function ReplaySearch({ sessionId, onSeek }: { readonly sessionId: string; readonly onSeek: Seek }) {
  const t = useT();
  const [draft, setDraft] = useState('');
  const [text, setText] = useState('');
  const query = useHits(sessionId, text);
  const hits = query.data?.pages.flatMap((page) => page.results) ?? [];
  const [isRefused, setRefused] = useState(false);
  const outcome = useOutcome(text, query);
  const isInPart = query.data?.pages.some((page) => page.incomplete > 0) ?? false;
  const { settings } = useSession();
  if (settings.TERMINAL_SEARCH_RECORDINGS === false || isSearchOff(query.error)) return null;
  const problem = draft.trim() === '' ? null : textProblem(draft);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setRefused(problem !== null);
    if (problem === null) setText(draft.trim());
  };
  const refusal = problem === 'short' ? t('recording-hits:too_short') : t('recording-hits:too_long');
  const note = isRefused && problem !== null ? refusal : outcome;
  return (
    <section className="pt-card flex-none" aria-label={t('recording-hits:in_this')}>
      <form
        role="search"
        aria-label={t('recording-hits:in_this')}
        className="flex min-h-10 items-center gap-2 px-3.5 py-1.5"
        onSubmit={submit}
      >
        <TextInput
          type="search"
          aria-label={t('recording-hits:in_this')}
          placeholder={t('recording-hits:in_this')}
          maxLength={MOST_TYPED}
          value={draft}
          className="pt-field-quiet min-w-0 grow"
          onChange={(event) => setDraft(event.target.value)}
        />
        <IconButton type="submit" icon={Search} kind="text" label={t('recording-hits:search')} />
      </form>
      <p role="status" className="px-3.5 pb-2 text-meta text-ink-2 empty:hidden">
        {note ?? (hits.length > 0 ? t('recording-hits:hits', { count: hits.length }) : null)}
        {isInPart && <span className="block text-warn">{t('recording-hits:this_in_part')}</span>}
      </p>
      {(hits.length > 0 || query.hasNextPage) && (
        <div className="max-h-72 overflow-y-auto border-t border-line">
          <Hits hits={hits} onSeek={onSeek} />
          {query.hasNextPage && (
            <Button kind="text" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {t('recording-hits:more')}
            </Button>
          )}
        </div>
      )}
    </section>
  );
}
