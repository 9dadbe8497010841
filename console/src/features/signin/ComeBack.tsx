import { useEffect, useRef } from 'react';
import { useT } from '#/lib/i18n';
import { SkeletonLines } from '#/ui/skeleton';
import { refusal, signInAfterVisit, type SignInAnswer, type Visit } from './api';

/** Back from a provider: uses the visit that the address names. */
export function ComeBack({
  visit,
  onAnswer,
  onRefused,
}: {
  readonly visit: Visit;
  readonly onAnswer: (answer: SignInAnswer) => void;
  readonly onRefused: (why: string) => void;
}) {
  const t = useT();
  const isSent = useRef(false);
  useEffect(() => {
    // A visit can be used once, and React may run effects twice.
    if (isSent.current) return;
    isSent.current = true;
    signInAfterVisit(visit).then(onAnswer, (error: unknown) => onRefused(refusal(error).text));
  });
  return (
    <div role="status" aria-label={t('signin:signing_in')}>
      <h1 className="mb-4 text-figure">{t('signin:signing_in')}</h1>
      <SkeletonLines lines={4} />
    </div>
  );
}
