import { CalendarClock, CheckCheck, IdCard, Users } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useT } from '#/lib/i18n';
import { isEndless, minuteStamp, parseTime } from '#/lib/time';
import { Button } from '#/ui/button';
import type { Icon } from '#/ui/icon';
import { chosenLeaves } from '#/domain/explain-access/actions';
import type { PermissionRow } from './kind';
import { accountsOf, type NamedObject, whoOf } from './named';
import { NameList } from './NamesCell';

/** Number of names shown; a button shows the others. */
const NAMES_SHOWN = 6;

function Step({
  icon: IconOf,
  title,
  children,
}: {
  readonly icon: Icon;
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <li className="min-w-0 border-line p-3.5 max-lg:not-last:border-b lg:not-last:border-r">
      <h2 className="mb-2 flex items-center gap-2 text-ink-2">
        <span className="grid size-[26px] flex-none place-items-center rounded-(--r-gate) bg-accent-soft-2 text-accent">
          <IconOf className="size-[14px]!" aria-hidden />
        </span>
        {title}
      </h2>
      {children}
    </li>
  );
}

function Names({ objects, none }: { readonly objects: readonly NamedObject[]; readonly none: string }) {
  const t = useT();
  const [all, setAll] = useState(false);
  if (objects.length === 0) return <p className="text-danger">{none}</p>;
  const hidden = all ? 0 : Math.max(0, objects.length - NAMES_SHOWN);
  return (
    <>
      <NameList objects={hidden > 0 ? objects.slice(0, NAMES_SHOWN) : objects} />
      {hidden > 0 && (
        <Button kind="link" onClick={() => setAll(true)}>
          {t('perms:sentence.more', { count: hidden })}
        </Button>
      )}
    </>
  );
}

function Allowed({ names }: { readonly names: readonly string[] }) {
  const t = useT();
  return (
    <ul>
      {[...chosenLeaves(names)].map((name) => (
        <li key={name} className="flex min-h-7 items-center">
          {t(`perms:actions.${name}`)}
        </li>
      ))}
    </ul>
  );
}

function Times({ row }: { readonly row: PermissionRow }) {
  const t = useT();
  const start = parseTime(row.date_start);
  const end = parseTime(row.date_expired);
  return (
    <>
      <p className="flex min-h-7 items-center tabular-nums">
        {end === null || isEndless(end) ? t('resource:no_end') : minuteStamp(end)}
      </p>
      {start && (
        <p className="text-meta text-ink-3 tabular-nums">
          {t('perms:sentence.since', { time: minuteStamp(start) })}
        </p>
      )}
    </>
  );
}

/** A permission as one sentence: who reaches what, as whom, with which actions, until when. */
export function Sentence({
  row,
  what,
  icon,
  nothing,
  actions,
}: {
  readonly row: PermissionRow;
  readonly what: readonly NamedObject[];
  /** Icon of what the permission grants. */
  readonly icon: Icon;
  /** Key of a text, said when the permission grants nothing. */
  readonly nothing: string;
  /** Absent where a permission always grants all actions. */
  readonly actions: readonly string[] | undefined;
}) {
  const t = useT();
  const columns = actions ? 'lg:grid-cols-[3fr_3fr_3fr_2fr_2fr]' : 'lg:grid-cols-[3fr_3fr_3fr_2fr]';
  return (
    <section className="pt-card" aria-label={t('perms:sentence.title')}>
      <ol className={`grid grid-cols-1 ${columns}`}>
        <Step icon={Users} title={t('perms:column.who')}>
          <Names objects={whoOf(row)} none={t('perms:state.nobody')} />
        </Step>
        <Step icon={icon} title={t('perms:column.what')}>
          <Names objects={what} none={t(nothing)} />
        </Step>
        <Step icon={IdCard} title={t('perms:column.as_whom')}>
          <Names objects={accountsOf(row)} none={t('perms:sentence.no_account')} />
        </Step>
        {actions && (
          <Step icon={CheckCheck} title={t('perms:form.actions')}>
            <Allowed names={actions} />
          </Step>
        )}
        <Step icon={CalendarClock} title={t('perms:column.until')}>
          <Times row={row} />
        </Step>
      </ol>
    </section>
  );
}
