import { useT } from '#/lib/i18n';
import { useSession } from '#/lib/session';
import { Field, TextInput } from '#/ui/field';
import { PageHeader } from '#/ui/page';
import { saveProfile } from './api';
import { SmallForm } from './SmallForm';

/** Shown once, after the first sign-in. */
export function FirstLoginPage() {
  const t = useT();
  const { profile } = useSession();
  return (
    <>
      <PageHeader title={t('nav:first_login')} />
      <p className="mt-1 mb-3 text-ink-2">{t('profile:first.why')}</p>
      <SmallForm
        label={t('nav:first_login')}
        fields={['phone', 'wechat']}
        submitLabel={t('profile:first.go_on')}
        save={async (values) => {
          await saveProfile({ ...values, is_first_login: false });
          // A full load: the guard starts anew and lets the person through.
          location.assign('/ui/');
        }}
      >
        {(errors) => (
          <>
            <Field label={t('profile:field.username')}>
              {(control) => <TextInput {...control} value={profile.username} readOnly />}
            </Field>
            <Field label={t('profile:field.name')}>
              {(control) => <TextInput {...control} value={profile.name} readOnly />}
            </Field>
            <Field label={t('profile:field.email')}>
              {(control) => <TextInput {...control} value={profile.email} readOnly />}
            </Field>
            <Field label={t('profile:field.phone')} error={errors['phone']}>
              {(control) => <TextInput {...control} name="phone" type="tel" autoComplete="tel" />}
            </Field>
            <Field label={t('profile:field.wechat')} error={errors['wechat']}>
              {(control) => <TextInput {...control} name="wechat" />}
            </Field>
          </>
        )}
      </SmallForm>
    </>
  );
}
