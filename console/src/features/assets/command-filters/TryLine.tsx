import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { Card } from '#/ui/card';
import { Note } from '#/ui/note';
import { VisibleText } from '#/ui/visible-text';
import { type Draft, type JudgedLine, tryLine } from './trial';
import { VerdictMark } from './VerdictMark';

/** Debounce, in ms: a line is judged this long after the last change. */
const SETTLE_MS = 300;

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Items of a list that may contain equal items, with a key each. */
function numbered<Item>(items: readonly Item[]): readonly { readonly key: string; readonly item: Item }[] {
  return items.map((item, place) => ({ key: String(place), item }));
}

interface LineProps {
  readonly judged: JudgedLine;
  /** Id of the rule in the form, if it was saved before. */
  readonly draftId: string | undefined;
}

/** Why a line got its verdict, in one sentence. */
function Why({ judged, draftId }: LineProps) {
  const t = useT();
  const { rule } = judged;
  if (rule) {
    const words = { line: rule.title, number: rule.line_number ?? 1, priority: rule.priority };
    const isThis = rule.id === 'draft' || rule.id === draftId;
    return <>{t(isThis ? 'command-filters:try.by_this_rule' : 'command-filters:try.by_rule', words)}</>;
  }
  if (judged.reason_text !== '')
    return <>{t('command-filters:try.unresolved', { why: judged.reason_text })}</>;
  return <>{t('command-filters:try.no_rule')}</>;
}

/** The verdict for one line, and the commands that the shell would run for it. */
function LineView({ judged, draftId }: LineProps) {
  const t = useT();
  return (
    <li className="grid gap-1.5 border-t border-line pt-2.5 first:border-t-0 first:pt-0">
      <p className="flex flex-wrap items-center gap-x-2 font-semibold">
        <VerdictMark verdict={judged.action} />
        <code className="min-w-0 font-mono text-meta font-normal [overflow-wrap:anywhere] text-ink-2">
          <VisibleText text={judged.line} />
        </code>
      </p>
      <p className="text-meta text-ink-2">
        <Why judged={judged} draftId={draftId} />
        {judged.is_open && ` ${t('command-filters:try.open')}`}
      </p>
      {judged.commands.length > 0 && (
        <ul aria-label={t('command-filters:try.runs')} className="grid gap-1">
          {numbered(judged.commands).map(({ key, item: command }) => (
            <li
              key={key}
              className="flex items-center justify-between gap-3 rounded-1 bg-surface-2 px-2 py-1"
            >
              <code className="min-w-0 font-mono text-meta [overflow-wrap:anywhere]">
                <VisibleText text={command.text} />
              </code>
              <span className="text-meta">
                <VerdictMark verdict={command.action} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** Judges lines with the rules of a filter and with the rule in the form. Nothing is run, stored or logged. */
export function TryLine({ filterId, draft }: { readonly filterId: string; readonly draft?: Draft }) {
  const t = useT();
  const fieldId = useId();
  const [line, setLine] = useState('');
  const settled = useSettled(JSON.stringify({ line, draft }));
  const asked = JSON.parse(settled) as { readonly line: string; readonly draft?: Draft };
  const answer = useQuery({
    queryKey: ['try-line', filterId, settled],
    queryFn: ({ signal }) => tryLine(filterId, asked.line, asked.draft, signal),
    enabled: asked.line.trim() !== '',
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  });
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          <FlaskConical className="text-accent" aria-hidden />
          {t('command-filters:try.title')}
        </span>
      }
    >
      <label htmlFor={fieldId} className="mb-1.5 block text-meta text-ink-2">
        {t('command-filters:try.what')}
      </label>
      <textarea
        id={fieldId}
        className="pt-field w-full font-mono text-meta"
        rows={2}
        spellCheck={false}
        autoCapitalize="off"
        placeholder="cd /tmp; sudo systemctl stop mysqld"
        value={line}
        onChange={(event) => setLine(event.target.value)}
      />
      <div className="mt-3" aria-live="polite" aria-busy={answer.isFetching}>
        {asked.line.trim() === '' ? (
          <p className="text-meta text-ink-3">{t('command-filters:try.empty')}</p>
        ) : answer.error ? (
          <Note tone="warn">
            {answer.error instanceof ValidationError
              ? t('command-filters:try.invalid')
              : explain(answer.error)}
          </Note>
        ) : (
          <ol className="grid gap-2.5">
            {numbered(answer.data?.lines ?? []).map(({ key, item }) => (
              <LineView key={key} judged={item} draftId={draft?.id} />
            ))}
          </ol>
        )}
        {answer.data?.complete === false && (
          <p className="mt-2 text-meta text-warn">{t('command-filters:try.too_many')}</p>
        )}
      </div>
    </Card>
  );
}
