import { ScanSearch } from 'lucide-react';
import { useEffect, useState } from 'react';
import { AccessPreview } from '#/domain/access-preview/effects';
import type { AccessChange } from '#/domain/access-preview/preview';
import { useT } from '#/lib/i18n';
import type { FormValues } from '#/resource/define';
import { Card } from '#/ui/card';
import { instantOf, readTyped, written } from '#/ui/dates/typed';

/** Debounce, in ms: the effect is worked out this long after the last change. */
const SETTLE_MS = 300;
/** A start that is further ahead than this, in ms, is one to wait for. */
const SOON_MS = 60_000;
const PEOPLE = ['users', 'user_groups'] as const;

/** What a preview has to know about the kind of permission. */
interface Previewed {
  readonly object: AccessChange['object'];
  readonly form: {
    readonly lists: readonly string[];
    readonly terms: (values: FormValues, mode: 'create' | 'update') => Readonly<Record<string, unknown>>;
    readonly incomplete: string;
  };
}

function idList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

function instant(value: unknown): Date | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const typed = readTyped(written(value));
  return 'value' in typed ? instantOf(typed.value) : undefined;
}

/** What the form decides about access, as the API takes it. Dates that are not typed to their end are left out. */
function valuesOf({ form }: Previewed, values: FormValues, isNew: boolean): Record<string, unknown> {
  const sent: Record<string, unknown> = {
    is_active: values['is_active'] !== false,
    ...form.terms(values, isNew ? 'create' : 'update'),
  };
  for (const name of [...PEOPLE, ...form.lists, 'system_users']) sent[name] = idList(values[name]);
  for (const name of ['date_start', 'date_expired']) {
    const date = instant(values[name]);
    if (date) sent[name] = date.toISOString();
  }
  return sent;
}

function isComplete({ form }: Previewed, sent: Readonly<Record<string, unknown>>, isNew: boolean): boolean {
  const has = (name: string) => idList(sent[name]).length > 0;
  return has('system_users') && (!isNew || (PEOPLE.some(has) && form.lists.some(has)));
}

/** Effect of the permission before it is saved: who gains and loses which access, compared with what is stored. */
export function PreviewCard({
  kind,
  values,
  id,
}: {
  readonly kind: Previewed;
  readonly values: FormValues;
  readonly id: string | undefined;
}) {
  const t = useT();
  const [opened] = useState(() => Date.now());
  const settled = useSettled(JSON.stringify(valuesOf(kind, values, id === undefined)));
  const sent = JSON.parse(settled) as Record<string, unknown>;
  const start = typeof sent['date_start'] === 'string' ? sent['date_start'] : undefined;
  const isLater = start !== undefined && Date.parse(start) > opened + SOON_MS;
  const change: AccessChange =
    id === undefined
      ? { object: kind.object, action: 'create', values: sent }
      : { object: kind.object, action: 'update', id, values: sent };
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          <ScanSearch className="text-accent" aria-hidden />
          {t('perms:preview.title')}
        </span>
      }
      aside={t('perms:preview.when')}
    >
      {isComplete(kind, sent, id === undefined) ? (
        <AccessPreview changes={[change]} at={isLater ? start : undefined} />
      ) : (
        <p className="text-ink-2">{t(kind.form.incomplete)}</p>
      )}
      {isLater && <p className="mt-2 text-meta text-ink-3">{t('perms:preview.later')}</p>}
    </Card>
  );
}
