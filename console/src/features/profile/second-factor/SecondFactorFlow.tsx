import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import {
  beginEnrolment,
  cleanCode,
  confirmEnrolment,
  disableSecondFactor,
  type Enrolment,
  hasCodeLength,
  renewRecoveryCodes,
  verifyPassword,
} from '#/domain/mfa/api';
import { withFactorShown } from '#/domain/mfa';
import { type Confirming, isOfDirectory, noticingExpiry } from '#/domain/mfa/confirming';
import { ConfirmAtProvider } from '#/domain/mfa/ConfirmAtProvider';
import { CodeInput } from '#/domain/mfa/CodeInput';
import { EnrolForm } from '#/domain/mfa/EnrolForm';
import { RecoveryCodes } from '#/domain/mfa/RecoveryCodes';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { Field, PasswordInput, TextInput } from '#/ui/field';
import { Note } from '#/ui/note';
import { toast } from '#/ui/toast';

export type Flow = 'enable' | 'update' | 'renew' | 'disable';

/** The proof that the person must give first. */
const ASKS: Readonly<Record<Flow, { readonly password: boolean; readonly code: boolean }>> = {
  enable: { password: true, code: false },
  update: { password: true, code: true },
  renew: { password: false, code: true },
  disable: { password: false, code: true },
};
const WHY: Partial<Record<Flow, string>> = { renew: 'mfa:flow.renew_why', disable: 'mfa:flow.disable_why' };
const DONE: Readonly<Record<Flow, string>> = {
  enable: 'mfa:flow.enabled',
  update: 'mfa:flow.updated',
  renew: 'mfa:flow.renewed',
  disable: 'mfa:flow.disabled',
};

interface Shown {
  readonly password: string;
  readonly code: string;
}

/** One change of the second factor, from the first question to the end, in one dialog. */
export function SecondFactorFlow({
  flow,
  hasApp,
  confirming,
  onClose,
}: {
  readonly flow: Flow;
  /** Without an app there is no code to ask for: a passkey is shown instead. */
  readonly hasApp: boolean;
  readonly confirming: Confirming;
  /** `changed`: the second factor has changed. */
  readonly onClose: (changed: boolean) => void;
}) {
  const t = useT();
  const client = useQueryClient();
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);

  const finish = () => {
    toast({ tone: 'ok', text: t(DONE[flow]) });
    onClose(true);
  };
  const begin = async ({ password, code }: Shown) => {
    if (ASKS[flow].password && confirming.by === 'password') await verifyPassword(password);
    if (flow === 'disable') {
      const kind = hasCodeLength(code) ? 'code' : 'recovery';
      if ((await withFactorShown(() => disableSecondFactor(code, kind))) !== null) finish();
    } else if (flow === 'renew') {
      const renewed = await withFactorShown(() => renewRecoveryCodes(code));
      if (renewed !== null) setCodes(renewed.recovery_codes);
    } else {
      const begun = await withFactorShown(() => beginEnrolment(flow === 'update' ? code : undefined));
      if (begun !== null) setEnrolment(begun);
    }
  };

  // i18n: mfa:flow.*
  const title = t(codes ? 'mfa:recovery.title' : `mfa:flow.${flow}`);
  return (
    <Dialog isOpen size="text" title={title} onClose={() => (codes ? finish() : onClose(false))}>
      {codes && <RecoveryCodes codes={codes} doneLabel={t('mfa:flow.done')} onKept={finish} />}
      {!codes && enrolment && (
        <EnrolForm
          enrolment={enrolment}
          confirm={async (code) => setCodes((await confirmEnrolment(code)).recovery_codes)}
        />
      )}
      {!codes &&
        !enrolment &&
        (ASKS[flow].password && confirming.by === 'provider' && !confirming.isConfirmed ? (
          <ConfirmAtProvider provider={confirming.provider} dialog={`mfa-${flow}`} />
        ) : (
          <ProofForm
            flow={flow}
            hasApp={hasApp}
            confirming={confirming}
            submit={(shown) => noticingExpiry(client, () => begin(shown))}
            onCancel={() => onClose(false)}
          />
        ))}
    </Dialog>
  );
}

function ProofForm({
  flow,
  hasApp,
  confirming,
  submit,
  onCancel,
}: {
  readonly flow: Flow;
  readonly hasApp: boolean;
  readonly confirming: Confirming;
  readonly submit: (shown: Shown) => Promise<void>;
  readonly onCancel: () => void;
}) {
  const t = useT();
  const form = useId();
  const asks = {
    password: ASKS[flow].password && confirming.by === 'password',
    code: ASKS[flow].code && hasApp,
  };
  const takesRecovery = flow === 'disable';
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [missing, setMissing] = useState<{ readonly password?: string; readonly code?: string }>({});

  const run = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const data = new FormData(event.currentTarget);
    const password = String(data.get('password') ?? '');
    const code = cleanCode(String(data.get('code') ?? ''));
    const wrongCode = takesRecovery ? code === '' : !hasCodeLength(code);
    const problems = {
      ...(asks.password && password === '' ? { password: t('mfa:flow.required') } : {}),
      ...(asks.code && wrongCode ? { code: t('mfa:error') } : {}),
    };
    setMissing(problems);
    setFailure(null);
    const first = Object.keys(problems)[0];
    if (first !== undefined) {
      event.currentTarget.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus();
      return;
    }
    setBusy(true);
    try {
      await submit({ password, code });
    } catch (error) {
      setFailure(explain(error));
    } finally {
      setBusy(false);
    }
  };

  const passwordLabel = isOfDirectory(confirming) ? 'mfa:flow.directory_password' : 'mfa:flow.password';
  const codeLabel = takesRecovery ? 'mfa:flow.code_or_recovery' : 'mfa:flow.present_code';
  const why = WHY[flow] ?? (asks.password || asks.code ? undefined : 'mfa:confirm.done');
  return (
    <form id={form} className="grid gap-3" noValidate onSubmit={run} aria-busy={busy}>
      {why !== undefined && <p className="text-ink-2">{t(why)}</p>}
      {failure !== null && (
        <Note tone="danger" announce>
          {failure}
        </Note>
      )}
      {asks.password && (
        <Field layout="above" label={t(passwordLabel)} error={missing.password} required>
          {(control) => (
            <PasswordInput {...control} name="password" autoComplete="current-password" autoFocus />
          )}
        </Field>
      )}
      {asks.code && (
        <Field layout="above" label={t(codeLabel)} error={missing.code} required>
          {(control) =>
            takesRecovery ? (
              <TextInput
                {...control}
                name="code"
                autoComplete="one-time-code"
                autoCapitalize="none"
                autoFocus
                className="font-mono"
              />
            ) : (
              <CodeInput {...control} name="code" autoFocus={!asks.password} />
            )
          }
        </Field>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onCancel}>{t('ui:cancel')}</Button>
        <Button kind={flow === 'disable' ? 'danger-solid' : 'primary'} type="submit" busy={busy}>
          {t(flow === 'disable' ? 'mfa:card.disable' : 'mfa:flow.go_on')}
        </Button>
      </div>
    </form>
  );
}
