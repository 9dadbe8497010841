import { lazy, Suspense, useState } from 'react';
import { loadNamespaces, useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { safeNext } from '#/lib/safe-next';
import { usePageTitle } from '#/ui/page-title';
import { SkeletonLines } from '#/ui/skeleton';
import { type SecondFactorWanted, type SignedIn, type SignInAnswer, type Visit, visitKind } from './api';
import { FirstStep } from './FirstStep';
import { SignInFrame } from './SignInFrame';

// Loaded on demand: only people with a second factor need these steps.
const SecondStep = lazy(async () => {
  const [part] = await Promise.all([import('./SecondStep'), loadNamespaces(['mfa', 'passkeys'])]);
  return { default: part.SecondStep };
});
const EnrolStep = lazy(async () => {
  const [part] = await Promise.all([import('./EnrolStep'), loadNamespaces(['mfa', 'passkeys', 'ui'])]);
  return { default: part.EnrolStep };
});

const ComeBack = lazy(async () => ({ default: (await import('./ComeBack')).ComeBack }));
const ArriveByLink = lazy(async () => {
  const [part] = await Promise.all([import('./sso-link/ArriveByLink'), loadNamespaces(['sso-link'])]);
  return { default: part.ArriveByLink };
});

function nextFromAddress(): string | null {
  return safeNext(new URLSearchParams(location.search).get('next'));
}

/** The visit to a provider from which the browser came back. It is used once, so a reload must not find it. */
function visitFromAddress(): Visit | null {
  const address = new URL(location.href);
  const id = address.searchParams.get('external');
  if (id === null) return null;
  const by = visitKind(address.searchParams.get('by'));
  for (const name of ['external', 'by']) address.searchParams.delete(name);
  history.replaceState(history.state, '', address);
  return { id, by };
}

/** The key of an SSO link, which leads here with the key behind `#`. It is taken out of the address at once. */
function keyFromAddress(): string | null {
  const address = new URL(location.href);
  if (!address.searchParams.has('sso')) return null;
  const key = address.hash.slice(1);
  address.searchParams.delete('sso');
  address.hash = '';
  history.replaceState(history.state, '', address);
  return key;
}

/** A full page load, so that the guard runs with the new session. */
function enter(answer: SignedIn): void {
  const next = nextFromAddress() ?? safeNext(answer.next) ?? '/ui/';
  location.assign(
    answer.must_change_password ? `/ui${paths.changePassword}?next=${encodeURIComponent(next)}` : next,
  );
}

/** Asks for name and password, then for the second factor that the account requires. */
export function SignInPage() {
  const t = useT();
  usePageTitle(t('signin:title'));
  const [visit, setVisit] = useState(visitFromAddress);
  const [key, setKey] = useState(keyFromAddress);
  const [wanted, setWanted] = useState<SecondFactorWanted | null>(null);
  const [reason, setReason] = useState<string | null>(null);
  const restart = (why: string | null) => {
    setReason(why);
    setWanted(null);
    setVisit(null);
    setKey(null);
  };
  const takeAnswer = (answer: SignInAnswer) => {
    if ('error' in answer) setWanted(answer);
    else enter(answer);
  };
  return (
    <SignInFrame>
      {wanted === null && visit === null && key === null && (
        <FirstStep reason={reason} next={nextFromAddress()} onAnswer={takeAnswer} />
      )}
      {wanted === null && key !== null && (
        <Suspense fallback={<SkeletonLines lines={6} />}>
          <ArriveByLink linkKey={key} onAnswer={takeAnswer} onRefused={restart} />
        </Suspense>
      )}
      {wanted === null && visit !== null && (
        <Suspense fallback={<SkeletonLines lines={6} />}>
          <ComeBack visit={visit} onAnswer={takeAnswer} onRefused={restart} />
        </Suspense>
      )}
      {wanted !== null && (
        <Suspense fallback={<SkeletonLines lines={6} />}>
          {wanted.error === 'mfa_unset' ? (
            <EnrolStep onSignedIn={enter} onRestart={restart} />
          ) : (
            <SecondStep wanted={wanted} onSignedIn={enter} onRestart={restart} />
          )}
        </Suspense>
      )}
    </SignInFrame>
  );
}
