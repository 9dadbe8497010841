import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { exactStamp, parseTime } from '#/lib/time';
import { Card } from '#/ui/card';
import { DateTimeInput } from '#/ui/dates/DateTimeInput';
import { fieldValue, instantOf, readTyped } from '#/ui/dates/typed';
import { Field, TextInput } from '#/ui/field';
import { Pager } from '#/ui/pager';
import { ProgressLine, SkeletonLines } from '#/ui/skeleton';
import { FailedState, StateView } from '#/ui/states';
import { askPast, type HistoryPlace, type PastAnswer } from './past-access';
import { PastRows } from './PastRows';

const PAGE_SIZE = 15;
const MINUTE_MS = 60_000;

const stamp = (text: string | null): string => {
  const time = parseTime(text);
  return time ? exactStamp(time) : '';
};

/** A value of a date field; null when it is empty or no date. */
function typedInstant(value: string): Date | null {
  const typed = readTyped(value);
  return 'value' in typed ? instantOf(typed.value) : null;
}

/** Why there are no rows: nothing is known, the object did not exist, nobody had access, or nothing differs. */
function Nothing({
  answer,
  place,
  isCompared,
  search,
}: {
  readonly answer: PastAnswer;
  readonly place: HistoryPlace;
  readonly isCompared: boolean;
  readonly search: string;
}) {
  const t = useT();
  // i18n: access-history:absent.*
  // i18n: access-history:inactive.*
  // i18n: access-history:nobody.*
  if (!answer.is_known)
    return (
      <StateView drawing="empty" title={t('access-history:unknown')}>
        {t('access-history:unknown_why', { time: stamp(answer.known_since) })}
      </StateView>
    );
  if (search !== '') return <StateView drawing="no-match" title={t('access-history:no_match')} />;
  if (isCompared) return <StateView drawing="empty" title={t('access-history:no_difference')} />;
  if (answer.object === null)
    return <StateView drawing="empty" title={t(`access-history:absent.${place}`)} />;
  if (!answer.object.is_active)
    return <StateView drawing="empty" title={t(`access-history:inactive.${place}`)} />;
  return <StateView drawing="empty" title={t(`access-history:nobody.${place}`)} />;
}

type Targets = 'assets' | 'applications';

/** The two times, the search, and for a user what is shown. */
function QuestionCard({
  kind,
  at,
  onAt,
  other,
  onOther,
  search,
  onSearch,
  targets,
  onTargets,
}: {
  readonly kind: HistoryPlace;
  readonly at: string;
  readonly onAt: (value: string) => void;
  readonly other: string;
  readonly onOther: (value: string) => void;
  readonly search: string;
  readonly onSearch: (value: string) => void;
  readonly targets: Targets;
  readonly onTargets: (value: Targets) => void;
}) {
  const t = useT();
  // i18n: access-history:title.*
  return (
    <Card title={t(`access-history:title.${kind}`)} aside={t('access-history:help')}>
      <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
        <Field label={t('access-history:at')} layout="above">
          {(control) => (
            <DateTimeInput
              {...control}
              value={at}
              onChange={onAt}
              bounds={{ max: new Date() }}
              dayTime="23:59"
            />
          )}
        </Field>
        <Field label={t('access-history:compared_with')} layout="above">
          {(control) => (
            <DateTimeInput
              {...control}
              value={other}
              onChange={onOther}
              bounds={{ max: new Date() }}
              dayTime="23:59"
            />
          )}
        </Field>
        <Field label={t('access-history:search')} layout="above">
          {(control) => (
            <TextInput
              {...control}
              type="search"
              value={search}
              onChange={(event) => onSearch(event.target.value)}
            />
          )}
        </Field>
        {kind === 'user' && (
          <Field label={t('access-history:of')} layout="above">
            {(control) => (
              <select
                {...control}
                className="pt-field"
                value={targets}
                onChange={(event) => onTargets(event.target.value === 'assets' ? 'assets' : 'applications')}
              >
                <option value="assets">{t('access-history:assets')}</option>
                <option value="applications">{t('access-history:applications')}</option>
              </select>
            )}
          </Field>
        )}
      </div>
    </Card>
  );
}

/**
 * Who could reach an asset or application at a time in the past, or what a person could reach, and through what. With
 * a second time only what differs between the two.
 */
export function AccessOnDay({ kind, id }: { readonly kind: HistoryPlace; readonly id: string }) {
  const t = useT();
  // i18n: access-history:list.*
  // Without seconds, as the field shows it.
  const [at, setAt] = useState(() => fieldValue(new Date(Date.now() - MINUTE_MS), 'datetime'));
  const [other, setOther] = useState('');
  const [search, setSearch] = useState('');
  const [page, setPage] = useState(1);
  const [targets, setTargets] = useState<Targets>('assets');
  const path = { asset: `assets/${id}`, application: `applications/${id}`, user: `users/${id}/${targets}` }[
    kind
  ];
  const instant = typedInstant(at);
  const comparedWith = typedInstant(other);
  const question = instant && { at: instant, comparedWith, search: search.trim(), page, size: PAGE_SIZE };
  const { data, error, isPending, isFetching, refetch } = useQuery({
    queryKey: ['access-history', path, question],
    queryFn: question ? ({ signal }) => askPast(path, question, signal) : skipToken,
    placeholderData: keepPreviousData,
  });
  const change = (set: (value: string) => void) => (value: string) => {
    set(value);
    setPage(1);
  };
  const body = (): ReactNode => {
    if (question === null) return <p className="px-3.5 py-6 text-ink-3">{t('access-history:no_time')}</p>;
    if (error)
      return (
        <FailedState
          title={t('access-history:failed')}
          message={explain(error)}
          requestId={requestIdOf(error)}
          onRetry={() => void refetch()}
        />
      );
    if (isPending)
      return (
        <div aria-busy="true">
          <SkeletonLines lines={4} />
        </div>
      );
    if (data.results.length === 0)
      return (
        <Nothing answer={data} place={kind} isCompared={comparedWith !== null} search={question.search} />
      );
    return (
      <PastRows
        rows={data.results}
        areUsers={kind !== 'user'}
        areAssets={kind !== 'application' && targets === 'assets'}
      />
    );
  };
  return (
    <div className="grid gap-3">
      <QuestionCard
        kind={kind}
        at={at}
        onAt={change(setAt)}
        other={other}
        onOther={change(setOther)}
        search={search}
        onSearch={change(setSearch)}
        targets={targets}
        onTargets={(next) => {
          setTargets(next);
          setPage(1);
        }}
      />
      <Card
        title={t(`access-history:list.${kind}`)}
        aside={data?.is_known && question ? data.count.toLocaleString('en') : undefined}
        flush
      >
        <ProgressLine busy={isFetching && data !== undefined} />
        {body()}
        {data !== undefined && question !== null && data.count > PAGE_SIZE && (
          <Pager
            count={data.count}
            page={page}
            size={PAGE_SIZE}
            sizes={[PAGE_SIZE]}
            onPage={setPage}
            onSize={() => undefined}
          />
        )}
      </Card>
    </div>
  );
}
