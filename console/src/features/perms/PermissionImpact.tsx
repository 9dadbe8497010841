import { useState } from 'react';
import { ImpactCard } from '#/domain/access-preview/effects';
import type { AccessChange } from '#/domain/access-preview/preview';
import { typedInstant, useSettled } from '#/domain/access-preview/settled';
import { useT } from '#/lib/i18n';
import type { FormValues } from '#/resource/define';

/** A start that is further ahead than this, in ms, is in the future. */
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

/** What the form decides about access, as the API takes it. Dates that are not typed to their end are left out. */
function valuesOf({ form }: Previewed, values: FormValues, isNew: boolean): Record<string, unknown> {
  const sent: Record<string, unknown> = {
    is_active: values['is_active'] !== false,
    ...form.terms(values, isNew ? 'create' : 'update'),
  };
  for (const name of [...PEOPLE, ...form.lists, 'system_users']) sent[name] = idList(values[name]);
  for (const name of ['date_start', 'date_expired']) {
    const date = typedInstant(values[name]);
    if (date) sent[name] = date.toISOString();
  }
  return sent;
}

function isComplete({ form }: Previewed, sent: Readonly<Record<string, unknown>>, isNew: boolean): boolean {
  const has = (name: string) => idList(sent[name]).length > 0;
  return has('system_users') && (!isNew || (PEOPLE.some(has) && form.lists.some(has)));
}

/** Effect of the permission before it is saved: who gains and loses which access, compared with what is stored. */
export function PermissionImpact({
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
  const sent = useSettled(valuesOf(kind, values, id === undefined));
  const start = typeof sent['date_start'] === 'string' ? sent['date_start'] : undefined;
  const isLater = start !== undefined && Date.parse(start) > opened + SOON_MS;
  const change: AccessChange =
    id === undefined
      ? { object: kind.object, action: 'create', values: sent }
      : { object: kind.object, action: 'update', id, values: sent };
  return (
    <ImpactCard
      change={change}
      at={isLater ? start : undefined}
      missing={isComplete(kind, sent, id === undefined) ? undefined : t(kind.form.incomplete)}
    >
      {isLater && <p className="mt-2 text-meta text-ink-3">{t('perms:preview.later')}</p>}
    </ImpactCard>
  );
}
