import { useEffect, useState } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Note } from '#/ui/note';
import { type FactorChoice, type SecondFactorWanted, type SignedIn, signInSettings } from './api';
import { CodeForm } from './CodeForm';
import { PasskeyForm } from './PasskeyForm';

/** Reasons why another try cannot help: the sign-in itself has ended. */
const LAPSED = 'session_empty';
const WHY: Readonly<Record<FactorChoice, string>> = {
  passkey: 'passkeys:why',
  code: 'mfa:sign_in.why',
  recovery: 'mfa:sign_in.why_recovery',
};
const USE: Readonly<Record<FactorChoice, string>> = {
  passkey: 'passkeys:use',
  code: 'mfa:sign_in.use_code',
  recovery: 'mfa:sign_in.use_recovery',
};

/** Days for which the settings allow to trust a browser; 0 until they are known. */
function useTrustDays(): number {
  const [days, setDays] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    signInSettings().then(
      (settings) => isCurrent && setDays(settings.trustDays),
      () => undefined, // signing in must not depend on it
    );
    return () => {
      isCurrent = false;
    };
  }, []);
  return days;
}

/** Second step of signing in: a passkey, a code of the authenticator app, or a recovery code. */
export function SecondStep({
  wanted,
  onSignedIn,
  onRestart,
}: {
  /** Its choices are what the account has, the easiest first. Without any, `msg` says what to do. */
  readonly wanted: SecondFactorWanted;
  readonly onSignedIn: (answer: SignedIn) => void;
  /** Returns to name and password, with the reason when the server requires it. */
  readonly onRestart: (reason: string | null) => void;
}) {
  const t = useT();
  const { choices } = wanted.data;
  const [chosen, setChosen] = useState<FactorChoice>(choices[0] ?? 'code');
  const [problem, setProblem] = useState<string | null>(null);
  const days = useTrustDays();
  const onProblem = (text: string | null, slug: string | null) => {
    if (slug === LAPSED) onRestart(text);
    else setProblem(text);
  };
  const form = { days, onSignedIn, onProblem };
  // i18n: passkeys:use
  // i18n: passkeys:why
  // i18n: mfa:sign_in.*
  return (
    <>
      <h1 className="text-figure">{t('mfa:sign_in.title')}</h1>
      <p className="mt-1 text-ink-2">{choices.length === 0 ? wanted.msg : t(WHY[chosen])}</p>
      <div className="mt-6 grid gap-4">
        {problem !== null && (
          <Note tone="danger" announce>
            {problem}
          </Note>
        )}
        {choices.length > 0 &&
          (chosen === 'passkey' ? (
            <PasskeyForm {...form} />
          ) : (
            <CodeForm key={chosen} kind={chosen} {...form} />
          ))}
        <div className="flex flex-wrap justify-between gap-2">
          {choices
            .filter((factor) => factor !== chosen)
            .map((factor) => (
              <Button
                key={factor}
                kind="text"
                onClick={() => {
                  setProblem(null);
                  setChosen(factor);
                }}
              >
                {t(USE[factor])}
              </Button>
            ))}
          <Button kind="text" onClick={() => onRestart(null)}>
            {t('mfa:sign_in.restart')}
          </Button>
        </div>
      </div>
    </>
  );
}
