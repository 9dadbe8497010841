import { History } from 'lucide-react';
import { useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { friendlyTime, parseTime } from '#/lib/time';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { AppLink } from '#/ui/link';
import { Note } from '#/ui/note';
import { VisibleText } from '#/ui/visible-text';
import { type Draft, lookBack, NO_PAST, type Past, type PastCommand } from './trial';
import { VerdictMark } from './VerdictMark';

/** Pages of one press of the button: each takes the server about a second. */
const PAGES = 10;

function Figure({ value, label }: { readonly value: number; readonly label: string }) {
  return (
    <div className="min-w-0 border-r border-line px-3.5 py-2.5 last:border-r-0">
      <p className="text-figure font-semibold tabular-nums">{value.toLocaleString()}</p>
      <p className="text-meta text-ink-2">{label}</p>
    </div>
  );
}

function Example({ command }: { readonly command: PastCommand }) {
  const at = parseTime(command.at);
  return (
    <li className="grid gap-0.5 border-t border-line px-3.5 py-2">
      <span className="flex items-center justify-between gap-3">
        <code className="line-clamp-2 min-w-0 font-mono text-meta [overflow-wrap:anywhere]">
          <VisibleText text={command.input} />
        </code>
        <span className="text-meta">
          <VerdictMark verdict={command.action} />
        </span>
      </span>
      <span className="text-meta text-ink-3">
        <AppLink to={paths.session(command.session)}>
          {command.user} · {command.asset}
        </AppLink>
        {at && ` · ${friendlyTime(at)}`}
      </span>
    </li>
  );
}

function PastAnswer({ past }: { readonly past: Past }) {
  const t = useT();
  return (
    <>
      <div className="grid grid-cols-3 border-y border-line">
        <Figure value={past.denied} label={t('command-filters:past.denied')} />
        <Figure value={past.confirmed} label={t('command-filters:past.confirmed')} />
        <Figure value={past.users.size} label={t('command-filters:past.people')} />
      </div>
      <p className="px-3.5 py-2 text-meta text-ink-2" role="status">
        {t('command-filters:past.judged', { count: past.judged })}{' '}
        {t(past.next === '' ? 'command-filters:past.all' : 'command-filters:past.part')}
      </p>
      {past.examples.length > 0 && (
        <ul className="max-h-96 overflow-y-auto" aria-label={t('command-filters:past.examples')}>
          {past.examples.map((command) => (
            <Example key={command.id} command={command} />
          ))}
        </ul>
      )}
    </>
  );
}

/** What the rules would have done with the commands of the last 30 days. The audit log records who looks. */
export function PastCommands({ filterId, draft }: { readonly filterId: string; readonly draft?: Draft }) {
  const t = useT();
  const wanted = JSON.stringify(draft ?? null);
  const [past, setPast] = useState<{ readonly of: string; readonly answer: Past }>();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const current = past?.of === wanted ? past.answer : undefined;
  const look = async () => {
    setBusy(true);
    setProblem(undefined);
    let answer = current ?? NO_PAST;
    try {
      for (let page = 0; page < PAGES; page += 1) {
        // oxlint-disable-next-line no-await-in-loop -- each page begins where the previous page ended
        answer = await lookBack(filterId, draft, answer);
        setPast({ of: wanted, answer });
        if (answer.next === '') break;
      }
    } catch (error) {
      setProblem(explain(error));
    }
    setBusy(false);
  };
  const isDone = current !== undefined && current.next === '' && problem === undefined;
  return (
    <Card
      flush
      title={
        <span className="flex items-center gap-2">
          <History className="text-accent" aria-hidden />
          {t('command-filters:past.title')}
        </span>
      }
    >
      <div className="grid gap-2.5 p-3.5">
        <p className="text-meta text-ink-2">{t('command-filters:past.what')}</p>
        {past && !current && <Note tone="info">{t('command-filters:past.changed')}</Note>}
        {problem !== undefined && (
          <Note tone="warn" announce>
            {problem}
          </Note>
        )}
        {!isDone && (
          <p>
            <Button busy={busy} onClick={() => void look()}>
              {t(current ? 'command-filters:past.more' : 'command-filters:past.start')}
            </Button>
          </p>
        )}
      </div>
      {current && <PastAnswer past={current} />}
      <div className="grid gap-1 border-t border-line px-3.5 py-2 text-meta text-ink-3">
        <p>{t('command-filters:past.limits')}</p>
        <p>
          <AppLink to={paths.guidePage('command-filters')}>{t('command-filters:past.guide')}</AppLink>
        </p>
      </div>
    </Card>
  );
}
