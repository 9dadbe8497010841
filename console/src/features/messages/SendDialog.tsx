import { type FormEvent, useId, useState } from 'react';
import { everyGroup, everyUser } from '#/domain/remotes';
import { explain } from '#/lib/http/catalogue';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import type { RemoteOptions } from '#/resource/define';
import { Button } from '#/ui/button';
import { Checkbox } from '#/ui/choice';
import { Dialog } from '#/ui/dialog';
import { Field, TextArea, TextInput } from '#/ui/field';
import { Note } from '#/ui/note';
import { toast } from '#/ui/toast';
import { RemoteSelect } from '#/resource/form/RemoteSelect';
import { sendMessage } from './api';

function useSending(onClose: () => void) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const send = async (message: Parameters<typeof sendMessage>[0]) => {
    setBusy(true);
    setFailure(null);
    try {
      await sendMessage(message);
      toast({ tone: 'ok', text: t('messages:send.done') });
      onClose();
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  const fields = failure instanceof ValidationError ? failure.fields : {};
  const wrong = (name: string) => {
    const text = fields[name];
    return typeof text === 'string' ? { error: text } : {};
  };
  return { busy, send, wrong, failure: failure === null || Object.keys(fields).length > 0 ? null : failure };
}

/** Writes a message to people, to user groups, or to everybody. */
export function SendDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useT();
  const formId = useId();
  const [users, setUsers] = useState<readonly string[]>([]);
  const [groups, setGroups] = useState<readonly string[]>([]);
  const [toAll, setToAll] = useState(false);
  const { busy, send, wrong, failure } = useSending(onClose);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const subject = String(data.get('subject') ?? '');
    const text = String(data.get('message') ?? '');
    if (!busy) void send({ users: toAll ? [] : users, groups: toAll ? [] : groups, toAll, subject, text });
  };
  const choice = (
    name: string,
    label: string,
    remote: RemoteOptions,
    value: readonly string[],
    set: typeof setUsers,
  ) => (
    <Field layout="above" label={label} {...wrong(name)}>
      {(control) => (
        <RemoteSelect control={control} label={label} remote={remote} multiple value={value} onChange={set} />
      )}
    </Field>
  );
  return (
    <Dialog
      title={t('messages:send.title')}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('ui:cancel')}</Button>
          <Button kind="primary" type="submit" form={formId} busy={busy}>
            {t('messages:send.do')}
          </Button>
        </>
      }
    >
      <form id={formId} className="grid gap-3" noValidate onSubmit={submit}>
        {failure !== null && (
          <Note tone="danger" announce>
            {explain(failure)}
          </Note>
        )}
        <Checkbox checked={toAll} onChange={(event) => setToAll(event.target.checked)}>
          {t('messages:send.everybody')}
        </Checkbox>
        {!toAll && choice('user_ids', t('messages:send.people'), everyUser, users, setUsers)}
        {!toAll && choice('group_ids', t('messages:send.groups'), everyGroup, groups, setGroups)}
        <Field layout="above" label={t('messages:send.subject')} required {...wrong('subject')}>
          {(control) => <TextInput {...control} name="subject" maxLength={256} />}
        </Field>
        <Field layout="above" label={t('messages:send.text')} required {...wrong('message')}>
          {(control) => <TextArea {...control} name="message" rows={7} maxLength={10_000} />}
        </Field>
      </form>
    </Dialog>
  );
}
