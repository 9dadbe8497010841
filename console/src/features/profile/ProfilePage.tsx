import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { currentSession, updateProfile } from '#/lib/session';
import { AlsoEnd } from '#/domain/credentials/AlsoEnd';
import { confirmAfterVisit, useConfirming } from '#/domain/mfa/confirming';
import { SshCode } from '#/domain/ssh-lines/SshCode';
import { useActiveTab } from '#/resource/detail/ResourceDetail';
import { BooleanCell, CopyCell, TimeCell } from '#/resource/format';
import { Card, Definitions } from '#/ui/card';
import type { Option } from '#/ui/choice';
import { Field, PasswordInput, TextArea, TextInput } from '#/ui/field';
import { Note } from '#/ui/note';
import { PageHeader } from '#/ui/page';
import { Select } from '#/ui/select';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { Tabs } from '#/ui/tabs';
import { toast } from '#/ui/toast';
import {
  fetchProfile,
  type FullProfile,
  OWN_CREDENTIALS,
  PROFILE_KEY,
  savePassword,
  saveProfile,
  savePublicKey,
} from './api';
import { ExternalAccountsCard } from './external-accounts/ExternalAccountsCard';
import { useCameBack } from './external-accounts/use-came-back';
import { GeneratedKey } from './GeneratedKey';
import { Invitations } from './Invitations';
import { PasskeysCard } from './passkeys/PasskeysCard';
import { TrustedBrowsersCard } from './passkeys/TrustedBrowsersCard';
import { SecondFactorCard } from './second-factor/SecondFactorCard';
import { SignInsCard } from './SignInsCard';
import { SmallForm } from './SmallForm';

function Info({ profile, onSaved }: { readonly profile: FullProfile; readonly onSaved: () => void }) {
  const t = useT();
  const confirming = useConfirming(profile.source);
  const failure = useCameBack('confirm', confirmAfterVisit, onSaved);
  const trustDays = currentSession()?.settings.SECURITY_TRUSTED_BROWSER_DAYS ?? 0;
  return (
    <div className="grid max-w-[960px] grid-cols-1 gap-3">
      {failure !== null && (
        <Note tone="danger" announce>
          {failure}
        </Note>
      )}
      <Invitations onJoined={onSaved} />
      <Card title={t('profile:card.account')} flush>
        <Definitions
          items={[
            { label: t('profile:field.username'), value: profile.username },
            { label: t('profile:field.name'), value: profile.name },
            { label: t('profile:field.role'), value: profile.role_display },
            { label: t('profile:field.email'), value: profile.email },
            { label: t('profile:field.active'), value: <BooleanCell value={profile.is_active} inWords /> },
            { label: t('profile:field.groups'), value: profile.groups_display },
            { label: t('profile:field.source'), value: profile.source_display },
            { label: t('profile:field.mfa'), value: profile.mfa_level_display },
            {
              label: t('profile:field.key'),
              value: profile.public_key_hash_md5 ? (
                <CopyCell
                  value={[profile.public_key_comment, profile.public_key_hash_md5].filter(Boolean).join(' ')}
                />
              ) : null,
            },
            { label: t('profile:field.comment'), value: profile.comment },
          ]}
        />
      </Card>
      <SecondFactorCard confirming={confirming} onChanged={onSaved} />
      <PasskeysCard confirming={confirming} onChanged={onSaved} />
      {trustDays !== 0 && <TrustedBrowsersCard />}
      <ExternalAccountsCard profile={profile} isLocal={profile.source === 'local'} onChanged={onSaved} />
      <Card title={t('profile:card.times')} flush>
        <Definitions
          items={[
            { label: t('profile:field.joined'), value: <TimeCell value={profile.date_joined} /> },
            { label: t('profile:field.last_login'), value: <TimeCell value={profile.last_login} /> },
            {
              label: t('profile:field.password_changed'),
              value: <TimeCell value={profile.date_password_last_updated} />,
            },
            { label: t('profile:field.expires'), value: <TimeCell value={profile.date_expired} /> },
          ]}
        />
      </Card>
    </div>
  );
}

/** Each language is named in itself, so that its speakers recognise it. */
const LANGUAGES: readonly Option[] = [
  { value: 'zh-hans', label: '中文(简体)' },
  { value: 'en', label: 'English' },
];

/** Fields that only an administrator can change. */
const FIXED = ['username', 'name', 'email'] as const;

function Settings({ profile, onSaved }: { readonly profile: FullProfile; readonly onSaved: () => void }) {
  const t = useT();
  const [language, setLanguage] = useState(profile.language);
  return (
    <SmallForm
      label={t('profile:tab.settings')}
      fields={['phone', 'wechat', 'comment']}
      submitLabel={t('resource:form.save')}
      save={async (values) => {
        await saveProfile({ ...values, language });
        toast({ tone: 'ok', text: t('profile:saved') });
        onSaved();
      }}
    >
      {(errors) => (
        <>
          {FIXED.map((name) => (
            // i18n: profile:field.*
            <Field key={name} label={t(`profile:field.${name}`)}>
              {(control) => <TextInput {...control} disabled defaultValue={profile[name]} />}
            </Field>
          ))}
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
          <Field
            label={t('profile:field.language')}
            help={t('profile:language.help')}
            error={errors['language']}
          >
            {(control) => (
              <Select
                id={control.id}
                describedBy={control['aria-describedby']}
                label={t('profile:field.language')}
                options={LANGUAGES}
                value={language === '' ? null : language}
                placeholder={t('profile:language.none')}
                onChange={(value) => setLanguage(value === 'en' ? 'en' : 'zh-hans')}
              />
            )}
          </Field>
          <Field label={t('profile:field.wechat')} error={errors['wechat']}>
            {(control) => <TextInput {...control} name="wechat" defaultValue={profile.wechat} />}
          </Field>
          <Field label={t('profile:field.comment')} error={errors['comment']}>
            {(control) => <TextArea {...control} name="comment" defaultValue={profile.comment} />}
          </Field>
        </>
      )}
    </SmallForm>
  );
}

const PASSWORDS = ['old_password', 'new_password', 'new_password_again'] as const;

function Password({ isLocal }: { readonly isLocal: boolean }) {
  const t = useT();
  // A password change revokes credentials, so the list is loaded again after each change.
  const [changes, setChanges] = useState(0);
  const [end, setEnd] = useState<readonly string[]>([]);
  if (!isLocal) return <Note>{t('profile:password.not_local')}</Note>;
  // i18n: profile:password.*
  return (
    <SmallForm
      label={t('profile:tab.password')}
      fields={PASSWORDS}
      required={PASSWORDS}
      submitLabel={t('profile:password.change')}
      save={async (values) => {
        await savePassword(values, end);
        setEnd([]);
        setChanges((count) => count + 1);
        toast({ tone: 'ok', text: t('profile:password.changed') });
      }}
    >
      {(errors) => (
        <>
          {PASSWORDS.map((name) => (
            <Field key={name} label={t(`profile:password.${name}`)} error={errors[name]} required>
              {(control) => (
                <PasswordInput
                  {...control}
                  name={name}
                  autoComplete={name === 'old_password' ? 'current-password' : 'new-password'}
                />
              )}
            </Field>
          ))}
          <AlsoEnd key={changes} path={OWN_CREDENTIALS} isOwn chosen={end} onChange={setEnd} />
        </>
      )}
    </SmallForm>
  );
}

function Ssh({ profile, onSaved }: { readonly profile: FullProfile; readonly onSaved: () => void }) {
  const t = useT();
  return (
    <div className="grid max-w-(--form-max) grid-cols-1 gap-3">
      <Card title={t('ssh-lines:code.title')}>
        <SshCode />
      </Card>
      {profile.can_public_key_auth ? (
        <OwnKey profile={profile} onSaved={onSaved} />
      ) : (
        <Note>{t('profile:ssh_key.off')}</Note>
      )}
    </div>
  );
}

function OwnKey({ profile, onSaved }: { readonly profile: FullProfile; readonly onSaved: () => void }) {
  const t = useT();
  return (
    <>
      <Card title={t('profile:ssh_key.present')}>
        {profile.public_key_hash_md5 ? (
          <>
            {profile.public_key_comment} <CopyCell value={profile.public_key_hash_md5} />
          </>
        ) : (
          <span className="text-ink-3">{t('profile:ssh_key.none')}</span>
        )}
      </Card>
      <GeneratedKey username={profile.username} onSaved={onSaved} />
      <SmallForm
        label={t('profile:tab.ssh_key')}
        fields={['public_key']}
        required={['public_key']}
        submitLabel={t('resource:form.save')}
        save={async (values) => {
          await savePublicKey(values['public_key'] ?? '');
          toast({ tone: 'ok', text: t('profile:ssh_key.saved') });
          onSaved();
        }}
      >
        {(errors) => (
          <Field
            label={t('profile:field.key')}
            help={t('profile:ssh_key.help')}
            error={errors['public_key']}
            required
          >
            {(control) => (
              <TextArea
                {...control}
                name="public_key"
                rows={5}
                className="font-mono text-meta"
                placeholder="ssh-ed25519 AAAA… name@host"
              />
            )}
          </Field>
        )}
      </SmallForm>
    </>
  );
}

/** The signed-in person's own account. */
export function ProfilePage() {
  const t = useT();
  const query = useQuery({ queryKey: PROFILE_KEY, queryFn: fetchProfile, staleTime: 0 });
  const [tab, setTab] = useActiveTab(['info', 'settings', 'password', 'ssh-key', 'sign-ins']);
  const profile = query.data;
  const saved = () => {
    void query.refetch().then((result) => result.data && updateProfile(result.data));
  };
  return (
    <>
      <PageHeader title={t('nav:profile')} />
      {query.error && (
        <FailedState
          title={t('profile:failed')}
          message={explain(query.error)}
          requestId={requestIdOf(query.error)}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending && (
        <div className="pt-card mt-3" aria-busy="true">
          <SkeletonLines />
        </div>
      )}
      {profile && (
        <div className="mt-2">
          <Tabs
            label={t('nav:profile')}
            selected={tab}
            onSelect={setTab}
            tabs={[
              {
                id: 'info',
                label: t('profile:tab.info'),
                content: <Info profile={profile} onSaved={saved} />,
              },
              {
                id: 'settings',
                label: t('profile:tab.settings'),
                content: <Settings profile={profile} onSaved={saved} />,
              },
              {
                id: 'password',
                label: t('profile:tab.password'),
                content: <Password isLocal={profile.source === 'local'} />,
              },
              {
                id: 'ssh-key',
                label: t('profile:tab.ssh_key'),
                content: <Ssh profile={profile} onSaved={saved} />,
              },
              {
                id: 'sign-ins',
                label: t('profile:sign_ins.title'),
                content: (
                  <div className="grid max-w-[960px] grid-cols-1 gap-3">
                    <SignInsCard />
                  </div>
                ),
              },
            ]}
          />
        </div>
      )}
    </>
  );
}
