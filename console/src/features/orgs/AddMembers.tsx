import { UserPlus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import type { RemoteOptions } from '#/resource/define';
import { RemoteSelect } from '#/resource/form/RemoteSelect';
import { userOptions } from '#/domain/remotes';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { CheckGroup } from '#/ui/choice';
import { Field } from '#/ui/field';
import { toast } from '#/ui/toast';
import { MEMBERS } from './member.resource';

/** People of all organizations. */
const everybody: RemoteOptions = { ...userOptions, query: { ...userOptions.query, all: 1 } };

const ROLES = ['User', 'Auditor', 'Admin'] as const;

/** Gives the chosen people the chosen roles in an organization. Roles that a person already has stay unchanged. */
export function AddMembers({
  organization,
  onAdded,
}: {
  readonly organization: { readonly id: string; readonly name: string };
  readonly onAdded: () => void;
}) {
  const t = useT();
  const [people, setPeople] = useState<readonly string[]>([]);
  const [roles, setRoles] = useState<readonly string[]>(['User']);
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (busy || people.length === 0 || roles.length === 0) return;
    setBusy(true);
    try {
      await http.post(
        MEMBERS,
        people.flatMap((user) => roles.map((role) => ({ org: organization.id, user, role }))),
      );
      toast({
        tone: 'ok',
        text: t('orgs:add.done', { count: people.length, organization: organization.name }),
      });
      setPeople([]);
      setTried(false);
      onAdded();
    } catch {
      // The http client has already shown the error; the choices stay.
    } finally {
      setBusy(false);
    }
  };
  const required = t('resource:form.required');
  return (
    <Card title={t('orgs:add.title')}>
      <form
        aria-label={t('orgs:add.title')}
        className="grid gap-3"
        noValidate
        onSubmit={(event) => void submit(event)}
      >
        <Field
          label={t('orgs:add.people')}
          error={tried && people.length === 0 ? required : undefined}
          layout="above"
          required
        >
          {(control) => (
            <RemoteSelect
              control={control}
              label={t('orgs:add.people')}
              remote={everybody}
              multiple
              value={people}
              onChange={setPeople}
            />
          )}
        </Field>
        <Field
          label={t('orgs:add.roles')}
          error={tried && roles.length === 0 ? required : undefined}
          layout="above"
          group
          required
        >
          {() => (
            // i18n: orgs:role.*
            <CheckGroup
              name="roles"
              options={ROLES.map((role) => ({ value: role, label: t(`orgs:role.${role}`) }))}
              value={roles}
              onChange={setRoles}
            />
          )}
        </Field>
        <div>
          <Button type="submit" icon={UserPlus} busy={busy}>
            {t('orgs:add.action')}
          </Button>
        </div>
      </form>
    </Card>
  );
}
