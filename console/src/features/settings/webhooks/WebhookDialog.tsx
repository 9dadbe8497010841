import { type FormEvent, useId, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { Note } from '#/ui/note';
import { type Offered, saveWebhook, testWebhook, type Webhook, type WebhookValues } from './api';
import { type FieldErrors, WebhookFields } from './WebhookFields';

interface Result {
  readonly isOk: boolean;
  readonly text: string;
}

const EMPTY: WebhookValues = {
  name: '',
  address: '',
  message_types: [],
  audit_categories: [],
  is_active: true,
};

/** The reasons at the fields that this form shows; null when the failure belongs to none of them. */
function fieldErrors(error: unknown): FieldErrors | null {
  if (!(error instanceof ValidationError)) return null;
  const found = Object.entries(error.fields).filter(
    ([name, text]) => name in EMPTY && typeof text === 'string',
  );
  return found.length === 0 ? null : (Object.fromEntries(found) as FieldErrors);
}

function valuesOf(webhook: Webhook | null): WebhookValues {
  if (webhook === null) return EMPTY;
  const { name, address, message_types: messages, audit_categories: categories, is_active: active } = webhook;
  return { name, address, message_types: messages, audit_categories: categories, is_active: active };
}

/** Creates or changes a webhook, and tries its address before it is saved. */
export function WebhookDialog({
  webhook,
  offered,
  onClose,
  onSaved,
}: {
  /** Null: a new one. */
  readonly webhook: Webhook | null;
  readonly offered: Offered;
  readonly onClose: () => void;
  readonly onSaved: (saved: Webhook) => Promise<unknown>;
}) {
  const t = useT();
  const formId = useId();
  const [values, setValues] = useState(valuesOf(webhook));
  const [busy, setBusy] = useState<'' | 'save' | 'test'>('');
  const [result, setResult] = useState<Result | null>(null);
  const [errors, setErrors] = useState<FieldErrors>({});
  const attempt = async (kind: 'save' | 'test', run: () => Promise<void>) => {
    if (busy !== '') return;
    setBusy(kind);
    setResult(null);
    setErrors({});
    try {
      await run();
    } catch (error) {
      const marked = fieldErrors(error);
      if (marked) setErrors(marked);
      else setResult({ isOk: false, text: explain(error) });
    } finally {
      setBusy('');
    }
  };
  const test = () =>
    attempt('test', async () =>
      setResult({ isOk: true, text: await testWebhook(webhook?.id ?? null, values.address) }),
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void attempt('save', async () => {
      await onSaved(await saveWebhook(webhook?.id ?? null, values));
      onClose();
    });
  };
  return (
    <Dialog
      title={t(webhook === null ? 'settings:webhooks.add' : 'settings:webhooks.edit')}
      isOpen
      onClose={onClose}
      size="wizard"
      footer={
        <>
          <Button busy={busy === 'test'} onClick={() => void test()}>
            {t('settings:webhooks.test')}
          </Button>
          <Button onClick={onClose}>{t('ui:cancel')}</Button>
          <Button kind="primary" type="submit" form={formId} busy={busy === 'save'}>
            {t('resource:form.save')}
          </Button>
        </>
      }
    >
      <form id={formId} className="grid gap-3" noValidate onSubmit={submit}>
        {result && (
          <Note tone={result.isOk ? 'ok' : 'danger'} announce>
            {result.text}
          </Note>
        )}
        <WebhookFields
          values={values}
          offered={offered}
          errors={errors}
          onChange={(changes) => setValues((before) => ({ ...before, ...changes }))}
        />
      </form>
    </Dialog>
  );
}
