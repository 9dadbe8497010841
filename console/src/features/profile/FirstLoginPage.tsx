import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { browserLocation } from '#/lib/browser-location';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { Checkbox, RadioGroup } from '#/ui/choice';
import { Field, TextArea, TextInput } from '#/ui/field';
import { PageHeader } from '#/ui/page';
import { usePage } from '#/ui/page-title';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { fetchProfile, type FullProfile, PROFILE_KEY, saveProfile } from './api';
import { SmallForm } from './SmallForm';

const FORCED = 2;

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <fieldset className="grid gap-2.5 not-first:pt-2">
      <legend className="mb-2.5 w-full border-b border-line pb-1.5 text-meta font-semibold text-ink-2">
        {title}
      </legend>
      {children}
    </fieldset>
  );
}

function Improvement({ profile }: { readonly profile: FullProfile }) {
  const t = useT();
  const [level, setLevel] = useState(String(profile.mfa_level));
  const choosesMfa = profile.mfa_level !== FORCED;
  const hasKey = profile.can_public_key_auth;
  return (
    <SmallForm
      label={t('nav:first_login')}
      fields={['public_key', 'phone', 'wechat', 'terms']}
      required={['terms']}
      submitLabel={t('profile:first.go_on')}
      save={async ({ phone = '', wechat = '', public_key: key = '' }) => {
        await saveProfile({
          phone,
          wechat,
          ...(Number(level) === profile.mfa_level ? {} : { mfa_level: Number(level) }),
          ...(key.trim() === '' ? {} : { public_key: key }),
          is_first_login: false,
        });
        usePage.setState({ finished: paths.firstLogin });
        // A full page load, so that the guard runs again with the completed profile.
        browserLocation.assign(`/ui${paths.guide}`);
      }}
    >
      {(errors) => (
        <>
          <Group title={t('profile:card.account')}>
            {(['username', 'name', 'email'] as const).map((name) => (
              // i18n: profile:field.*
              <Field key={name} label={t(`profile:field.${name}`)}>
                {(control) => <TextInput {...control} value={profile[name]} readOnly />}
              </Field>
            ))}
          </Group>
          {(choosesMfa || hasKey) && (
            <Group title={t('profile:first.auth')}>
              {choosesMfa && (
                <Field label={t('profile:field.mfa')} help={t('profile:first.mfa_help')} group>
                  {() => (
                    <RadioGroup
                      name="mfa_level"
                      options={[
                        { value: '0', label: t('profile:first.mfa_off') },
                        { value: '1', label: t('profile:first.mfa_on') },
                      ]}
                      value={level}
                      onChange={setLevel}
                    />
                  )}
                </Field>
              )}
              {hasKey && (
                <Field
                  label={t('profile:field.key')}
                  help={t('profile:ssh_key.help')}
                  error={errors['public_key']}
                >
                  {(control) => (
                    <TextArea
                      {...control}
                      name="public_key"
                      rows={3}
                      className="font-mono text-meta"
                      placeholder="ssh-ed25519 AAAA… name@host"
                    />
                  )}
                </Field>
              )}
            </Group>
          )}
          <Group title={t('profile:first.other')}>
            <Field label={t('profile:field.phone')} error={errors['phone']}>
              {(control) => (
                <TextInput
                  {...control}
                  name="phone"
                  type="tel"
                  autoComplete="tel"
                  defaultValue={profile.phone ?? ''}
                />
              )}
            </Field>
            <Field label={t('profile:field.wechat')} error={errors['wechat']}>
              {(control) => <TextInput {...control} name="wechat" defaultValue={profile.wechat} />}
            </Field>
          </Group>
          <Group title={t('profile:first.terms')}>
            <Field label={t('profile:first.recording')} error={errors['terms']} required group>
              {(control) => (
                <Checkbox {...control} name="terms">
                  {t('profile:first.accept')}
                </Checkbox>
              )}
            </Field>
          </Group>
        </>
      )}
    </SmallForm>
  );
}

/** Completes the profile; shown once, after the first sign-in. */
export function FirstLoginPage() {
  const t = useT();
  const query = useQuery({ queryKey: PROFILE_KEY, queryFn: fetchProfile, staleTime: 0 });
  return (
    <>
      <PageHeader title={t('nav:first_login')} />
      <p className="mt-1 mb-3 text-ink-2">{t('profile:first.why')}</p>
      {query.error && (
        <FailedState
          title={t('profile:failed')}
          message={explain(query.error)}
          requestId={requestIdOf(query.error)}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending && (
        <div className="pt-card max-w-(--form-max)" aria-busy="true">
          <SkeletonLines lines={9} />
        </div>
      )}
      {query.data && <Improvement profile={query.data} />}
    </>
  );
}
