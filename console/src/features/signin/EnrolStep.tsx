import { useEffect, useState } from 'react';
import { useT } from '#/lib/i18n';
import { beginEnrolment, confirmEnrolment, type Enrolment, type RecoveryCodesAnswer } from '#/domain/mfa/api';
import { EnrolForm } from '#/domain/mfa/EnrolForm';
import { RecoveryCodes } from '#/domain/mfa/RecoveryCodes';
import { canUsePasskeys, makePasskey } from '#/domain/passkeys/ceremonies';
import { PasskeyNameForm } from '#/domain/passkeys/PasskeyNameForm';
import { Button } from '#/ui/button';
import { Note } from '#/ui/note';
import { SkeletonLines } from '#/ui/skeleton';
import { refusal, type SignedIn } from './api';

type Confirmed = RecoveryCodesAnswer & SignedIn;

/**
 * Sets up an authenticator app or a passkey during a sign-in that requires one, shows the recovery codes, then completes
 * the sign-in.
 */
export function EnrolStep({
  onSignedIn,
  onRestart,
}: {
  readonly onSignedIn: (answer: SignedIn) => void;
  readonly onRestart: (reason: string | null) => void;
}) {
  const t = useT();
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null);
  const [confirmed, setConfirmed] = useState<Confirmed | null>(null);
  const [byPasskey, setByPasskey] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);

  useEffect(() => {
    let isGone = false;
    beginEnrolment().then(
      (started) => {
        if (!isGone) setEnrolment(started);
      },
      (error: unknown) => {
        if (!isGone) setFailure(refusal(error).text);
      },
    );
    return () => {
      isGone = true;
    };
  }, []);

  return (
    <>
      <h1 className="text-figure">{t(confirmed ? 'mfa:recovery.title' : 'mfa:sign_in.enrol_title')}</h1>
      {!confirmed && <p className="mt-1 text-ink-2">{t('mfa:sign_in.enrol_why')}</p>}
      <div className="mt-6 grid gap-4">
        {failure !== null && (
          <Note tone="danger" announce>
            {failure}
          </Note>
        )}
        {confirmed && (
          <RecoveryCodes
            codes={confirmed.recovery_codes}
            doneLabel={t('mfa:sign_in.go_on')}
            onKept={() => onSignedIn(confirmed)}
          />
        )}
        {!confirmed && byPasskey && (
          <PasskeyNameForm
            name={t('passkeys:first_name')}
            submitLabel={t('passkeys:create')}
            size="lg"
            save={async (name) => setConfirmed(await makePasskey<Confirmed>(name))}
            textOf={(error) => refusal(error).text}
          />
        )}
        {!confirmed && !byPasskey && enrolment && (
          <EnrolForm
            size="lg"
            enrolment={enrolment}
            confirm={async (code) => setConfirmed(await confirmEnrolment<Confirmed>(code))}
          />
        )}
        {!confirmed && !enrolment && failure === null && <SkeletonLines lines={6} />}
        {!confirmed && canUsePasskeys() && (
          <Button kind="text" onClick={() => setByPasskey(!byPasskey)}>
            {t(byPasskey ? 'passkeys:instead_app' : 'passkeys:instead')}
          </Button>
        )}
        {!confirmed && (
          <Button kind="text" onClick={() => onRestart(null)}>
            {t('mfa:sign_in.restart')}
          </Button>
        )}
      </div>
    </>
  );
}
