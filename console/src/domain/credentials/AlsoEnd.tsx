import { useEffect, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { Choices } from '#/ui/choices';
import { Field } from '#/ui/field';
import type { QuestionOption } from '#/ui/question';
import { SkeletonLines } from '#/ui/skeleton';
import { credentialsToEnd } from './held-credentials';

/**
 * Beside a new password: a choice of keys to revoke together with the old password. Nothing is preselected.
 *
 * Does not use a query, because the change-password page is outside of the query client.
 */
export function AlsoEnd({
  path,
  isOwn,
  chosen,
  onChange,
  layout = 'beside',
}: {
  /** Loads the credentials that the person has. */
  readonly path: string;
  readonly isOwn: boolean;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly layout?: 'beside' | 'above';
}) {
  const t = useT();
  return (
    <Field label={t('credentials:also_end')} help={t('credentials:also_end_help')} layout={layout} group>
      {() => <HeldChoices path={path} isOwn={isOwn} chosen={chosen} onChange={onChange} />}
    </Field>
  );
}

/** The checkboxes alone, for a field that already has a label. */
export function HeldChoices({
  path,
  isOwn,
  chosen,
  onChange,
}: {
  readonly path: string;
  readonly isOwn: boolean;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}) {
  const t = useT();
  const [held, setHeld] = useState<readonly QuestionOption[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let isGone = false;
    credentialsToEnd(path).then(
      (loaded) => !isGone && setHeld(loaded),
      (error: unknown) => !isGone && setFailure(explain(error)),
    );
    return () => {
      isGone = true;
    };
  }, [path]);
  if (failure !== null) return <span role="alert">{failure}</span>;
  if (held === null) return <SkeletonLines lines={1} />;
  if (held.length === 0)
    return (
      <span className="text-ink-3">
        {t(isOwn ? 'credentials:nothing_own' : 'credentials:nothing_theirs')}
      </span>
    );
  return <Choices options={held} chosen={chosen} onChange={onChange} />;
}
