import { type FormEvent, useId, useState } from 'react';
import { everyGroup, everyUser } from '#/domain/remotes';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { RemoteSelect } from '#/resource/form/RemoteSelect';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { Field } from '#/ui/field';
import { Note } from '#/ui/note';
import { saveSubscription, type Subscription } from './messages-api';

/** Chooses the people and groups that get one kind of message. */
export function ReceiversDialog({
  subscription,
  onClose,
  onSaved,
}: {
  readonly subscription: Subscription;
  readonly onClose: () => void;
  readonly onSaved: () => Promise<unknown>;
}) {
  const t = useT();
  const formId = useId();
  const [users, setUsers] = useState(subscription.users);
  const [groups, setGroups] = useState(subscription.groups);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setFailure(null);
    try {
      await saveSubscription(subscription.message_type, { users, groups });
      await onSaved();
      onClose();
    } catch (error) {
      setFailure(explain(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t('settings:messages.receivers_of', { kind: subscription.message_type_label })}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('ui:cancel')}</Button>
          <Button kind="primary" type="submit" form={formId} busy={busy}>
            {t('resource:form.save')}
          </Button>
        </>
      }
    >
      <form id={formId} className="settings-receivers" noValidate onSubmit={(event) => void submit(event)}>
        {failure !== null && (
          <Note tone="danger" announce>
            {failure}
          </Note>
        )}
        <Field layout="above" label={t('settings:messages.people')}>
          {(control) => (
            <RemoteSelect
              control={control}
              label={t('settings:messages.people')}
              remote={everyUser}
              multiple
              value={users}
              onChange={setUsers}
            />
          )}
        </Field>
        <Field layout="above" label={t('settings:messages.of_groups')}>
          {(control) => (
            <RemoteSelect
              control={control}
              label={t('settings:messages.of_groups')}
              remote={everyGroup}
              multiple
              value={groups}
              onChange={setGroups}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
