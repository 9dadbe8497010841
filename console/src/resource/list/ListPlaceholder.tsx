import type { ReactNode } from 'react';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { ForbiddenError, HttpError, NoAnswerError } from '#/lib/http/errors';
import { type Translate, useT } from '#/lib/i18n';
import { isAdminPage, useSession } from '#/lib/session';
import { Button } from '#/ui/button';
import { FailedState, StateView } from '#/ui/states';
import { Chip } from '#/ui/status';
import type { SearchField } from './tag-search';

const LICENCE_REQUIRED = 'licence_required';

/** One condition of the search field in words. */
export interface Condition {
  readonly key: string;
  readonly label: string;
  readonly shown: string;
  readonly value: string;
}

/** All conditions, as the search field names them. */
export function conditionsOf(
  filters: Readonly<Record<string, string>>,
  fields: readonly SearchField[],
  t: Translate,
): readonly Condition[] {
  return Object.entries(filters).map(([key, value]) => {
    const field = fields.find((candidate) => candidate.key === key);
    return {
      key,
      value,
      label: key === 'search' ? t('resource:search.text') : (field?.label ?? key),
      shown: field?.choices?.find((choice) => choice.value === value)?.label ?? value,
    };
  });
}

interface Nouns {
  readonly many: string;
  readonly what: string;
}

/** A list that could not be loaded: no licence, no permission, no network, or another error. */
export function FailedList({
  error,
  noun,
  online,
  onRetry,
}: {
  readonly error: unknown;
  readonly noun: Nouns;
  readonly online: boolean;
  readonly onRetry: () => void;
}) {
  const t = useT();
  const session = useSession();
  const many = t(noun.many);
  if (error instanceof HttpError && error.code === LICENCE_REQUIRED) {
    return (
      <StateView drawing="licence" title={t('resource:licence.title', { noun: many })}>
        {t('resource:licence.why')}
      </StateView>
    );
  }
  if (error instanceof ForbiddenError) {
    const place = t(
      isAdminPage(session.currentRole) ? 'resource:forbidden.admin_page' : 'resource:forbidden.user_page',
    );
    return (
      <StateView drawing="forbidden" title={t('resource:forbidden.title', { noun: many })}>
        {t('resource:forbidden.why', {
          name: session.profile.username,
          place,
          org: session.organization.name,
        })}
      </StateView>
    );
  }
  if (!online || (error instanceof NoAnswerError && !error.timedOut))
    return <OfflineList noun={noun} onRetry={onRetry} />;
  return (
    <FailedState
      title={t('resource:failed', { noun: many })}
      message={explain(error)}
      requestId={requestIdOf(error)}
      onRetry={onRetry}
    />
  );
}

/** No network: the list reloads by itself when the network is back. */
export function OfflineList({ noun, onRetry }: { readonly noun: Nouns; readonly onRetry: () => void }) {
  const t = useT();
  return (
    <StateView
      drawing="error"
      title={t('resource:offline.title', { noun: t(noun.many) })}
      actions={<Button onClick={onRetry}>{t('ui:retry')}</Button>}
    >
      {t('resource:offline.why')}
    </StateView>
  );
}

/** The list is empty: what it contains, and how to create the first object. */
export function EmptyList({ noun, actions }: { readonly noun: Nouns; readonly actions: ReactNode }) {
  const t = useT();
  return (
    <StateView drawing="empty" title={t('resource:empty.title', { noun: t(noun.many) })} actions={actions}>
      {t(noun.what)}
    </StateView>
  );
}

/** Nothing matches: shows the conditions and offers to clear them, or to search for the words everywhere. */
export function NoMatchList({
  noun,
  conditions,
  onClear,
  onWiden,
}: {
  readonly noun: Nouns;
  readonly conditions: readonly Condition[];
  readonly onClear: () => void;
  readonly onWiden: (text: string) => void;
}) {
  const t = useT();
  const narrow = conditions.filter((condition) => condition.key !== 'search');
  const words = [...new Set(conditions.map((condition) => condition.shown))].join(' ');
  return (
    <StateView
      drawing="no-match"
      title={t('resource:no_match.title', { noun: t(noun.many) })}
      actions={
        <>
          <Button onClick={onClear}>{t('resource:no_match.clear', { count: conditions.length })}</Button>
          {narrow.length > 0 && (
            <Button kind="text" onClick={() => onWiden(words)}>
              {t('resource:no_match.widen', { words })}
            </Button>
          )}
        </>
      }
    >
      <span className="mb-1 flex flex-wrap justify-center gap-1">
        {conditions.map((condition) => (
          <Chip key={condition.key}>
            {condition.label}: {condition.shown}
          </Chip>
        ))}
      </span>
      {t('resource:no_match.why')}
    </StateView>
  );
}
