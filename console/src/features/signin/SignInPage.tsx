import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { loadNamespaces, useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { safeNext } from '#/lib/safe-next';
import { Button } from '#/ui/button';
import { Field, PasswordInput, TextInput } from '#/ui/field';
import { Note } from '#/ui/note';
import { usePageTitle } from '#/ui/page-title';
import { SkeletonLines } from '#/ui/skeleton';
import {
  refusal,
  type SecondFactorWanted,
  type SignedIn,
  signIn,
  type SignInAnswer,
  type SignInSettings,
  signInSettings,
  type Visit,
} from './api';
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

const PasskeySignIn = lazy(async () => {
  const [part] = await Promise.all([import('./PasskeySignIn'), loadNamespaces(['passkeys'])]);
  return { default: part.PasskeySignIn };
});

const ComeBack = lazy(async () => ({ default: (await import('./ComeBack')).ComeBack }));
const ProviderLinks = lazy(async () => {
  const [part] = await Promise.all([import('./ProviderLinks'), loadNamespaces(['external'])]);
  return { default: part.ProviderLinks };
});

function nextFromAddress(): string | null {
  return safeNext(new URLSearchParams(location.search).get('next'));
}

/** The visit to a provider from which the browser came back. It is used once, so a reload must not find it. */
function visitFromAddress(): Visit | null {
  const address = new URL(location.href);
  const id = address.searchParams.get('external');
  if (id === null) return null;
  const by = address.searchParams.get('by') === 'openid' ? 'openid' : 'external';
  for (const name of ['external', 'by']) address.searchParams.delete(name);
  history.replaceState(history.state, '', address);
  return { id, by };
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
  const [wanted, setWanted] = useState<SecondFactorWanted | null>(null);
  const [reason, setReason] = useState<string | null>(null);
  const restart = (why: string | null) => {
    setReason(why);
    setWanted(null);
    setVisit(null);
  };
  const takeAnswer = (answer: SignInAnswer) => {
    if ('error' in answer) setWanted(answer);
    else enter(answer);
  };
  return (
    <SignInFrame>
      {wanted === null && visit === null && <PasswordStep reason={reason} onWanted={setWanted} />}
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

/** Other ways in, and the company's own page for forgotten passwords, as the settings name them. */
function OtherWays() {
  const t = useT();
  const [found, setFound] = useState<SignInSettings | null>(null);
  useEffect(() => {
    let isCurrent = true;
    signInSettings().then(
      (settings) => isCurrent && setFound(settings),
      () => undefined, // signing in must not depend on it
    );
    return () => {
      isCurrent = false;
    };
  }, []);
  return (
    <>
      {found !== null && found.providers.length + found.openid.length > 0 && (
        <Suspense>
          <ProviderLinks providers={found.providers} openid={found.openid} next={nextFromAddress()} />
        </Suspense>
      )}
      {found !== null && found.forgot !== null && (
        <p className="mt-4">
          <a href={found.forgot} className="pt-link">
            {t('signin:forgot')}
          </a>
        </p>
      )}
    </>
  );
}

function PasswordStep({
  reason,
  onWanted,
}: {
  /** Why the person is back on this step. */
  readonly reason: string | null;
  readonly onWanted: (wanted: SecondFactorWanted) => void;
}) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(reason);
  const [missing, setMissing] = useState<{ username?: string; password?: string }>({});
  const username = useRef<HTMLInputElement>(null);
  const password = useRef<HTMLInputElement>(null);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    const name = username.current?.value.trim() ?? '';
    const secret = password.current?.value ?? '';
    const required = t('signin:required');
    setMissing({ ...(name ? {} : { username: required }), ...(secret ? {} : { password: required }) });
    if (!name || !secret) {
      (name ? password : username).current?.focus();
      return;
    }
    setBusy(true);
    setFailure(null);
    try {
      const answer = await signIn(name, secret);
      if ('error' in answer) onWanted(answer);
      else enter(answer);
    } catch (error) {
      setFailure(refusal(error).text);
      setBusy(false);
      if (password.current) {
        password.current.value = '';
        password.current.focus();
      }
    }
  };

  return (
    <>
      <h1 className="text-figure">{t('signin:title')}</h1>
      <p className="mt-1 text-ink-2">{t('signin:hint')}</p>
      <form className="mt-6 grid gap-4" onSubmit={submit} noValidate aria-busy={busy}>
        {failure !== null && (
          <Note tone="danger" announce>
            {failure}
          </Note>
        )}
        <Field layout="above" label={t('signin:username')} error={missing.username}>
          {(control) => (
            <TextInput
              {...control}
              ref={username}
              name="username"
              autoComplete="username"
              autoCapitalize="none"
              className="pt-field-lg"
              // The page has one purpose, so its first field takes the focus.
              autoFocus
            />
          )}
        </Field>
        <Field layout="above" label={t('signin:password')} error={missing.password}>
          {(control) => (
            <PasswordInput
              {...control}
              ref={password}
              name="password"
              autoComplete="current-password"
              className="pt-field-lg"
            />
          )}
        </Field>
        <Button kind="primary" size="lg" type="submit" busy={busy}>
          {t(busy ? 'signin:signing_in' : 'signin:title')}
        </Button>
      </form>
      <Suspense>
        <PasskeySignIn onSignedIn={enter} />
      </Suspense>
      <OtherWays />
    </>
  );
}
