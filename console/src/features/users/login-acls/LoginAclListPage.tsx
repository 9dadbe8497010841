import { useNavigate, useSearch } from '@tanstack/react-router';
import { useT } from '#/lib/i18n';
import { RemoteSelect } from '#/resource/form/RemoteSelect';
import { userOptions } from '#/domain/remotes';
import { Card } from '#/ui/card';
import { Field } from '#/ui/field';
import { PageHeader } from '#/ui/page';
import { userRoutes } from '../addresses';
import { LoginAcls } from './LoginAcls';

/** The login ACLs of the person in the address; without a person, the page asks for one. */
export function LoginAclListPage() {
  const t = useT();
  const navigate = useNavigate();
  const { user = '' }: { user?: string } = useSearch({ strict: false });
  return (
    <>
      <PageHeader
        title={t('nav:user_acl_list')}
        back={{ to: userRoutes.paths.list, label: t('nav:user_list') }}
      />
      <div className="mt-3 flex flex-col gap-4">
        <Card title={t('users:acl.person')}>
          <Field label={t('users:acl.person')} help={t('users:acl.choose_person')}>
            {(control) => (
              <RemoteSelect
                control={control}
                label={t('users:acl.person')}
                remote={userOptions}
                multiple={false}
                value={user === '' ? [] : [user]}
                onChange={([chosen]) =>
                  void navigate({ to: '/users/user-acl', search: chosen ? { user: chosen } : {} })
                }
              />
            )}
          </Field>
        </Card>
        {user !== '' && <LoginAcls key={user} userId={user} />}
      </div>
    </>
  );
}
