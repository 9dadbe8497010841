import { type FormEvent, useId, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { useSession } from '#/lib/session';
import type { RemoteOptions } from '#/resource/define';
import { RemoteSelect } from '#/resource/form/RemoteSelect';
import { userOptions } from '#/domain/remotes';
import { Button } from '#/ui/button';
import { CheckGroup } from '#/ui/choice';
import { Dialog } from '#/ui/dialog';
import { Field, TextArea } from '#/ui/field';
import { Note } from '#/ui/note';
import { toast } from '#/ui/toast';
import { OpenInvitations } from './OpenInvitations';

/** Choice among people of all organizations; the server returns a few at a time. */
const everybody: RemoteOptions = { ...userOptions, api: 'users/users/suggestion/', query: {} };

const ROLES = ['User', 'Auditor', 'Admin'] as const;

/** Parses user names or e-mail addresses: one per line, or separated by commas or spaces. */
function addressees(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,;，；]+/u).filter((name) => name !== ''))];
}

/** Super administrators (`adds`) choose people from a list; others type names or addresses. */
function PeopleField({
  adds,
  value,
  isMissing,
  onChange,
}: {
  readonly adds: boolean;
  readonly value: readonly string[];
  readonly isMissing: boolean;
  readonly onChange: (people: readonly string[]) => void;
}) {
  const t = useT();
  return (
    <Field
      label={t(adds ? 'users:invite.people' : 'users:invite.addressees')}
      help={t(adds ? 'users:invite.people_help' : 'users:invite.addressees_help')}
      error={isMissing ? t('resource:form.required') : undefined}
      layout="above"
      required
    >
      {(control) =>
        adds ? (
          <RemoteSelect
            control={control}
            label={t('users:invite.people')}
            remote={everybody}
            multiple
            value={value}
            onChange={onChange}
          />
        ) : (
          <TextArea
            {...control}
            rows={3}
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => onChange(addressees(event.target.value))}
          />
        )
      }
    </Field>
  );
}

/**
 * Invites people to the current organization with the chosen roles. Super administrators choose from all people, who
 * are added at once. Other administrators type names or addresses; before those people have joined, they learn nothing
 * about them.
 */
export function InviteDialog({
  onClose,
  onInvited,
}: {
  readonly onClose: () => void;
  readonly onInvited: () => void;
}) {
  const t = useT();
  const form = useId();
  const { organization, profile } = useSession();
  const adds = profile.is_superuser;
  const [people, setPeople] = useState<readonly string[]>([]);
  const [roles, setRoles] = useState<readonly string[]>(['User']);
  const [tried, setTried] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (busy || people.length === 0 || roles.length === 0) return;
    setBusy(true);
    setFailure(null);
    try {
      await http.post(
        'users/users/invite/',
        people.flatMap((user) => roles.map((role) => ({ user, role }))),
        { quiet: true },
      );
      // i18n: users:invite.done users:invite.sent
      toast({
        tone: 'ok',
        text: t(adds ? 'users:invite.done' : 'users:invite.sent', { count: people.length }),
      });
      onInvited();
      onClose();
    } catch (error) {
      setFailure(explain(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      title={t('users:invite.title', { organization: organization.name })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('ui:cancel')}</Button>
          <Button kind="primary" type="submit" form={form} busy={busy}>
            {t('users:invite.action')}
          </Button>
        </>
      }
    >
      <form id={form} className="grid gap-3" noValidate onSubmit={(event) => void submit(event)}>
        {failure !== null && (
          <Note tone="danger" announce>
            {failure}
          </Note>
        )}
        <PeopleField
          adds={adds}
          value={people}
          isMissing={tried && people.length === 0}
          onChange={setPeople}
        />
        <Field
          label={t('users:invite.roles')}
          error={tried && roles.length === 0 ? t('resource:form.required') : undefined}
          layout="above"
          group
          required
        >
          {() => (
            // i18n: users:invite.role.*
            <CheckGroup
              name="roles"
              options={ROLES.map((role) => ({ value: role, label: t(`users:invite.role.${role}`) }))}
              value={roles}
              onChange={setRoles}
            />
          )}
        </Field>
      </form>
      <OpenInvitations onJoined={onInvited} />
    </Dialog>
  );
}
