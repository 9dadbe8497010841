import { type FormEvent, useRef, useState } from 'react';
import { useT } from '#/lib/i18n';
import { cleanCode, type CodeKind, hasCodeLength } from '#/domain/mfa/api';
import { CodeInput } from '#/domain/mfa/CodeInput';
import { Button } from '#/ui/button';
import { Field, TextInput } from '#/ui/field';
import { Note } from '#/ui/note';
import { answerChallenge, refusal, type SignedIn } from './api';

/** Reasons why another code cannot help: the sign-in itself has ended. */
const LAPSED = 'session_empty';

/** Second step of signing in: a code of the authenticator app, or a recovery code. */
export function CodeStep({
  hasRecovery,
  onSignedIn,
  onRestart,
}: {
  readonly hasRecovery: boolean;
  readonly onSignedIn: (answer: SignedIn) => void;
  /** Returns to name and password, with the reason when the server requires it. */
  readonly onRestart: (reason: string | null) => void;
}) {
  const t = useT();
  const [kind, setKind] = useState<CodeKind>('code');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const recovery = kind === 'recovery';

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    const code = cleanCode(input.current?.value ?? '');
    if (recovery ? code === '' : !hasCodeLength(code)) {
      setProblem(t('mfa:error'));
      input.current?.focus();
      return;
    }
    setBusy(true);
    setProblem(null);
    try {
      onSignedIn(await answerChallenge(code, kind));
    } catch (error) {
      setBusy(false);
      const why = refusal(error);
      if (why.slug === LAPSED) {
        onRestart(why.text);
        return;
      }
      setProblem(why.text);
      if (input.current) {
        input.current.value = '';
        input.current.focus();
      }
    }
  };

  return (
    <>
      <h1 className="text-figure">{t('mfa:sign_in.title')}</h1>
      <p className="mt-1 text-ink-2">{t(recovery ? 'mfa:sign_in.why_recovery' : 'mfa:sign_in.why')}</p>
      <form className="mt-6 grid gap-4" onSubmit={submit} noValidate aria-busy={busy}>
        {problem !== null && (
          <Note tone="danger" announce>
            {problem}
          </Note>
        )}
        <Field key={kind} layout="above" label={t(recovery ? 'mfa:recovery.code' : 'mfa:code.label')}>
          {(control) =>
            recovery ? (
              <TextInput
                {...control}
                ref={input}
                name="code"
                autoCapitalize="none"
                autoFocus
                className="pt-field-lg font-mono"
              />
            ) : (
              <CodeInput {...control} ref={input} name="code" autoFocus className="pt-field-lg" />
            )
          }
        </Field>
        <Button kind="primary" size="lg" type="submit" busy={busy}>
          {t('mfa:sign_in.submit')}
        </Button>
        <div className="flex flex-wrap justify-between gap-2">
          {hasRecovery && (
            <Button
              kind="text"
              onClick={() => {
                setProblem(null);
                setKind(recovery ? 'code' : 'recovery');
              }}
            >
              {t(recovery ? 'mfa:sign_in.use_code' : 'mfa:sign_in.use_recovery')}
            </Button>
          )}
          <Button kind="text" onClick={() => onRestart(null)}>
            {t('mfa:sign_in.restart')}
          </Button>
        </div>
      </form>
    </>
  );
}
