import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { useIsRootOrganization, useMay } from '#/lib/session';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { Field, TextInput } from '#/ui/field';
import { toast } from '#/ui/toast';
import { chooseDays, type Retention, retentionQuery } from './api';

/** The number in the field; null when it is empty, undefined when it is no number of days within the limits. */
export function daysIn(text: string, { shortest_days, longest_days }: Retention): number | null | undefined {
  if (text.trim() === '') return null;
  const days = Number(text);
  return Number.isInteger(days) && days >= shortest_days && days <= longest_days ? days : undefined;
}

/** Why the days cannot be changed; undefined when they can. */
function useWhyNot({ days, shortest_days, longest_days }: Retention): string | undefined {
  const t = useT();
  const isAdmin = useMay('admin');
  const isRoot = useIsRootOrganization();
  if (!isAdmin) return t('retention:needs_admin');
  if (isRoot) return t('retention:needs_organization');
  // A choice from before the limits were closed can be removed.
  return days === null && shortest_days === longest_days ? t('retention:closed') : undefined;
}

/** The days of the organization. `onTry` shows what they would delete, before they are saved. */
export function DaysForm({
  retention,
  onTry,
}: {
  readonly retention: Retention;
  readonly onTry: (days: number | null) => void;
}) {
  const t = useT();
  const client = useQueryClient();
  const [text, setText] = useState(retention.days === null ? '' : String(retention.days));
  const [problem, setProblem] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const limits = { shortest: retention.shortest_days, longest: retention.longest_days };
  const days = daysIn(text, retention);
  const checked = (proceed: (days: number | null) => void): void => {
    setProblem(days === undefined ? t('retention:beyond', limits) : undefined);
    if (days !== undefined) proceed(days);
  };
  const save = async (chosen: number | null): Promise<void> => {
    setBusy(true);
    try {
      client.setQueryData(retentionQuery.queryKey, await chooseDays(chosen));
      void client.invalidateQueries({ queryKey: [...retentionQuery.queryKey, 'preview'] });
      onTry(null);
      toast({ tone: 'ok', text: t('retention:saved') });
    } catch (error) {
      const marked = error instanceof ValidationError ? error.fields['days'] : undefined;
      setProblem(typeof marked === 'string' ? marked : explain(error));
    }
    setBusy(false);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    checked((chosen) => void save(chosen));
  };
  const whyNot = useWhyNot(retention);
  const help = t('retention:days_help', { ...limits, count: retention.default_days });
  return (
    <Card title={t('retention:days_title')}>
      <form className="grid gap-3" onSubmit={submit} noValidate>
        <Field label={t('retention:days')} help={whyNot ?? help} error={problem} layout="above">
          {(control) => (
            <TextInput
              {...control}
              inputMode="numeric"
              className="max-w-40"
              disabled={whyNot !== undefined}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <div className="flex flex-wrap gap-2">
          <Button
            disabledReason={whyNot}
            onClick={() => checked((chosen) => onTry(chosen ?? retention.default_days))}
          >
            {t('retention:try')}
          </Button>
          <Button kind="primary" type="submit" busy={busy} disabledReason={whyNot}>
            {t('retention:save')}
          </Button>
        </div>
      </form>
    </Card>
  );
}
